import { type Broker, connect, type ConnectOptions } from '@emend/log';

export interface ConnectionSettings {
  readonly natsUrl: string;
  readonly natsCredentials?: string | undefined;
  readonly stream: string;
}

/** How long a command waits for the broker; the service waits for as long as it takes. */
export const COMMAND_CONNECT_MS = 10_000;

/** @throws LogError `credentials_unreadable`; `not_connected` within a bound */
export function connectBroker(
  { natsUrl, natsCredentials, stream }: ConnectionSettings,
  as: Pick<ConnectOptions, 'name' | 'connectBoundMs' | 'signal' | 'onStatus'>,
): Promise<Broker> {
  return connect({ servers: natsUrl, credentialsFile: natsCredentials, stream, ...as });
}
