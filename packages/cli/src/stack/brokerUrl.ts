import { existsSync, readFileSync } from 'node:fs';
import { type Broker, connect } from '@emend/log';
import { urlFile } from './stack.js';

/** The first connection of a command may take this long before it says that nobody is there. */
const connectBoundMs = 5_000;

export const dataDirOf = (env: NodeJS.ProcessEnv): string => env['EMEND_DATA'] ?? '.emend';

/** EMEND_NATS_URL, else the broker of the stack that runs in this folder, else the usual port. */
export function brokerUrl(env: NodeJS.ProcessEnv): string {
  const file = urlFile(dataDirOf(env));
  return env['EMEND_NATS_URL'] ?? (existsSync(file) ? readFileSync(file, 'utf8').trim() : 'nats://127.0.0.1:4222');
}

export const openBroker = (env: NodeJS.ProcessEnv): Promise<Broker> =>
  connect({
    servers: brokerUrl(env),
    credentialsFile: env['EMEND_NATS_CREDENTIALS'],
    name: 'emend',
    stream: env['EMEND_STREAM'] ?? 'THOUGHT',
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
