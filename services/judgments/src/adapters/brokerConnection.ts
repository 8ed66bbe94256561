import { type Broker, connect } from '@emend/log';

/** How long one append may try: the caller of a command waits ten seconds. */
const appendBoundMs = 4_000;

export interface ConnectionSettings {
  readonly natsUrl: string;
  readonly natsCredentials?: string | undefined;
  readonly stream: string;
}

/** Connects, and tells of each time the connection comes or goes. */
export function connectBroker(
  { natsUrl, natsCredentials, stream }: ConnectionSettings,
  onChange: (connected: boolean) => void,
): Promise<Broker> {
  const onStatus = ({ kind }: { readonly kind: string }): void => {
    if (kind === 'disconnect' || kind === 'reconnect') onChange(kind === 'reconnect');
  };
  return connect({ servers: natsUrl, credentialsFile: natsCredentials, name: 'judgments', stream, appendBoundMs, onStatus });
}
