import type { Msg, Subscription } from '@nats-io/transport-node';
import type { Message, Reply, ServeOptions } from '../broker.js';
import { LogError } from '../errors.js';
import { SERVE_CONCURRENCY_MAX, SERVE_WAITING_MAX } from '../limits.js';
import { faultOf, toLogError } from './faults.js';
import { toHeaders } from './messageHeaders.js';
import { type Session, untilEither } from './session.js';

/** Replies go to inboxes only: else a request could name a place of the log and have the answer stored there. */
const REPLY_SUBJECT = /^(_INBOX\.|_INBOX_[A-Za-z0-9_-]+\.|_R_\.)[^*>\s]+$/;

export function isReplySubject(subject: string | undefined): subject is string {
  return subject !== undefined && REPLY_SUBJECT.test(subject);
}

/**
 * A plain subscription, which stands from the call on, not from the first `next`. Whoever reads slower than messages
 * come keeps them in memory.
 */
export function followSubject(session: Session, subject: string, signal: AbortSignal | undefined): AsyncIterable<Message> {
  const until = untilEither(session, signal);
  return until.aborted ? nothing() : messagesOf(session.nc.subscribe(subject), subject, until);
}

async function* nothing(): AsyncGenerator<Message> {}

async function* messagesOf(subscription: Subscription, subject: string, until: AbortSignal): AsyncGenerator<Message> {
  const stop = (): void => subscription.unsubscribe();
  until.addEventListener('abort', stop, { once: true });
  if (until.aborted) stop();
  try {
    for await (const message of subscription) yield { subject: message.subject, bytes: message.data };
  } catch (error) {
    throw toLogError(error, subject);
  } finally {
    until.removeEventListener('abort', stop);
    subscription.unsubscribe();
  }
}

/** Resolves once the server knows the subscription; a missing permission shows before that. */
export async function serveRequests(session: Session, subject: string, options: ServeOptions): Promise<void> {
  const server = new RequestServer(options);
  let refused: Error | null = null;
  const subscription: Subscription = session.nc.subscribe(subject, {
    queue: options.queue,
    callback: (error, message) => {
      if (error === null) server.take(message);
      else refused = error;
    },
  });
  untilEither(session, options.signal).addEventListener('abort', () => subscription.unsubscribe(), { once: true });
  await session.nc.flush();
  if (refused !== null) throw toLogError(refused, subject);
}

class RequestServer {
  readonly #options: ServeOptions;
  readonly #waiting: Msg[] = [];
  #running = 0;

  constructor(options: ServeOptions) {
    this.#options = options;
  }

  take(message: Msg): void {
    if (!isReplySubject(message.reply)) return this.#options.onDropped?.('reply_subject_refused');
    if (this.#waiting.length >= SERVE_WAITING_MAX) return this.#options.onDropped?.('too_many_waiting');
    this.#waiting.push(message);
    this.#next();
  }

  #next(): void {
    if (this.#running >= SERVE_CONCURRENCY_MAX) return;
    const message = this.#waiting.shift();
    if (message === undefined) return;
    this.#running++;
    void this.#answer(message).finally(() => {
      this.#running--;
      this.#next();
    });
  }

  async #answer(message: Msg): Promise<void> {
    try {
      const answer = await this.#options.handle({ subject: message.subject, bytes: message.data });
      this.#respond(message, answer);
    } catch {
      // What the handler threw may carry payload text, so nothing of it goes over the wire.
      this.#respond(message, new Uint8Array(), { 'Nats-Service-Error-Code': '500', 'Nats-Service-Error': 'handler_failed' });
    }
  }

  #respond(message: Msg, bytes: Uint8Array, headers?: Readonly<Record<string, string>>): void {
    try {
      message.respond(bytes, headers === undefined ? {} : { headers: toHeaders(headers) });
    } catch {
      // The connection ended meanwhile, or the answer is too large: the requester's timeout says so.
    }
  }
}

export async function requestReply(session: Session, subject: string, bytes: Uint8Array, timeoutMs: number): Promise<Reply> {
  try {
    const reply = await session.nc.request(subject, bytes, { timeout: timeoutMs });
    return { bytes: reply.data, headers: allHeaders(reply) };
  } catch (error) {
    throw toLogError(error, subject);
  }
}

function allHeaders(message: Msg): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [name, values] of message.headers ?? []) all[name] = values.join(',');
  return all;
}

/** Permission is the one fault worth naming per subject; any other is thrown as it is. */
export function isPermissionDenied(error: unknown, subject: string): boolean {
  if (error instanceof LogError) return error.code === 'permission_denied';
  const fault = faultOf(error, subject);
  return fault.kind === 'lasting' && fault.error.code === 'permission_denied';
}
