import type { Cancel, Clock, Timers } from './clock.js';

interface Pending {
  dueMs: number;
  readonly everyMs: number | undefined;
  readonly run: () => void;
}

/** A clock with timers that move only when told: the substitute for `systemClock` and `systemTimers` in tests. */
export interface ManualTime extends Clock, Timers {
  /** Moves time forward and fires what falls due, in order. */
  advance(ms: number): void;
  /** How many timers are waiting. */
  pending(): number;
}

export function manualTime(startMs = 0): ManualTime {
  const waiting = new Set<Pending>();
  let nowMs = startMs;

  function add(ms: number, everyMs: number | undefined, run: () => void): Cancel {
    const entry: Pending = { dueMs: nowMs + ms, everyMs, run };
    waiting.add(entry);
    return () => void waiting.delete(entry);
  }

  function fire(entry: Pending): void {
    nowMs = entry.dueMs;
    if (entry.everyMs === undefined) waiting.delete(entry);
    else entry.dueMs += entry.everyMs;
    entry.run();
  }

  return {
    now: () => nowMs,
    pending: () => waiting.size,
    after: (ms, run) => add(ms, undefined, run),
    every: (ms, run) => add(ms, Math.max(1, ms), run),
    advance(ms) {
      const untilMs = nowMs + ms;
      for (let entry = earliest(waiting, untilMs); entry; entry = earliest(waiting, untilMs)) fire(entry);
      nowMs = untilMs;
    },
  };
}

function earliest(waiting: ReadonlySet<Pending>, untilMs: number): Pending | undefined {
  let first: Pending | undefined;
  for (const entry of waiting) {
    if (entry.dueMs <= untilMs && (first === undefined || entry.dueMs < first.dueMs)) first = entry;
  }
  return first;
}
