import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS } from './limits.js';

/**
 * The pause before try `attempt` + 1 (attempts count from 0): doubling, at most `BACKOFF_MAX_MS`, and of that a random
 * part between half and all, so that many writers that failed together do not come back together.
 */
export function backoffMs(attempt: number, random: () => number): number {
  const ceiling = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(attempt, 16));
  return Math.round(ceiling * (0.5 + random() / 2));
}

/** Resolves after `ms`, or at once when the signal fires. Never rejects. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
