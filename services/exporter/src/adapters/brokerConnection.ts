import { readFile } from 'node:fs/promises';
import { type Broker, connect, type ConnectOptions } from '@emend/log';
import { RefusedToStart } from '@emend/runtime';
import type { ExporterErrorCode } from '../errors.js';

export interface ConnectionSettings {
  readonly natsUrl: string;
  readonly natsCredentials?: string | undefined;
  readonly stream: string;
}

/** How long a command waits for the broker; the service waits for as long as it takes. */
export const COMMAND_CONNECT_MS = 10_000;

/** @throws RefusedToStart `credentials_unreadable`; LogError `not_connected` within a bound */
export async function connectBroker(settings: ConnectionSettings, as: Pick<ConnectOptions, 'name' | 'connectBoundMs'>): Promise<Broker> {
  const base = { servers: settings.natsUrl, stream: settings.stream, ...as };
  if (settings.natsCredentials === undefined) return connect(base);
  const text = await readFile(settings.natsCredentials, 'utf8').catch(() => {
    throw new RefusedToStart('credentials_unreadable' satisfies ExporterErrorCode);
  });
  return connect({ ...base, credentials: { kind: 'creds', text } });
}
