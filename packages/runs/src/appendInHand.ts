import type { EncodedEvent } from '@emend/contracts';
import { again, type Outcome, stop } from '@emend/runtime';
import type { AppendOutcome, EventAppender } from './ports.js';

/** How often one event is appended before its message is looked at anew: each try has the append's own bound. */
export const appendTriesMax = 10;

export interface AppendDeps {
  readonly appender: EventAppender;
  /** Aborts when the process is told to stop. */
  readonly stopping: AbortSignal;
}

/** Appends the same bytes until the end of one append is known: repeating is safe, and what stands there may be ours. */
export async function appendInHand({ appender, stopping }: AppendDeps, event: EncodedEvent): Promise<AppendOutcome> {
  for (let tries = 1; ; tries += 1) {
    const appended = await appender.append(event);
    if (appended.kind !== 'unknown' || appended.cause === 'closed') return appended;
    if (tries >= appendTriesMax || stopping.aborted) return appended;
  }
}

/** What becomes of a message whose event is not known to be stored. A full log waits for an operator. */
export const notStored = (kind: 'full' | 'unknown', what: string): Outcome =>
  kind === 'full' ? stop('log_full') : again(`${what}_unknown`);
