/** One event as the log keeps it. `bytes` are the bytes received, never a re-serialization. */
export interface StoredEvent {
  readonly subject: string;
  readonly sequence: number;
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** One event on its way in. At most `EVENT_BYTES_MAX` bytes; header names and values are one line each. */
export interface EventToAppend {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What became of an append. Every case is an ordinary outcome; the caller decides what it means. */
export type Appended =
  | { readonly kind: 'appended'; readonly sequence: number }
  /** The same bytes stood there: an earlier try of ours, or an equal writer. */
  | { readonly kind: 'already'; readonly sequence: number }
  /** Other bytes stand there, for ever. */
  | { readonly kind: 'conflict'; readonly existing: StoredEvent }
  /** The log takes nothing more. Stop and say so. */
  | { readonly kind: 'full' }
  /** The bound passed without an answer that proves anything. `cause` is a code. Leave the message unacknowledged. */
  | { readonly kind: 'unknown'; readonly cause: string };

/** Which part of the log to read. Sequences are inclusive and start at 1; `subject` may hold wildcards. */
export interface ReadOptions {
  readonly from: number;
  readonly to?: number;
  readonly subject?: string;
  readonly signal?: AbortSignal;
}

/** Which durable to work on. `prefetch` is how many messages may wait in this process (default 1). */
export interface ConsumeOptions {
  readonly durable: string;
  readonly signal?: AbortSignal;
  readonly prefetch?: number;
}

/** One delivery of a durable. Exactly one of `ack` and `nak` ends it; silence brings it back after the ack wait. */
export interface Delivery {
  readonly event: StoredEvent;
  /** How often this event has been delivered, this time included. */
  readonly deliveries: number;
  /**
   * Resolves when the acknowledgement is handed to the connection; throws `LogError` `closed` where there is none. It is not
   * confirmed: a lost one brings the message back, and handlers are idempotent by place. `close` flushes what was handed over.
   */
  ack(): Promise<void>;
  nak(delayMs: number): void;
  /** Says that the handler is alive and starts the ack wait again. */
  working(): void;
}

/** The one stream of events. One event per subject, for ever, in one order. */
export interface EventLog {
  /** Throws only for permanent faults: `too_large`, `permission_denied`, `stream_missing`, `stream_unfit`, `subject_invalid`, `header_invalid`. */
  append(event: EventToAppend): Promise<Appended>;
  /** What stands on a place. `null` proves nothing: absence is never read. Throws `subject_invalid` for what names no place. */
  get(subject: string): Promise<StoredEvent | null>;
  at(sequence: number): Promise<StoredEvent | null>;
  /** The newest sequence, 0 for an empty log. */
  lastSequence(): Promise<number>;
  /**
   * Events in order, without gap or double. With `to` it ends there, also when nothing matches;
   * without it it goes on live until the signal. Throws `log_went_back` when the log lost its tail, and `subject_invalid`.
   */
  read(options: ReadOptions): AsyncIterable<StoredEvent>;
  /** Deliveries of an existing durable, until the signal. Never creates one: `consumer_missing`. */
  consume(options: ConsumeOptions): AsyncIterable<Delivery>;
}
