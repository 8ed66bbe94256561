import { type EncodedEvent, readEvent } from '@emend/contracts';
import { type StoredLog, storedLog } from '../../../test/support/history.js';
import type { GatheredFacts } from '../src/domain/evidence.js';
import { gatherFacts } from '../src/gatherFacts.js';
import type { AppendOutcome, EventReader, RequestAppender } from '../src/ports.js';

/** Reads a stored log, and remembers every place that was asked for. */
export function readerOf(log: StoredLog): EventReader & { readonly asked: readonly string[] } {
  const asked: string[] = [];
  const get = async (place: string) => {
    asked.push(place);
    const stored = log.events.find((event) => event.subject === place);
    return stored ? { sequence: stored.sequence, read: readEvent(stored) } : null;
  };
  return { asked, get, getNamed: get };
}

/** Appends to a stored log as the broker would. */
export function appenderTo(log: StoredLog): RequestAppender & { readonly tried: readonly EncodedEvent[] } {
  const tried: EncodedEvent[] = [];
  return {
    tried,
    async append(request): Promise<AppendOutcome> {
      tried.push(request);
      if (log.append(request)[0] !== null) return 'appended';
      const standing = log.events.find((event) => event.subject === request.subject);
      return Buffer.compare(standing?.bytes ?? Buffer.alloc(0), request.bytes) === 0 ? 'already' : 'conflict';
    },
  };
}

/** The facts of the last ended run in these events. */
export async function factsOf(events: readonly Pick<EncodedEvent, 'subject' | 'bytes'>[]): Promise<GatheredFacts> {
  const log = storedLog(...events);
  const stored = log.events.findLast((event) => event.subject.includes('.run.ended.'));
  const read = stored && readEvent(stored);
  if (!stored || read?.kind !== 'event' || (read.event.name !== 'runFailed' && read.event.name !== 'outputProduced')) {
    throw new Error('the events hold no readable end of a run');
  }
  const gathered = await gatherFacts(readerOf(log), { sequence: stored.sequence, event: read.event });
  if (gathered.kind !== 'gathered') throw new Error(gathered.kind);
  return gathered.facts;
}
