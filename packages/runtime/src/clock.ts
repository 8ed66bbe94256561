/** Wall-clock time in milliseconds. Pure code receives a number; only shells hold a clock. */
export interface Clock {
  now(): number;
}

/** Ends a pending timer. Calling it twice, or after the timer fired, does nothing. */
export type Cancel = () => void;

/** Timers as an argument, so that tests move time instead of waiting for it. */
export interface Timers {
  /** Runs once after `ms`. */
  after(ms: number, run: () => void): Cancel;
  /** Runs every `ms` until cancelled. */
  every(ms: number, run: () => void): Cancel;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that stands still. */
export const fixedClock = (atMs: number): Clock => ({ now: () => atMs });

export const systemTimers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  every(ms, run) {
    const timer = setInterval(run, ms);
    return () => clearInterval(timer);
  },
};

/** Waits `ms` or until the signal aborts, and says which. It never rejects. */
export function sleep(ms: number, signal?: AbortSignal, timers: Timers = systemTimers): Promise<'elapsed' | 'aborted'> {
  if (signal?.aborted) return Promise.resolve('aborted');
  return new Promise((resolve) => {
    const onAbort = (): void => {
      cancel();
      resolve('aborted');
    };
    const cancel = timers.after(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve('elapsed');
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** Resolves when the signal aborts, at once where it has. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
