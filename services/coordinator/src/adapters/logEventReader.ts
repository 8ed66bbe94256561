import { readEvent } from '@emend/contracts';
import type { EventLog } from '@emend/log';
import { sleep } from '@emend/runtime';
import type { EventReader, PlacedEvent } from '../ports.js';

/** First wait before a named reference is asked for again; it doubles, up to the last. */
const firstWaitMs = 50;
const lastWaitMs = 5_000;

/** How long a named reference is asked for before it counts as missing, while a message waits for the answer. */
export const livePatienceMs = 60_000;
/** The same for one-shot commands: they append nothing because of what is missing, and can be run again. */
export const oneShotPatienceMs = 2_000;

export interface ReaderOptions {
  readonly log: EventLog;
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

/** Reads places of the log by direct get. */
export function logEventReader({ log, patienceMs, signal }: ReaderOptions): EventReader {
  async function get(place: string): Promise<PlacedEvent | null> {
    const stored = await log.get(place);
    return stored && { sequence: stored.sequence, read: readEvent(stored) };
  }
  return {
    get,
    async getNamed(place) {
      let found = await get(place);
      for (
        let waited = 0, waitMs = firstWaitMs;
        found === null && waited < patienceMs;
        waited += waitMs, waitMs = Math.min(waitMs * 2, lastWaitMs)
      ) {
        await sleep(waitMs, signal);
        found = await get(place);
      }
      return found;
    },
  };
}
