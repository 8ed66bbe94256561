import { setMaxListeners } from 'node:events';
import { errors, type NatsConnection } from '@nats-io/transport-node';
import { judgeAnswer } from '../append/judgeAnswer.js';
import type { Broker, ConnectOptions } from '../broker.js';
import { LogError } from '../errors.js';
import { APPEND_BOUND_MS, CALL_TIMEOUT_MS } from '../limits.js';
import { followSubject, requestReply, serveRequests } from './coreMessaging.js';
import { dial } from './dial.js';
import { toLogError } from './faults.js';
import { jetstreamLog } from './jetstreamLog.js';
import { jetstreamObjects } from './jetstreamObjects.js';
import { jetstreamView } from './jetstreamView.js';
import { proveWrite } from './proveWrite.js';
import { openSession, type Session } from './session.js';

/**
 * Connects to a broker. Throws `not_connected` (only with `connectBoundMs` or `signal`), `permission_denied`,
 * `credentials_invalid`, `credentials_unreadable`, `server_unsupported` or `jetstream_missing`. Later disconnects heal by themselves; `closed` settles when nothing will heal any more.
 */
export async function connect(options: ConnectOptions): Promise<Broker> {
  const nc = await dial(options);
  const end = new AbortController();
  // One listener per append that waits and per open iterator: many are no leak here.
  setMaxListeners(0, end.signal);
  const reconnects = new Set<() => void>();
  const refusals = new Set<(subject: string, error: Error) => void>();
  void reportStatus(nc, { reconnects, refusals }, options.onStatus);
  const session = await openSession({
    nc,
    apiPrefix: options.apiPrefix,
    inboxPrefix: options.inboxPrefix,
    random: options.random ?? Math.random,
    closing: end.signal,
    onReconnect: (listener) => listenIn(reconnects, listener),
    onRefused: (listener) => listenIn(refusals, listener),
  });
  return brokerOn(session, end, options);
}

function brokerOn(session: Session, end: AbortController, options: ConnectOptions): Broker {
  const { nc } = session;
  let closing: Promise<void> | null = null;
  return {
    log: jetstreamLog(session, options.stream, options.appendBoundMs ?? APPEND_BOUND_MS),
    get serverVersion() {
      return nc.info?.version ?? 'unknown';
    },
    view: (bucket) => jetstreamView(session, bucket),
    objects: (bucket) => jetstreamObjects(session, bucket),
    store: (subject, bytes) => store(session, subject, bytes),
    follow: (subject, signal) => followSubject(session, subject, signal),
    serve: (subject, serveOptions) => serveRequests(session, subject, serveOptions),
    request: (subject, bytes, timeoutMs) => requestReply(session, subject, bytes, timeoutMs),
    proveWrite: (subjects) => proveWrite(session, subjects),
    // The client's error may name hosts and texts; that it ended is all there is to know here.
    closed: nc.closed().then(() => undefined),
    close: () => (closing ??= drain(session, end)),
  };
}

async function store(session: Session, subject: string, bytes: Uint8Array): Promise<void> {
  let body: string;
  try {
    body = (await session.nc.request(subject, bytes, { timeout: CALL_TIMEOUT_MS })).string();
  } catch (error) {
    throw toLogError(error, subject);
  }
  const answer = judgeAnswer(body);
  if (answer.kind === 'stored') return;
  const code = answer.kind === 'permanent' ? answer.code : answer.kind === 'ambiguous' ? 'timeout' : 'broker_refused';
  throw new LogError(code, `not stored: ${answer.kind}`, [subject]);
}

/**
 * Iterators first: a drain waits for what is in flight, and would wait for them. It ends with a flush, so that the broker
 * has every acknowledgement that was given. A dead connection cannot drain.
 */
async function drain({ nc, outbox }: Session, end: AbortController): Promise<void> {
  end.abort();
  if (nc.isClosed()) return;
  outbox.flush();
  const drained = nc.drain().catch(() => nc.close());
  let timer: NodeJS.Timeout | undefined;
  const bound = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, CALL_TIMEOUT_MS);
  });
  await Promise.race([drained, bound]);
  clearTimeout(timer);
  if (!nc.isClosed()) await nc.close();
}

interface Listeners {
  readonly reconnects: ReadonlySet<() => void>;
  readonly refusals: ReadonlySet<(subject: string, error: Error) => void>;
}

function listenIn<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function reportStatus(nc: NatsConnection, { reconnects, refusals }: Listeners, tell: ConnectOptions['onStatus']): Promise<void> {
  for await (const status of nc.status()) {
    if (status.type === 'reconnect') for (const listener of reconnects) listener();
    if (status.type === 'error' && status.error instanceof errors.PermissionViolationError && status.error.operation === 'publish') {
      for (const listener of refusals) listener(status.error.subject, status.error);
    }
    tell?.({ kind: status.type });
  }
}
