import { canonicalBytes } from '../canonical.js';
import { ContractsError } from '../errors.js';
import { eventIdOf } from '../identities.js';
import { placeOf, subjectOf } from '../places.js';
import { eventCatalogue, type EventName, typeOf } from './catalogue.js';
import { type EventDraft, envelopeSchema, eventBytesMax, eventContentType } from './envelope.js';

/** An event ready to be appended. Equal drafts give equal bytes. */
export interface EncodedEvent {
  readonly id: string;
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** Structured mode; trace context joins it in headers, so that equal events have equal bytes. */
const headers = Object.freeze({ 'content-type': eventContentType });

/**
 * Validates a draft, finds its place and writes its RFC 8785 bytes.
 * @throws ContractsError `event_invalid` (with the place in our schema, never a value), `event_too_large` past 64 KiB, `json_not_canonical`.
 */
export function encodeEvent<Name extends EventName>(draft: EventDraft<Name>): EncodedEvent {
  const parsed = eventCatalogue[draft.name].data.safeParse(draft.data);
  if (!parsed.success) throw new ContractsError('event_invalid', `the data of ${draft.name}`, ownPath(parsed.error.issues[0]?.path));
  const data = parsed.data as EventDraft<Name>['data'];
  const subject = subjectOf(draft.name, data);
  const id = eventIdOf(subject);
  // What follows from a body is a place; only a tombstone says itself where it stands.
  if (draft.name === 'erased' && placeOf(subject) === null) throw new ContractsError('event_invalid', 'a place of the table', draft.name);
  const envelope = {
    specversion: '1.0',
    id,
    type: typeOf(draft.name, data),
    source: draft.source,
    time: draft.time,
    datacontenttype: 'application/json',
    rootid: draft.rootId ?? id,
    ...(draft.causationId === undefined ? {} : { causationid: draft.causationId }),
    privacy: draft.privacy,
    sourceclass: draft.sourceClass,
  };
  // What our own reader would find void is never written.
  const checked = envelopeSchema.safeParse(envelope);
  if (!checked.success) throw new ContractsError('event_invalid', `the envelope of ${draft.name}`, ownPath(checked.error.issues[0]?.path));
  const bytes = canonicalBytes({ ...envelope, data });
  if (bytes.byteLength > eventBytesMax) throw new ContractsError('event_too_large', `at most ${eventBytesMax} bytes`, draft.name);
  return { id, subject, bytes, headers };
}

/** The first names of a path: deep ones may be a payload's own. */
const ownPath = (path: readonly PropertyKey[] | undefined): string => (path ?? []).slice(0, 2).map(String).join('.');
