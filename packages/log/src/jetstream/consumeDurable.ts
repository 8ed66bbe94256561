import { type Msg, nanos } from '@nats-io/transport-node';
import { backoffMs, pause } from '../backoff.js';
import { LogError } from '../errors.js';
import type { ConsumeOptions, Delivery } from '../eventLog.js';
import { CALL_TIMEOUT_MS } from '../limits.js';
import { eventOf, positionOf } from './delivered.js';
import { faultOf, toLogError } from './faults.js';
import { PullBroken, type PullOptions, pull } from './pull.js';
import { type Session, untilEither, untilReconnect } from './session.js';

const PREFETCH_DEFAULT = 1;

/**
 * Deliveries of one durable. The durable is looked for before each pull and never made: a missing one ends the loop with
 * `consumer_missing`. After a restart of the broker the pull begins again; what was not acknowledged comes back by itself.
 */
export async function* consumeDurable(session: Session, stream: string, options: ConsumeOptions): AsyncGenerator<Delivery> {
  const signal = untilEither(session, options.signal);
  const window = Math.max(1, options.prefetch ?? PREFETCH_DEFAULT);
  for (let failures = 0; !signal.aborted; failures++) {
    if (failures > 0) await pause(backoffMs(failures - 1, session.random), signal);
    if (signal.aborted || !(await durableStands(session, stream, options.durable, signal))) continue;
    for await (const next of onePull(session, { stream, consumer: options.durable, window, signal })) {
      failures = 0;
      yield next;
    }
  }
}

/** What one pull brings; a broken pull is simply over. */
async function* onePull(session: Session, options: PullOptions): AsyncGenerator<Delivery> {
  try {
    for await (const batch of pull(session, options)) {
      for (const message of batch) {
        if (options.signal.aborted) return;
        yield delivery(session, message);
      }
    }
  } catch (error) {
    if (!(error instanceof PullBroken)) throw error;
  }
}

async function durableStands(session: Session, stream: string, durable: string, signal: AbortSignal): Promise<boolean> {
  try {
    await untilReconnect(session, session.jsm.consumers.info(stream, durable));
    return true;
  } catch (error) {
    const fault = faultOf(error, durable);
    if (fault.kind === 'lasting') throw fault.error;
    if (session.nc.isClosed() && !signal.aborted) throw new LogError('closed', 'the connection has ended', [durable]);
    return false;
  }
}

function delivery(session: Session, message: Msg): Delivery {
  const { deliveries, streamSequence } = positionOf(message);
  const reply = message.reply ?? '';
  return {
    event: eventOf(message, streamSequence),
    deliveries,
    ack: async () => {
      try {
        await untilReconnect(session, session.nc.request(reply, '+ACK', { timeout: CALL_TIMEOUT_MS }));
      } catch (error) {
        throw toLogError(error, message.subject);
      }
    },
    // Always with a delay: a bare negative acknowledgement comes back at once, whatever the durable says.
    nak: (delayMs) => tell(session, reply, `-NAK ${JSON.stringify({ delay: nanos(Math.max(0, delayMs)) })}`),
    working: () => tell(session, reply, '+WPI'),
  };
}

/** These need no answer: if one is lost the message comes back after the ack wait, which is the worst it can do. */
function tell(session: Session, reply: string, word: string): void {
  if (!session.nc.isClosed() && !session.nc.isDraining()) session.nc.publish(reply, word);
}
