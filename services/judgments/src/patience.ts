import type { Patience } from './ports.js';

/** First wait before a named reference is asked for again; it doubles, up to the last. */
const firstWaitMs = 50;
const lastWaitMs = 500;

/** Counts what it has waited itself, so that no clock is needed. */
export function patienceOf(boundMs: number, wait: (ms: number) => Promise<unknown>): Patience {
  let waitedMs = 0;
  let nextMs = firstWaitMs;
  return {
    async again() {
      const ms = Math.min(nextMs, boundMs - waitedMs);
      if (ms <= 0) return false;
      waitedMs += ms;
      nextMs = Math.min(nextMs * 2, lastWaitMs);
      await wait(ms);
      return true;
    },
  };
}
