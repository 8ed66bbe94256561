import { readFile } from 'node:fs/promises';
import { type Broker, connect } from '@emend/log';
import { RefusedToStart } from '@emend/runtime';

/** How long one append may try: the caller of a command waits ten seconds. */
const appendBoundMs = 4_000;

export interface ConnectionSettings {
  readonly natsUrl: string;
  readonly natsCredentials?: string | undefined;
  readonly stream: string;
}

/** @throws RefusedToStart `credentials_unreadable` */
export async function connectBroker(
  { natsUrl, natsCredentials, stream }: ConnectionSettings,
  onChange: (connected: boolean) => void,
): Promise<Broker> {
  const onStatus = ({ kind }: { readonly kind: string }): void => {
    if (kind === 'disconnect' || kind === 'reconnect') onChange(kind === 'reconnect');
  };
  const base = { servers: natsUrl, name: 'judgments', stream, appendBoundMs, onStatus };
  if (natsCredentials === undefined) return connect(base);
  const text = await readFile(natsCredentials, 'utf8').catch(() => {
    throw new RefusedToStart('credentials_unreadable');
  });
  return connect({ ...base, credentials: { kind: 'creds', text } });
}
