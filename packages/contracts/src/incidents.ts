import { canonicalBytes } from './canonical.js';
import { ContractsError } from './errors.js';
import { keyTokenSchema } from './events/data.js';

/** Something an operator should see, or did: ids, codes and counts, never payload text. */
export interface Incident {
  /** The service that saw it, or `operator`. */
  readonly service: string;
  /** A stable code, `[a-z_]`. */
  readonly code: string;
  /** The place it is about, where there is one. */
  readonly subject?: string;
  readonly sequence?: number;
  readonly deliveries?: number;
  readonly bytes?: number;
  /** Who did it: the last token of the subject, so that an account can be held to its name. */
  readonly operator?: string;
  /** Why, in that person's own plain words. Nobody else's text is ever here: see `isPlainReason`. */
  readonly reason?: string;
  /** ISO 8601 with milliseconds and Z. */
  readonly time: string;
}

export const incidentSubjectPrefix = 'incident.thought.';

/** UTF-16 units of a reason. */
export const reasonUnitsMax = 200;
/** Letters and figures of any language, blanks and light punctuation: no double quote, bracket, brace or backslash, so no JSON and no markup. */
const plainWords = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .,:;?!'#/_+()-]{2,}$/u;

/** Whether a reason is one line of plain words, 3 to 200 UTF-16 units: what a person writes, and not what a model wrote. */
export const isPlainReason = (text: string): boolean => text.length <= reasonUnitsMax && plainWords.test(text);

/**
 * An incident as it is published. Only the fields above are copied, so nothing else can travel.
 * @throws ContractsError `incident_invalid`, for an operator that is no token and a reason that is not plain
 */
export function encodeIncident(incident: Incident): { readonly subject: string; readonly bytes: Uint8Array } {
  const { service, code, subject, sequence, deliveries, bytes, operator, reason, time } = incident;
  if (operator !== undefined && !keyTokenSchema.safeParse(operator).success)
    throw new ContractsError('incident_invalid', 'a token of at most 64', 'operator');
  if (reason !== undefined && !isPlainReason(reason))
    throw new ContractsError('incident_invalid', `plain words, at most ${reasonUnitsMax}`, 'reason');
  const all = { service, code, subject, sequence, deliveries, bytes, operator, reason, time };
  const fields = Object.entries(all).filter(([, value]) => value !== undefined);
  const tokens = operator === undefined ? [service, code] : [service, code, operator];
  return { subject: `${incidentSubjectPrefix}${tokens.join('.')}`, bytes: canonicalBytes(Object.fromEntries(fields)) };
}
