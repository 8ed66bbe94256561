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
  'servers' | 'name' | 'credentials' | 'credentialsFile' | 'tls' | 'inboxPrefix' | 'connectBoundMs' | 'random'
>;

/**
 * The first connection, tried until it stands or the bound has passed. From then on the client reconnects for ever:
 * its default of ten tries leaves a process that lives with a dead connection.
 */
export async function dial(options: DialOptions): Promise<NatsConnection> {
  const credentials = await readCredentials(options);
  const settings = connectionSettings(options, credentials);
  const startedMs = performance.now();
  for (let attempt = 0; ; attempt++) {
    try {
      const nc = await connectNats(settings);
      return await checked(nc);
    } catch (error) {
      if (error instanceof LogError) throw error;
      if (isRefused(error)) throw new LogError('permission_denied', 'the broker refuses these credentials', [options.name]);
      const waitMs = backoffMs(attempt, options.random ?? Math.random);
      if (options.connectBoundMs !== undefined && performance.now() - startedMs + waitMs > options.connectBoundMs) {
        throw new LogError('not_connected', `no broker answers at ${hostsOf(options.servers)}`, [hostsOf(options.servers)]);
      }
      await pause(waitMs);
    }
  }
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

async function checked(nc: NatsConnection): Promise<NatsConnection> {
  try {
    checkServerVersion(nc.info?.version ?? 'unknown');
    return nc;
  } catch (error) {
    await nc.close();
    throw error;
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof errors.AuthorizationError || error instanceof errors.UserAuthenticationExpiredError;
}

/** A URL may carry a password. */
function hostsOf(servers: string): string {
  return servers.replaceAll(/[^,@/]*@/g, '');
}
