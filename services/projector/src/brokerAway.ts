import { LogError } from '@emend/log';
import { sleep } from '@emend/runtime';
import { AWAY_FIRST_MS, AWAY_LAST_MS } from './limits.js';

/** A fault that may be gone at the next try. */
export const isBrokerAway = (error: unknown): boolean => error instanceof LogError && error.nature === 'passes';

/** The pause before the next try. */
export const awayMs = (failures: number): number => Math.min(AWAY_LAST_MS, AWAY_FIRST_MS * 2 ** Math.min(failures, 16));

/** Asks until it is answered or the signal comes; then null. Lasting faults throw. */
export async function untilAnswered<Answer>(ask: () => Promise<Answer>, signal: AbortSignal): Promise<Answer | null> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted) return null;
      if (!isBrokerAway(error)) throw error;
      await sleep(awayMs(failures), signal);
    }
  }
  return null;
}
