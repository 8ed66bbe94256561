import { type Broker, connect, type ConnectOptions } from '@emend/log';

/** How long one append may try: the caller of a command waits ten seconds. */
const appendBoundMs = 4_000;

export interface ConnectionSettings {
  readonly natsUrl: string;
  readonly natsCredentials?: string | undefined;
  readonly stream: string;
}

export function connectBroker(
  { natsUrl, natsCredentials, stream }: ConnectionSettings,
  how: Pick<ConnectOptions, 'signal' | 'onStatus'>,
): Promise<Broker> {
  return connect({ servers: natsUrl, credentialsFile: natsCredentials, name: 'judgments', stream, appendBoundMs, ...how });
}
