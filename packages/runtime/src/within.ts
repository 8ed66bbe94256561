import type { Timers } from './clock.js';

/** True when the promise settled within `ms`, either way. */
export function within(ms: number, promise: Promise<unknown>, timers: Timers): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = timers.after(ms, () => resolve(false));
    const settled = (): void => {
      cancel();
      resolve(true);
    };
    promise.then(settled, settled);
  });
}
