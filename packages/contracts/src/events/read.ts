import { canonicalText, jsonDepthMax } from '../canonical.js';
import { parseStrictJson } from '../strictJson.js';
import { eventIdOf } from '../identities.js';
import { placeOf, places, subjectOf } from '../places.js';
import { eventCatalogue, type EventData, type EventName, readType, typeOf } from './catalogue.js';
import { envelopeSchema, type EventOf, eventBytesMax, type ThoughtEvent } from './envelope.js';
import { isPlainlySpelled, quotesOf, tooDeep } from './spelling.js';

/** Why an event on a place has no effect, as a code. The place stays taken. */
export const voidCodes = [
  'too_large',
  'not_json',
  'too_deep',
  'envelope_invalid',
  'type_unknown',
  'data_invalid',
  'type_not_of_place',
  'subject_mismatch',
  'id_mismatch',
] as const;
export type VoidCode = (typeof voidCodes)[number];

export type EventRead =
  | { readonly kind: 'event'; readonly event: ThoughtEvent }
  /** The event that stood here was erased by an operator. */
  | { readonly kind: 'tombstone'; readonly event: EventOf<'erased'> }
  /** Counted, one incident, never retried or overwritten. */
  | { readonly kind: 'void'; readonly code: VoidCode }
  /** From a newer writer: the reader waits or halts, it never skips. */
  | { readonly kind: 'unknown_version' };

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const isVoid = (code: VoidCode): EventRead => ({ kind: 'void', code });

/** Reads stored bytes without trusting their writer. Pure; never throws; never repeats what it read. */
export function readEvent(stored: { readonly subject: string; readonly bytes: Uint8Array }): EventRead {
  if (stored.bytes.byteLength > eventBytesMax) return isVoid('too_large');
  const parsed = parseBytes(stored.bytes);
  if (typeof parsed === 'string') return isVoid(parsed);
  const { body } = parsed;
  const envelope = envelopeSchema.safeParse(body);
  if (!envelope.success) return readForeign(body);
  const type = readType(envelope.data.type);
  if (type.kind === 'unknown_version') return { kind: 'unknown_version' };
  if (type.kind === 'unknown_type') return isVoid('type_unknown');
  const data = eventCatalogue[type.name].data.safeParse((body as { data?: unknown }).data);
  if (!data.success) return isVoid('data_invalid');

  // The schema that parsed `data` is the one that `name` names.
  const known = data.data as EventData<typeof type.name>;
  const ownSubject = subjectOf(type.name, known) === stored.subject;
  // The subject that follows from a body is always one of its type's own places; only a tombstone names its place itself.
  if ((!ownSubject || type.name === 'erased') && !mayStandOn(type.name, stored.subject)) return isVoid('type_not_of_place');
  if (!ownSubject || typeOf(type.name, known) !== envelope.data.type) return isVoid('subject_mismatch');
  if (envelope.data.id !== eventIdOf(stored.subject)) return isVoid('id_mismatch');

  const { id, source, time, rootid, causationid, privacy, sourceclass } = envelope.data;
  const event = {
    name: type.name,
    subject: stored.subject,
    id,
    source,
    time,
    rootId: rootid,
    causationId: causationid,
    privacy,
    sourceClass: sourceclass,
    data: known,
  } as ThoughtEvent;
  return event.name === 'erased' ? { kind: 'tombstone', event } : { kind: 'event', event };
}

/**
 * I-JSON or nothing, so that a reader in another language cannot find another event in the same bytes.
 * What is spelled plainly, or written back as it stands, has no name twice and no rounded number: only foreign spellings are read slowly.
 */
function parseBytes(bytes: Uint8Array): { readonly body: unknown } | VoidCode {
  try {
    const text = decoder.decode(bytes);
    const body: unknown = JSON.parse(text);
    const quotes = quotesOf(body, jsonDepthMax);
    if (quotes === tooDeep) return 'too_deep';
    if (isPlainlySpelled(bytes, quotes)) return { body };
    // A canonical text is not what JSON writes back where a name looks like an index: those come first in an object.
    const plain = !surrogateEscape.test(text) && (JSON.stringify(body) === text || canonicalText(body) === text);
    return plain || parseStrictJson(text, jsonDepthMax).kind === 'parsed' ? { body } : 'not_json';
  } catch {
    return 'not_json';
  }
}

const surrogateEscape = /\\u[dD]/;

/** An envelope we cannot read may still say that it is from a newer writer. */
function readForeign(body: unknown): EventRead {
  const type = (body as { type?: unknown } | null)?.type;
  return typeof type === 'string' && readType(type).kind === 'unknown_version' ? { kind: 'unknown_version' } : isVoid('envelope_invalid');
}

function mayStandOn(name: EventName, subject: string): boolean {
  const place = placeOf(subject);
  if (place === null) return false;
  const holds: readonly EventName[] = places[place.place].holds;
  return name === 'erased' || holds.includes(name);
}
