import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Broker, connect } from '@emend/log';
import { CliError } from '../errors.js';

/** The first connection of a command may take this long before it says that nobody is there. */
export const connectBoundMs = 5_000;

/** Where commands find the broker of the stack that runs here. */
export const urlFile = (dataDir: string): string => join(dataDir, 'nats-url');

export const dataDirOf = (env: NodeJS.ProcessEnv): string => env['EMEND_DATA'] || '.emend';

/** EMEND_NATS_URL, else the broker of the stack that runs in this folder, else the usual port. @throws CliError `url_holds_password` */
export function brokerUrl(env: NodeJS.ProcessEnv): string {
  const file = urlFile(dataDirOf(env));
  const url = env['EMEND_NATS_URL'] || (existsSync(file) ? readFileSync(file, 'utf8').trim() : 'nats://127.0.0.1:4222');
  return withoutPassword(url);
}

/** A password in a URL ends up on screens and in files. */
export function withoutPassword(url: string): string {
  for (const one of url.split(',')) {
    if (URL.canParse(one) && (new URL(one).username !== '' || new URL(one).password !== '')) {
      throw new CliError('url_holds_password', 'EMEND_NATS_URL', 'a URL without credentials, and EMEND_NATS_CREDENTIALS');
    }
  }
  return url;
}

export const credentialsFileOf = (env: NodeJS.ProcessEnv): string | undefined => env['EMEND_NATS_CREDENTIALS'] || undefined;

export const openBroker = (env: NodeJS.ProcessEnv): Promise<Broker> =>
  connect({
    servers: brokerUrl(env),
    credentialsFile: credentialsFileOf(env),
    name: 'emend',
    stream: env['EMEND_STREAM'] || 'THOUGHT',
    connectBoundMs,
  });

/** Gives a connection to the work and closes it afterwards, whatever happens. */
export async function withBroker<Result>(env: NodeJS.ProcessEnv, work: (broker: Broker) => Promise<Result>): Promise<Result> {
  const broker = await openBroker(env);
  try {
    return await work(broker);
  } finally {
    await broker.close();
  }
}
