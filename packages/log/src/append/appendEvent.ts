import { backoffMs } from '../backoff.js';
import { LogError } from '../errors.js';
import type { Appended, EventToAppend, StoredEvent } from '../eventLog.js';
import type { Answer } from './judgeAnswer.js';

/** What the algorithm needs of a broker. Both adapters and the tests of lost answers implement it. */
export interface AppendPort {
  publish(event: EventToAppend): Promise<Answer>;
  /** `unreadable` where the question got no answer. Throws only for permanent faults. */
  lookUp(subject: string): Promise<LookUp>;
  /** True only where the broker itself says that the stream does not exist. */
  streamIsMissing(): Promise<boolean>;
  pause(ms: number): Promise<void>;
  /** A monotonic clock in milliseconds. */
  nowMs(): number;
  random(): number;
}

export type LookUp =
  | { readonly kind: 'found'; readonly event: StoredEvent }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unreadable'; readonly cause: string };

/** After this many answers of "nobody is there" the stream is asked for: an election looks the same for a while. */
const NO_RESPONDERS_BEFORE_ASKING = 3;

/**
 * Appends one event to its place, and repeats the very same bytes until something is known or the bound has passed.
 * Repeating is safe because the place takes one event for ever, and there is no message id that a server could
 * remember for a message it never stored.
 */
export async function appendEvent(port: AppendPort, event: EventToAppend, boundMs: number): Promise<Appended> {
  const startedMs = port.nowMs();
  let unanswered = 0;
  for (let attempt = 0; ; attempt++) {
    const answer = await port.publish(event);
    if (answer.kind === 'stored') return { kind: 'appended', sequence: answer.sequence };
    if (answer.kind === 'permanent') throw refused(event, answer);

    const there = await port.lookUp(event.subject);
    if (there.kind === 'found') return compare(event, there.event);
    if (answer.kind === 'limit' && there.kind === 'absent') return { kind: 'full' };

    if (isNoResponders(answer) && ++unanswered >= NO_RESPONDERS_BEFORE_ASKING && (await port.streamIsMissing())) {
      throw new LogError('stream_missing', 'the stream of the log does not exist: run bootstrap', [event.subject]);
    }
    if (isClosed(answer)) return { kind: 'unknown', cause: 'closed' };
    const waitMs = backoffMs(attempt, () => port.random());
    if (port.nowMs() - startedMs + waitMs > boundMs) return { kind: 'unknown', cause: causeOf(answer, there) };
    await port.pause(waitMs);
  }
}

function compare(event: EventToAppend, existing: StoredEvent): Appended {
  const same = Buffer.compare(event.bytes, existing.bytes) === 0;
  return same ? { kind: 'already', sequence: existing.sequence } : { kind: 'conflict', existing };
}

function isNoResponders(answer: Answer): boolean {
  return answer.kind === 'ambiguous' && answer.cause === 'no_responders';
}

/** A connection that was ended by this side does not come back. */
function isClosed(answer: Answer): boolean {
  return answer.kind === 'ambiguous' && answer.cause === 'closed';
}

function causeOf(answer: Answer, there: LookUp): string {
  if (answer.kind === 'ambiguous') return answer.cause;
  // A conflict whose winner cannot be seen: another write is in flight, or the replica that answered is behind.
  return there.kind === 'unreadable' ? there.cause : 'conflict_unseen';
}

function refused(event: EventToAppend, answer: Extract<Answer, { kind: 'permanent' }>): LogError {
  return new LogError(answer.code, `the broker refused the append for good (${answer.brokerCode})`, [
    event.subject,
    `broker_${answer.brokerCode}`,
  ]);
}
