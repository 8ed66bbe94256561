import { eventIdOf, readEvent } from '@emend/contracts';
import { type EventLog, LogError } from '@emend/log';
import type { AppendOutcome, EventAppender, EvidenceReader, PlacedRunEvent } from '../ports.js';
import { permanentFaults } from './logFaults.js';

/** Reads places of the log by direct get, and the events of a run by the one pattern that names them all. */
export function logReader(log: Pick<EventLog, 'get' | 'read'>): EvidenceReader {
  return {
    async get(place) {
      const stored = await log.get(place);
      return stored && { sequence: stored.sequence, read: readEvent(stored) };
    },
    async ofRun(run, upTo) {
      const found: PlacedRunEvent[] = [];
      // A producer is one token, and so is the word that tells a start from an end.
      for await (const stored of log.read({ from: 1, to: upTo, subject: `stream.thought.agent.run.*.*.${run}` })) {
        found.push({ id: eventIdOf(stored.subject), sequence: stored.sequence, read: readEvent(stored) });
      }
      return found;
    },
  };
}

export function logAppender(log: Pick<EventLog, 'append'>): EventAppender {
  return {
    async append(event): Promise<AppendOutcome> {
      try {
        const appended = await log.append(event);
        if (appended.kind === 'conflict') return { kind: 'conflict', existing: readEvent(appended.existing) };
        return appended.kind === 'unknown' ? appended : { kind: appended.kind };
      } catch (error) {
        if (error instanceof LogError && permanentFaults.includes(error.code)) return { kind: 'refused', code: error.code };
        throw error;
      }
    },
  };
}
