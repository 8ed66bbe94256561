import { z } from 'zod';
import type { Privacy, SourceClass } from '../privacy.js';
import { readPrivacy, readSourceClass } from '../privacy.js';
import { hashTokenSchema } from './data.js';
import type { EventData, EventName } from './catalogue.js';

/** UTF-8 bytes of a whole event as stored. */
export const eventBytesMax = 65_536;

/** Structured CloudEvents: one canonical byte string to hash, compare and verify. */
export const eventContentType = 'application/cloudevents+json';

/** CloudEvents 1.0 with our extension attributes. What a reader does not know it ignores. */
export const envelopeSchema = z.object({
  specversion: z.literal('1.0'),
  id: hashTokenSchema,
  type: z.string().max(256),
  source: z.string().min(1).max(64),
  time: z.iso.datetime({ precision: 3 }),
  datacontenttype: z.literal('application/json'),
  /** The source event that everything here goes back to; a source and a declaration are their own root. */
  rootid: hashTokenSchema,
  causationid: hashTokenSchema.optional(),
  // Optional for the reader: where the word is missing, the closest is meant.
  privacy: z.unknown().optional().transform(readPrivacy),
  sourceclass: z.unknown().optional().transform(readSourceClass),
  /** Reserved. */
  signature: z.string().max(512).optional(),
});

/** An event as the code reads it. `name` and `subject` are not in the bytes: they follow from `type` and `data`. */
interface NamedEvent<Name extends EventName> {
  readonly name: Name;
  readonly subject: string;
  readonly id: string;
  readonly source: string;
  /** ISO 8601 with milliseconds and Z. */
  readonly time: string;
  readonly rootId: string;
  readonly causationId: string | undefined;
  readonly privacy: Privacy;
  readonly sourceClass: SourceClass;
  readonly data: EventData<Name>;
}

export type EventOf<Name extends EventName> = Name extends EventName ? NamedEvent<Name> : never;
export type ThoughtEvent = EventOf<EventName>;

/** What a writer says; the rest of the envelope follows. A source and a declaration leave `rootId` out. */
export interface EventDraft<Name extends EventName> {
  readonly name: Name;
  readonly source: string;
  readonly time: string;
  readonly rootId?: string;
  readonly causationId?: string;
  readonly privacy: Privacy;
  readonly sourceClass: SourceClass;
  readonly data: EventData<Name>;
}
