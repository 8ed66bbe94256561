import { backoffMs, pause } from '../backoff.js';
import { requirePattern } from '../checkSubject.js';
import type { ReadOptions, StoredEvent } from '../eventLog.js';
import { LogError } from '../errors.js';
import { READ_WINDOW_MESSAGES } from '../limits.js';
import { eventOf } from './delivered.js';
import { faultOf } from './faults.js';
import { checkTail, orderedReader } from './orderedReader.js';
import { type Session, untilEither } from './session.js';

/**
 * The fold source. With `to`, the end is the smaller of `to` and what the log holds at the start: a bounded read never
 * waits for an event that may not come.
 */
export async function* readEvents(session: Session, stream: string, options: ReadOptions): AsyncGenerator<StoredEvent> {
  if (options.subject !== undefined) requirePattern(options.subject);
  const signal = untilEither(session, options.signal);
  const from = Math.max(1, options.from);
  const newest = await newestSequence(session, stream, from - 1, signal);
  const last = options.to === undefined ? Number.POSITIVE_INFINITY : Math.min(options.to, newest);
  if (from > last || signal.aborted) return;

  const reader = orderedReader(session, {
    stream,
    start: from,
    window: READ_WINDOW_MESSAGES,
    signal,
    ...(options.subject === undefined ? {} : { filter: options.subject }),
  });
  for await (const batch of reader) {
    for (const { message, position } of batch.messages) {
      if (position.streamSequence > last || signal.aborted) return;
      yield eventOf(message, position.streamSequence);
      if (position.streamSequence === last) return;
    }
    // Caught up with everything that matches, though the bound itself may not match the filter.
    if (batch.caughtUp && options.to !== undefined) return;
  }
}

/** Asks until it is answered, because a reader that starts during a restart of the broker is not an error. */
async function newestSequence(session: Session, stream: string, seen: number, signal: AbortSignal): Promise<number> {
  for (let attempt = 0; !signal.aborted; attempt++) {
    try {
      return await checkTail(session, stream, seen);
    } catch (error) {
      if (error instanceof LogError) throw error;
      const fault = faultOf(error, stream);
      if (fault.kind === 'lasting') throw fault.error;
      if (session.nc.isClosed() && !signal.aborted) throw new LogError('closed', 'the connection has ended', [stream]);
      await pause(backoffMs(attempt, session.random), signal);
    }
  }
  return 0;
}
