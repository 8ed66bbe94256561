import type { ModelTimers } from '../src/timers.js';

export interface ManualTimers extends ModelTimers {
  /** Fires what falls due within `ms`. */
  advance(ms: number): void;
  /** How many timers are waiting. */
  pending(): number;
}

/** Timers that move only when told. */
export function manualTimers(): ManualTimers {
  const waiting = new Set<{ readonly dueMs: number; readonly run: () => void }>();
  let nowMs = 0;
  return {
    after(ms, run) {
      const timer = { dueMs: nowMs + ms, run };
      waiting.add(timer);
      return () => void waiting.delete(timer);
    },
    advance(ms) {
      nowMs += ms;
      for (const timer of waiting) {
        if (timer.dueMs > nowMs) continue;
        waiting.delete(timer);
        timer.run();
      }
    },
    pending: () => waiting.size,
  };
}
