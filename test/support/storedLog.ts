import { type EncodedEvent, type EventRead, readEvent } from '@emend/contracts';

/** An event as a log holds it. */
export interface StoredEvent {
  readonly subject: string;
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** A stored event with what `readEvent` made of it: what a fold is given. */
export interface ReadStored extends StoredEvent {
  readonly read: Exclude<EventRead, { kind: 'unknown_version' }>;
}

/** A log in memory with the one rule of ours: a place holds the first event that was stored on it, for ever. */
export class StoredLog {
  readonly #events: StoredEvent[] = [];
  readonly #taken = new Set<string>();

  /** Appends in order. Returns the sequences; null where the place was taken, and the stored event stays. */
  append(...events: readonly Pick<EncodedEvent, 'subject' | 'bytes'>[]): readonly (number | null)[] {
    return events.map(({ subject, bytes }) => {
      if (this.#taken.has(subject)) return null;
      this.#taken.add(subject);
      const sequence = this.#events.length + 1;
      this.#events.push({ subject, sequence, bytes });
      return sequence;
    });
  }

  get events(): readonly StoredEvent[] {
    return this.#events;
  }

  /** @throws Error where an event is from a newer writer: a fold would halt there. */
  get read(): readonly ReadStored[] {
    return this.#events.map(readStored);
  }
}

/** Stores the events in this order. */
export function storedLog(...events: readonly Pick<EncodedEvent, 'subject' | 'bytes'>[]): StoredLog {
  const log = new StoredLog();
  log.append(...events);
  return log;
}

export function readStored(stored: StoredEvent): ReadStored {
  const read = readEvent(stored);
  if (read.kind === 'unknown_version') throw new Error(`${stored.subject}: from a newer writer`);
  return { ...stored, read };
}

const encoder = new TextEncoder();

/** Bytes that are no event, on any place: what stands there is void. */
export const garbageOn = (subject: string, text = 'not json'): { readonly subject: string; readonly bytes: Uint8Array } => ({
  subject,
  bytes: encoder.encode(text),
});

/** The same event with some fields of its envelope or data replaced, its id and place untouched: how a careless or hostile writer would write. */
export function tampered(
  event: Pick<EncodedEvent, 'subject' | 'bytes'>,
  change: { readonly envelope?: Readonly<Record<string, unknown>>; readonly data?: Readonly<Record<string, unknown>> },
): { readonly subject: string; readonly bytes: Uint8Array } {
  const body = JSON.parse(new TextDecoder().decode(event.bytes)) as { readonly data: Readonly<Record<string, unknown>> };
  const written = { ...body, ...change.envelope, data: { ...body.data, ...change.data } };
  return { subject: event.subject, bytes: encoder.encode(JSON.stringify(written)) };
}
