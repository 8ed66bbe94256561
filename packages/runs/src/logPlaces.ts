import { readEvent } from '@emend/contracts';
import type { EventLog } from '@emend/log';
import type { AppendOutcome, EventAppender, PlaceReader } from './ports.js';

/** Reads places of the log by direct get. */
export function logReader(log: Pick<EventLog, 'get'>): PlaceReader {
  return {
    async get(place) {
      const stored = await log.get(place);
      return stored && { sequence: stored.sequence, read: readEvent(stored) };
    },
  };
}

export function logAppender(log: Pick<EventLog, 'append'>): EventAppender {
  return {
    async append(event): Promise<AppendOutcome> {
      const appended = await log.append(event);
      if (appended.kind === 'conflict') return { kind: 'conflict', existing: readEvent(appended.existing) };
      return appended.kind === 'unknown' ? appended : { kind: appended.kind };
    },
  };
}
