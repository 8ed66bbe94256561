import { type Msg, nanos } from '@nats-io/transport-node';
import { backoffMs, pause } from '../backoff.js';
import { LogError } from '../errors.js';
import type { ConsumeOptions, Delivery, StoredEvent } from '../eventLog.js';
import { eventOf, positionOf } from './delivered.js';
import { faultOf } from './faults.js';
import { PullBroken, type PullOptions, pull } from './pull.js';
import { type Session, untilEither, untilReconnect } from './session.js';

const PREFETCH_DEFAULT = 1;

/**
 * Deliveries of one durable. The durable is looked for before each pull and never made: a missing one ends the loop with
 * `consumer_missing`. After a restart of the broker the pull begins again; what was not acknowledged comes back by itself.
 * Acknowledgements that the broker refuses end it with `permission_denied`.
 */
export async function* consumeDurable(session: Session, stream: string, options: ConsumeOptions): AsyncGenerator<Delivery> {
  const refusal = watchRefusals(session, options.durable);
  const signal = AbortSignal.any([untilEither(session, options.signal), refusal.signal]);
  const window = Math.max(1, options.prefetch ?? PREFETCH_DEFAULT);
  try {
    for (let failures = 0; !signal.aborted; failures++) {
      if (failures > 0) await pause(backoffMs(failures - 1, session.random), signal);
      if (signal.aborted || !(await durableStands(session, stream, options.durable, signal))) continue;
      for await (const batch of onePull(session, { stream, consumer: options.durable, window, signal })) {
        failures = 0;
        for (let at = 0; at < batch.length && !signal.aborted; at++) yield new JetstreamDelivery(session, batch[at] as Msg);
      }
    }
  } finally {
    refusal.end();
  }
  refusal.throwIfAny();
}

/** Nobody waits for the answer to an acknowledgement, so that a refused one shows only in what the connection says of itself. */
function watchRefusals(session: Session, durable: string) {
  const refused = new AbortController();
  const end = session.onRefused((subject) => {
    if (subject.startsWith('$JS.ACK.') && subject.split('.').includes(durable)) refused.abort();
  });
  return {
    signal: refused.signal,
    end,
    throwIfAny: () => {
      if (refused.signal.aborted) throw new LogError('permission_denied', `acknowledgements are not permitted: ${durable}`, [durable]);
    },
  };
}

/** What one pull brings; a broken pull is simply over. */
async function* onePull(session: Session, options: PullOptions): AsyncGenerator<readonly Msg[]> {
  try {
    yield* pull(session, options);
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

const ACK = new TextEncoder().encode('+ACK');

/** One delivery: a class, because a closure for each word would be made for every message. */
class JetstreamDelivery implements Delivery {
  readonly event: StoredEvent;
  readonly deliveries: number;
  readonly #session: Session;
  readonly #reply: string;

  constructor(session: Session, message: Msg) {
    const { deliveries, streamSequence } = positionOf(message);
    this.#session = session;
    this.#reply = message.reply ?? '';
    this.event = eventOf(message, streamSequence);
    this.deliveries = deliveries;
  }

  /** Not confirmed: a lost one costs a delivery more, and a round trip for each costs two thirds of the speed. */
  ack(): Promise<void> {
    const { nc, outbox } = this.#session;
    if (nc.isClosed()) return Promise.reject(new LogError('closed', 'the connection has ended', [this.event.subject]));
    // What comes while the connection drains would come too late for the end of the turn.
    if (nc.isDraining()) this.#write(ACK);
    else outbox.add(() => this.#write(ACK));
    return Promise.resolve();
  }

  /** Always with a delay: a bare negative acknowledgement comes back at once, whatever the durable says. */
  nak(delayMs: number): void {
    this.#tell(`-NAK ${JSON.stringify({ delay: nanos(Math.max(0, delayMs)) })}`);
  }

  working(): void {
    this.#tell('+WPI');
  }

  #tell(word: string): void {
    const { nc } = this.#session;
    if (!nc.isClosed() && !nc.isDraining()) nc.publish(this.#reply, word);
  }

  /** If one of these is lost the message comes back after the ack wait, which is the worst it can do. */
  #write(word: Uint8Array): void {
    try {
      this.#session.nc.publish(this.#reply, word);
    } catch {
      // The connection has ended meanwhile.
    }
  }
}
