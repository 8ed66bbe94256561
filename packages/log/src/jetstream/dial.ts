import { connect as connectNats, errors, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { backoffMs, pause } from '../backoff.js';
import type { ConnectOptions, Credentials } from '../broker.js';
import { LogError } from '../errors.js';
import { CALL_TIMEOUT_MS } from '../limits.js';
import { checkServerVersion } from '../serverVersion.js';
import { authenticatorOf, readCredentials } from './credentials.js';

const PING_INTERVAL_MS = 10_000;
const PINGS_UNANSWERED_MAX = 2;
const RECONNECT_WAIT_MS = 250;

export type DialOptions = Pick<
  ConnectOptions,
  | 'servers'
  | 'name'
  | 'credentials'
  | 'credentialsFile'
  | 'tls'
  | 'inboxPrefix'
  | 'apiPrefix'
  | 'connectBoundMs'
  | 'random'
  | 'signal'
  | 'onStatus'
>;

/**
 * The first connection, tried until it stands, the bound has passed or the signal fires. From then on the client
 * reconnects for ever: its default of ten tries leaves a process that lives with a dead connection.
 */
export async function dial(options: DialOptions): Promise<NatsConnection> {
  const credentials = await readCredentials(options);
  const settings = connectionSettings(options, credentials);
  const startedMs = performance.now();
  for (let attempt = 0; ; attempt++) {
    try {
      const nc = await attemptUntil(options, () => connectNats(settings));
      return await checked(nc, options);
    } catch (error) {
      if (error instanceof LogError) throw error;
      if (isRefused(error)) throw new LogError('permission_denied', 'the broker refuses these credentials', [options.name]);
      const waitMs = backoffMs(attempt, options.random ?? Math.random);
      if (options.connectBoundMs !== undefined && performance.now() - startedMs + waitMs > options.connectBoundMs) {
        throw new LogError('not_connected', `no broker answers at ${hostsOf(options.servers)}`, [hostsOf(options.servers)]);
      }
      // Once: whoever wants to hear it again has a clock.
      if (attempt === 0) options.onStatus?.({ kind: 'waiting' });
      await pause(waitMs, options.signal);
    }
  }
}

/** One try, not waited for any more once the signal fires; what it may still bring is closed. */
function attemptUntil({ signal, servers }: DialOptions, attempt: () => Promise<NatsConnection>): Promise<NatsConnection> {
  const stopped = (): LogError =>
    new LogError('not_connected', `stopped before a broker answered at ${hostsOf(servers)}`, [hostsOf(servers)]);
  if (signal === undefined) return attempt();
  if (signal.aborted) return Promise.reject(stopped());
  const trying = attempt();
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      reject(stopped());
      trying.then((nc) => nc.close()).catch(() => undefined);
    };
    signal.addEventListener('abort', stop, { once: true });
    trying.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function connectionSettings(options: DialOptions, credentials: Credentials | undefined): NodeConnectionOptions {
  return {
    servers: options.servers.split(',').map((server) => server.trim()),
    name: options.name,
    timeout: CALL_TIMEOUT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_WAIT_MS,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: PINGS_UNANSWERED_MAX,
    // Stack traces per request cost a third of the append rate and name nothing of ours.
    noAsyncTraces: true,
    ...(options.inboxPrefix === undefined ? {} : { inboxPrefix: options.inboxPrefix }),
    ...(credentials === undefined ? {} : { authenticator: authenticatorOf(credentials) }),
    ...(options.tls === undefined ? {} : { tls: options.tls }),
  };
}

async function checked(nc: NatsConnection, options: DialOptions): Promise<NatsConnection> {
  try {
    checkServerVersion(nc.info?.version ?? 'unknown');
    await requireJetStream(nc, options.apiPrefix);
    return nc;
  } catch (error) {
    await nc.close();
    throw error;
  }
}

/**
 * A server without JetStream of its own may stand before one that has it (a leaf node, a part of a cluster): what counts
 * is that nobody answers. Any other answer, a refusal too, is somebody. Under another prefix the answer is always elsewhere.
 */
async function requireJetStream(nc: NatsConnection, apiPrefix: string | undefined): Promise<void> {
  if (nc.info?.jetstream === true || apiPrefix !== undefined) return;
  const isAbsent = await nc.request('$JS.API.INFO', undefined, { timeout: CALL_TIMEOUT_MS }).then(
    () => false,
    (error: unknown) => isNobodyThere(error),
  );
  if (isAbsent) throw new LogError('jetstream_missing', 'this server has no JetStream: start it with -js');
}

function isNobodyThere(error: unknown): boolean {
  return error instanceof errors.NoRespondersError || (error instanceof Error && error.cause instanceof errors.NoRespondersError);
}

function isRefused(error: unknown): boolean {
  return error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError;
}

/** A URL may carry a password. */
function hostsOf(servers: string): string {
  return servers.replaceAll(/[^,@/]*@/g, '');
}
