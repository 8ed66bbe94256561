import { type Broker, connect } from '@emend/log';
import { commonConfig, loadConfig } from '@emend/runtime';

const { natsUrl, natsCredentials, stream } = commonConfig;

/** How long a command waits for a broker before it says that there is none, in milliseconds. */
const connectBoundMs = 10_000;

/** Gives a connection with the caller's own credentials to the work and closes it afterwards, whatever happens. */
export async function withBroker<Result>(env: NodeJS.ProcessEnv, work: (broker: Broker) => Promise<Result>): Promise<Result> {
  const config = loadConfig({ natsUrl, natsCredentials, stream }, env);
  const broker = await connect({
    servers: config.natsUrl,
    credentialsFile: config.natsCredentials,
    stream: config.stream,
    name: 'transcripts-command',
    connectBoundMs,
  });
  try {
    return await work(broker);
  } finally {
    await broker.close();
  }
}
