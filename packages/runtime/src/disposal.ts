import type { Logger } from './logger.js';
import { describeError } from './describeError.js';

/** What must be closed when a life ends, in reverse order of its opening. */
export interface Disposal {
  /** Once disposal has begun the function runs at once: a resource opened late is not left open. */
  defer(dispose: () => void | Promise<void>): void;
  /** Runs all of them, whatever some of them throw; resolves to how many failed. */
  disposeAll(): Promise<number>;
}

export function createDisposal(log: Logger): Disposal {
  const stack: (() => void | Promise<void>)[] = [];
  let begun = false;

  async function run(dispose: () => void | Promise<void>): Promise<number> {
    try {
      await dispose();
      return 0;
    } catch (error) {
      log.error('dispose.failed', { ...describeError(error) });
      return 1;
    }
  }

  return {
    defer(dispose) {
      if (begun) void run(dispose);
      else stack.push(dispose);
    },
    async disposeAll() {
      begun = true;
      let failed = 0;
      for (let dispose = stack.pop(); dispose !== undefined; dispose = stack.pop()) failed += await run(dispose);
      return failed;
    },
  };
}
