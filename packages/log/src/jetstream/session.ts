import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { CALL_TIMEOUT_MS } from '../limits.js';
import { Answers } from './answers.js';
import { Outbox } from './outbox.js';

/** What every part of the adapter shares: one connection, the JetStream API on it, and the end of it all. */
export interface Session {
  readonly nc: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** `$JS.API`, or the name under which this account imports it. */
  readonly apiPrefix: string;
  readonly inboxPrefix: string;
  /** For what is published often: appends and acknowledgements. */
  readonly outbox: Outbox;
  readonly answers: Answers;
  readonly random: () => number;
  /** Calls back after each reconnect; returns how to stop that. */
  readonly onReconnect: (listener: () => void) => () => void;
  /** Calls back with the subject of each publish that the broker has refused, which it says without an answer to anyone. */
  readonly onRefused: (listener: (subject: string, error: Error) => void) => () => void;
  /** Fires when this side closes: iterators then end without an error. */
  readonly closing: AbortSignal;
}

export const DEFAULT_API_PREFIX = '$JS.API';
const DEFAULT_INBOX_PREFIX = '_INBOX';

export interface SessionParts {
  readonly nc: NatsConnection;
  readonly apiPrefix: string | undefined;
  readonly inboxPrefix: string | undefined;
  readonly random: () => number;
  readonly closing: AbortSignal;
  readonly onReconnect: Session['onReconnect'];
  readonly onRefused: Session['onRefused'];
}

/** `checkAPI: false`, because a service has no business with the account's own numbers and may not read them. */
export async function openSession(parts: SessionParts): Promise<Session> {
  const { nc, random, closing, onReconnect, onRefused } = parts;
  const inboxPrefix = parts.inboxPrefix ?? DEFAULT_INBOX_PREFIX;
  const outbox = new Outbox();
  const answers = new Answers({ nc, outbox, inboxPrefix });
  // What was on its way may have arrived or not: nobody answers it any more.
  onReconnect(() => answers.giveUp(new Interrupted()));
  onRefused((subject, error) => answers.refused(subject, error));
  const options = { timeout: CALL_TIMEOUT_MS, ...(parts.apiPrefix === undefined ? {} : { apiPrefix: parts.apiPrefix }) };
  return {
    nc,
    js: jetstream(nc, { ...options, checkAPI: false }),
    jsm: await jetstreamManager(nc, { ...options, checkAPI: false }),
    apiPrefix: parts.apiPrefix ?? DEFAULT_API_PREFIX,
    inboxPrefix,
    outbox,
    answers,
    random,
    closing,
    onReconnect,
    onRefused,
  };
}

/** The caller's signal and the connection's own end, as one. */
export function untilEither(session: Session, signal: AbortSignal | undefined): AbortSignal {
  return signal === undefined ? session.closing : AbortSignal.any([signal, session.closing]);
}

/** A request that was on its way when the connection broke. Its answer may be lost; nobody knows whether it arrived. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/**
 * Gives up on an answer as soon as the connection is a new one, for the client itself would wait for the whole timeout.
 * Only for callers that try again: what the client had kept back and sends after the reconnect is given up on too.
 */
export function untilReconnect<T>(session: Session, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const unlisten = session.onReconnect(() => reject(new Interrupted()));
    work.then(
      (value) => {
        unlisten();
        resolve(value);
      },
      (error: Error) => {
        unlisten();
        reject(error);
      },
    );
  });
}
