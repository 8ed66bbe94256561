import type { EventLog } from './eventLog.js';
import type { Objects } from './objects.js';
import type { View } from './view.js';

export interface Reply {
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

/** A message of a plain subscription: delivered at most once. */
export interface Message {
  readonly subject: string;
  readonly bytes: Uint8Array;
}

export interface ServeOptions {
  /** Instances with one queue name share the requests. */
  readonly queue: string;
  /** What it throws is answered with the header `Nats-Service-Error: handler_failed` and no text. */
  readonly handle: (request: Message) => Promise<Uint8Array>;
  readonly signal?: AbortSignal;
  /** Told of each request that was dropped unanswered, by code. */
  readonly onDropped?: (reason: 'reply_subject_refused' | 'too_many_waiting') => void;
}

/** One connection: the log, the views beside it, and request/reply. */
export interface Broker {
  readonly log: EventLog;
  readonly serverVersion: string;
  /** Binds to a bucket; throws `view_missing`. */
  view(bucket: string): Promise<View>;
  /** Binds to a bucket of objects; throws `objects_missing`. */
  objects(bucket: string): Promise<Objects>;
  /** An acknowledged publish into whichever other stream takes the subject. No dedupe: it may be stored twice. */
  store(subject: string, bytes: Uint8Array): Promise<void>;
  /** A plain subscription, from the call on. Also ends with the connection. */
  follow(subject: string, signal?: AbortSignal): AsyncIterable<Message>;
  /** Resolves when the subscription stands; serves until the signal. Answers inbox replies only, and drops the rest. */
  serve(subject: string, options: ServeOptions): Promise<void>;
  /** Throws `no_responders`, `timeout`, `permission_denied` or `closed`. */
  request(subject: string, bytes: Uint8Array, timeoutMs: number): Promise<Reply>;
  /**
   * Publishes what must be refused (a wrong expected stream) to prove that these places may be written.
   * Throws `permission_denied` with the subjects concerned, or `write_unproven`. Stores nothing.
   */
  proveWrite(subjects: readonly string[]): Promise<void>;
  /** Settles when the connection has ended, whoever ended it. */
  readonly closed: Promise<void>;
  /** Ends what runs and drains. May be called twice. */
  close(): Promise<void>;
}

/** How a connection proves who it is. Nothing of it appears in an error. */
export type Credentials =
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'nkey'; readonly seed: string }
  | { readonly kind: 'creds'; readonly text: string };

/** Paths of PEM files. */
export interface TlsFiles {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

export interface ConnectOptions {
  /** One URL or several, separated by commas. */
  readonly servers: string;
  readonly name: string;
  /** The stream that is the log. */
  readonly stream: string;
  readonly credentials?: Credentials;
  /** Path of a `.creds` file, read when connecting; instead of `credentials`. */
  readonly credentialsFile?: string | undefined;
  readonly tls?: TlsFiles;
  readonly inboxPrefix?: string;
  /** Where an account imports the JetStream API under another name, say `core.JS.API`. */
  readonly apiPrefix?: string;
  /** How long one append may try before it is `unknown`. */
  readonly appendBoundMs?: number;
  /** How long the first connection may take before `not_connected`; endless when absent. */
  readonly connectBoundMs?: number;
  /** Randomness for backoff, 0 up to 1. */
  readonly random?: () => number;
  /** Ends the wait for the first connection with `not_connected`. Once that stands it does nothing: `close` ends a connection. */
  readonly signal?: AbortSignal;
  /** Told what the connection does, and once `waiting` where the first try found no broker and more follow. */
  readonly onStatus?: (status: { readonly kind: string }) => void;
}
