import { readEvent } from '@emend/contracts';
import { again, done, type Outcome } from '@emend/runtime';
import { abandonedDraft, placesOf } from './domain/repairRun.js';
import type { DeliveredRequest, RepairDeps } from './handleRepairRequest.js';
import { settle } from './settle.js';

/** A request that came back too often: nobody generates for it, and its settlement says so. What does not parse has an incident only. */
export async function setAsideRequest(
  deps: Pick<RepairDeps, 'agent' | 'appender' | 'reader' | 'incidents' | 'events' | 'stopping'>,
  stored: DeliveredRequest,
  why: { readonly code: string; readonly deliveries: number },
): Promise<Outcome> {
  const read = readEvent(stored);
  if (read.kind === 'unknown_version') return again('unknown_version');
  await deps.incidents.report({ ...why, subject: stored.subject, sequence: stored.sequence });
  if (read.kind !== 'event' || read.event.name !== 'repairRequested') return done;
  const places = placesOf(read.event);
  const [claim, settlement] = await Promise.all([deps.reader.get(places.claim), deps.reader.get(places.settlement)]);
  if (settlement !== null) return done;
  return settle(deps, { draft: abandonedDraft({ request: read.event, agent: deps.agent }, claim !== null), code: 'abandoned' });
}
