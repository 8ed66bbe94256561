import { AckPolicy, type ConsumerConfig, type ConsumerInfo, DeliverPolicy, ReplayPolicy } from '@nats-io/jetstream';
import { type Msg, nanos, nuid } from '@nats-io/transport-node';
import { backoffMs, pause } from '../backoff.js';
import { LogError } from '../errors.js';
import { READER_IDLE_MAX_MS } from '../limits.js';
import { type Position, positionOf } from './delivered.js';
import { faultOf } from './faults.js';
import { PullBroken, pull } from './pull.js';
import { type Session, untilReconnect } from './session.js';

export interface OrderedOptions {
  readonly stream: string;
  readonly filter?: string;
  /** The first sequence, or the newest message of each subject and what follows. */
  readonly start: number | 'last-per-subject';
  readonly headersOnly?: boolean;
  readonly window: number;
  readonly signal: AbortSignal;
}

export interface Ordered {
  readonly message: Msg;
  readonly position: Position;
}

/** `caughtUp` is true when nothing stood behind the last of these as it was sent. An empty array can be caught up too. */
export interface OrderedBatch {
  readonly messages: readonly Ordered[];
  readonly caughtUp: boolean;
}

/**
 * A stream's messages in order, without gap or double, through restarts. The position is kept here: the consumer on the
 * server is throw-away, and is made anew behind the last message seen whenever a pull breaks or a message is missing.
 * The client's own ordered consumer waits up to 45 seconds after a restart; this one starts again at once.
 */
export async function* orderedReader(session: Session, options: OrderedOptions): AsyncGenerator<OrderedBatch> {
  let seen = 0;
  for (let failures = 0; !options.signal.aborted; ) {
    const made = await makeConsumer(session, options, seen);
    if (made === null) {
      await pause(backoffMs(failures++, session.random), options.signal);
      continue;
    }
    try {
      if (made.num_pending === 0) yield { messages: [], caughtUp: true };
      for await (const batch of consecutive(session, options, made)) {
        failures = 0;
        seen = batch.messages.at(-1)?.position.streamSequence ?? seen;
        yield batch;
      }
    } catch (error) {
      if (!(error instanceof PullBroken)) throw error;
    } finally {
      forget(session, made);
    }
    if (!options.signal.aborted) await pause(backoffMs(failures++, session.random), options.signal);
  }
}

/** The batches of one consumer for as long as its own count goes up by one each time. */
async function* consecutive(session: Session, options: OrderedOptions, made: ConsumerInfo): AsyncGenerator<OrderedBatch> {
  let expected = 1;
  const pulled = pull(session, { stream: options.stream, consumer: made.name, window: options.window, signal: options.signal });
  for await (const batch of pulled) {
    const messages: Ordered[] = [];
    let pending = 1;
    let gap = false;
    for (const message of batch) {
      const position = positionOf(message);
      gap = position.consumerSequence !== expected;
      if (gap) break;
      expected++;
      pending = position.pending;
      messages.push({ message, position });
    }
    if (messages.length > 0) yield { messages, caughtUp: pending === 0 };
    if (gap) throw new PullBroken('silent');
  }
}

/** Null where the broker cannot be asked just now. Throws for lasting faults, and when the log has lost its tail. */
async function makeConsumer(session: Session, options: OrderedOptions, seen: number): Promise<ConsumerInfo | null> {
  try {
    if (seen > 0) await checkTail(session, options.stream, seen);
    return await untilReconnect(session, session.jsm.consumers.add(options.stream, consumerConfig(options, seen)));
  } catch (error) {
    if (error instanceof LogError) throw error;
    const fault = faultOf(error, options.stream);
    if (fault.kind === 'lasting') throw fault.error;
    if (session.nc.isClosed() && !options.signal.aborted) throw new LogError('closed', 'the connection has ended', [options.stream]);
    return null;
  }
}

/** A server that comes back with less than was read has lost acknowledged messages: nothing may be built on that. */
export async function checkTail(session: Session, stream: string, seen: number): Promise<number> {
  const { state } = await untilReconnect(session, session.jsm.streams.info(stream));
  if (state.last_seq < seen) {
    throw new LogError('log_went_back', `${stream} ends at ${state.last_seq}, before ${seen}`, [
      stream,
      String(state.last_seq),
      String(seen),
    ]);
  }
  return state.last_seq;
}

function consumerConfig(options: OrderedOptions, seen: number): Partial<ConsumerConfig> {
  const fromSequence = seen > 0 ? seen + 1 : options.start;
  return {
    name: `r${nuid.next()}`,
    ack_policy: AckPolicy.None,
    replay_policy: ReplayPolicy.Instant,
    inactive_threshold: nanos(READER_IDLE_MAX_MS),
    mem_storage: true,
    num_replicas: 1,
    ...(options.filter === undefined ? {} : { filter_subject: options.filter }),
    ...(options.headersOnly ? { headers_only: true } : {}),
    ...(fromSequence === 'last-per-subject'
      ? { deliver_policy: DeliverPolicy.LastPerSubject }
      : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: Math.max(1, fromSequence) }),
  };
}

/** Best effort: a consumer that is left behind goes away by itself after `READER_IDLE_MAX_MS`. */
function forget(session: Session, made: ConsumerInfo): void {
  session.jsm.consumers.delete(made.stream_name, made.name).catch(() => undefined);
}
