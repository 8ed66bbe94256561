import { LogError } from '@emend/log';
import { sleep, type Timers } from '@emend/runtime';

/** Between two tries of what a broker did not answer, in milliseconds. */
export const awayPauseMs = 1_000;

export interface Waiting {
  /** Aborts when the drain is over. */
  readonly signal: AbortSignal;
  readonly timers: Timers;
}

/**
 * Asks a broker until it answers: a claim permits one work, and an answer that is late costs less than another attempt. Null where the
 * drain ended first.
 * @throws LogError that another try would meet too
 */
export async function whileAway<Answer>({ signal, timers }: Waiting, ask: () => Promise<Answer>): Promise<Answer | null> {
  while (!signal.aborted) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof LogError) || error.nature !== 'passes') throw error;
    }
    await sleep(awayPauseMs, signal, timers);
  }
  return null;
}
