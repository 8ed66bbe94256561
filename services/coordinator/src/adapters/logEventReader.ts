import { readEvent } from '@emend/contracts';
import type { EventLog } from '@emend/log';
import { patienceOf, sleep } from '@emend/runtime';
import type { EventReader, PlacedEvent } from '../ports.js';

/** How long a named reference is asked for before it counts as missing, while a message waits for the answer. */
export const livePatienceMs = 60_000;
/** The same for one-shot commands: they append nothing because of what is missing, and can be run again. */
export const oneShotPatienceMs = 2_000;

export interface ReaderOptions {
  readonly log: EventLog;
  readonly patienceMs: number;
  /** A process that is told to stop asks no further, and then nothing counts as missing. */
  readonly signal?: AbortSignal;
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
      const patience = patienceOf({ boundMs: patienceMs, wait: (ms) => sleep(ms, signal) });
      let found = await get(place);
      while (found === null && (await patience.again())) found = await get(place);
      return found ?? (signal?.aborted ? 'stopped' : null);
    },
  };
}
