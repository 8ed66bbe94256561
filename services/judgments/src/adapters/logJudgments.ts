import { readEvent, subjects } from '@emend/contracts';
import type { EventLog, StoredEvent } from '@emend/log';
import { systemTimers, type Timers } from '@emend/runtime';
import type { JudgmentLog, PlacedEvent } from '../ports.js';
import type { RememberedPlaces } from './rememberedPlaces.js';

/** A read goes on through a lost connection; a request must not. */
const readBoundMs = 3_000;

/** The judgments of one run did not arrive in time. */
class ReadExpired extends Error {
  override readonly name = 'ReadExpired';
  readonly code = 'read_expired';
}

export interface LogJudgmentsOptions {
  readonly log: EventLog;
  readonly remembered: RememberedPlaces;
  readonly timers?: Timers;
}

/** Reads by place and, for the judgments of one run, by a filter of the log: a few calls, however long the log is. */
export function logJudgments({ log, remembered, timers = systemTimers }: LogJudgmentsOptions): JudgmentLog {
  return {
    async get(place) {
      const known = remembered.get(place);
      if (known !== null) return known;
      const stored = await log.get(place);
      return stored && remembered.keep(placed(stored));
    },
    async judgmentsOf(run) {
      const bound = new AbortController();
      const cancel = timers.after(readBoundMs, () => bound.abort());
      try {
        return await collect(log, run, bound.signal);
      } finally {
        cancel();
      }
    },
    async append(event) {
      const appended = await log.append(event);
      if (appended.kind === 'conflict') remembered.keep(placed(appended.existing));
      return appended.kind === 'unknown' ? { kind: 'unknown', cause: appended.cause } : { kind: appended.kind };
    },
  };
}

async function collect(log: EventLog, run: string, signal: AbortSignal): Promise<readonly PlacedEvent[]> {
  const found: PlacedEvent[] = [];
  // Up to the newest there is: a bounded read does not wait for an event that may never come.
  for await (const stored of log.read({ from: 1, to: Number.MAX_SAFE_INTEGER, subject: subjects.judgmentsOf(run), signal })) {
    found.push(placed(stored));
  }
  // An aborted read ends like one that is complete.
  if (signal.aborted) throw new ReadExpired('read_expired');
  return found;
}

const placed = (stored: StoredEvent): PlacedEvent => ({ subject: stored.subject, sequence: stored.sequence, read: readEvent(stored) });
