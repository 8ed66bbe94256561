import { canonicalBytes } from './canonical.js';

/** Something an operator should see: ids, codes and counts, never payload text. */
export interface Incident {
  /** The service that saw it. */
  readonly service: string;
  /** A stable code, `[a-z_]`. */
  readonly code: string;
  /** The place it is about, where there is one. */
  readonly subject?: string;
  readonly sequence?: number;
  readonly deliveries?: number;
  readonly bytes?: number;
  /** ISO 8601 with milliseconds and Z. */
  readonly time: string;
}

export const incidentSubjectPrefix = 'incident.thought.';

/** An incident as it is published. Only the fields above are copied, so nothing else can travel. */
export function encodeIncident(incident: Incident): { readonly subject: string; readonly bytes: Uint8Array } {
  const { service, code, subject, sequence, deliveries, bytes, time } = incident;
  const fields = Object.entries({ service, code, subject, sequence, deliveries, bytes, time }).filter(([, value]) => value !== undefined);
  return { subject: `${incidentSubjectPrefix}${service}.${code}`, bytes: canonicalBytes(Object.fromEntries(fields)) };
}
