import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { bootstrap, type Broker, connect, parseDefinitions } from '@emend/log';
import { startTestServer } from '@emend/log/server';

const root = path.resolve(import.meta.dirname, '..', '..');
const read = (...parts: readonly string[]): string => readFileSync(path.join(root, 'deploy', ...parts), 'utf8');

/** A real broker with deploy/nats/accounts.conf and deploy/jetstream.json as they ship, and keys of its own. */
export interface AccountBroker {
  readonly url: string;
  /** A folder that goes away with the broker. */
  readonly folder: string;
  credentialsFile(user: string): string;
  credentials(user: string): { readonly kind: 'creds'; readonly text: string };
  connectAs(user: string): Promise<Broker>;
  remove(): Promise<void>;
}

export async function startAccountBroker(): Promise<AccountBroker> {
  const folder = mkdtempSync(path.join(tmpdir(), 'emend-accounts-'));
  const keys = path.join(folder, 'keys');
  execFileSync(process.execPath, [path.join(root, 'scripts', 'dockerKeys.mjs'), keys], { stdio: 'ignore' });
  for (const line of readFileSync(path.join(keys, 'nkeys.env'), 'utf8').trim().split('\n')) {
    const [name = '', key] = line.split('=');
    process.env[name] = key;
  }
  const server = await startTestServer({ config: read('nats', 'accounts.conf') });
  const credentialsFile = (user: string): string => path.join(keys, `${user}.creds`);
  const credentials = (user: string) => ({ kind: 'creds', text: readFileSync(credentialsFile(user), 'utf8') }) as const;
  const definitions = parseDefinitions(JSON.parse(read('jetstream.json')));
  await bootstrap({ servers: server.url, credentials: credentials('bootstrap'), definitions });
  return {
    url: server.url,
    folder,
    credentialsFile,
    credentials,
    connectAs: (user) =>
      connect({ servers: server.url, name: user, stream: 'THOUGHT', credentials: credentials(user), appendBoundMs: 500 }),
    remove: async () => {
      await server.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
