/** A bounded will to ask again for what is named and not found. */
export interface Patience {
  /** Waits a little, longer each time; false where the patience is spent or the wait was aborted. */
  again(): Promise<boolean>;
}

export interface PatienceOptions {
  /** All waits together, in milliseconds. */
  readonly boundMs: number;
  /** The longest single wait, in milliseconds. */
  readonly longestMs?: number;
  /** `sleep` of this package, with or without a signal. */
  readonly wait: (ms: number) => Promise<unknown>;
}

/** First wait in milliseconds; it doubles, up to the longest. */
const firstWaitMs = 50;
const longestWaitMs = 5_000;

/** Counts what it has waited itself, so that no clock is needed. */
export function patienceOf({ boundMs, longestMs = longestWaitMs, wait }: PatienceOptions): Patience {
  let waitedMs = 0;
  let nextMs = firstWaitMs;
  return {
    async again() {
      const ms = Math.min(nextMs, boundMs - waitedMs);
      if (ms <= 0) return false;
      waitedMs += ms;
      nextMs = Math.min(nextMs * 2, longestMs);
      return (await wait(ms)) !== 'aborted';
    },
  };
}
