import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findHome, type ServiceName, startShippedStack } from '@emend/cli';
import { type Broker, connect } from '@emend/log';
import { startTestServer, type TestServer } from '@emend/log/server';
import { type CountingProvider, countingProvider, type ProviderOptions } from './countingProvider.js';
import { ackWaitSeconds, Herd, impatientDefinitions } from './herd.js';
import { type LogFold, LogWatch } from './logWatch.js';
import { UnkindWire, type WireOptions } from './unkindWire.js';

const home = findHome(process.env, import.meta.dirname);

/** How a wire is unkind to whoever uses it, wherever its claims and ends stand. */
const unkindness = { loseAckEvery: 15, loseAnswerEvery: 60, holdClaimEvery: 50, holdMs: (ackWaitSeconds + 1) * 1_000 };

export interface GroundOptions<Fold extends LogFold> {
  readonly provider: ProviderOptions;
  readonly fold: Fold;
  /** Services that run undisturbed beside the herd. */
  readonly services: readonly ServiceName[];
  /** Members of the herd, which nobody has started yet. */
  readonly replicas: readonly string[];
  readonly places: Pick<WireOptions, 'claims' | 'ends'>;
  /** The settings of one replica, beside its way to the broker. */
  readonly settings: (replica: string, on: { readonly dataDir: string; readonly endpoint: string }) => Promise<NodeJS.ProcessEnv>;
}

/** What a suite of faults stands on: a real log, a provider that counts, replicas as processes, and a wire before each of them. */
export interface Ground<Fold extends LogFold> {
  readonly dataDir: string;
  readonly provider: CountingProvider;
  readonly server: TestServer;
  readonly broker: Broker;
  readonly watch: LogWatch<Fold>;
  /** Each replica by its own way to the broker. */
  readonly wires: ReadonlyMap<string, UnkindWire>;
  readonly herd: Herd;
  close(): Promise<void>;
}

export async function openGround<Fold extends LogFold>(options: GroundOptions<Fold>): Promise<Ground<Fold>> {
  const provider = await countingProvider(options.provider);
  const server = await startTestServer();
  const dataDir = await mkdtemp(join(tmpdir(), 'emend-faults-'));
  const env = { ...process.env, EMEND_NATS_URL: server.url };
  const stack = await startShippedStack({
    env,
    dataDir,
    declarations: [join(import.meta.dirname, 'declarations')],
    services: options.services,
    definitions: await impatientDefinitions(home),
    say: () => {},
  });
  const broker = await connect({ servers: server.url, name: 'faults', stream: 'THOUGHT' });
  const watch = new LogWatch(broker.log, options.fold);
  const wires = new Map<string, UnkindWire>();
  const settings: Record<string, NodeJS.ProcessEnv> = {};
  for (const replica of options.replicas) {
    const wire = await UnkindWire.open({ ...unkindness, ...options.places, upstream: server.url });
    wires.set(replica, wire);
    settings[replica] = { ...(await options.settings(replica, { dataDir, endpoint: provider.url })), EMEND_NATS_URL: wire.url };
  }
  const herd = new Herd({ home, dataDir, env, url: server.url, settings });
  const close = async (): Promise<void> => {
    await herd.stop();
    for (const wire of wires.values()) await wire.close();
    await watch.stop();
    await broker.close();
    await stack.stop();
    await provider.close();
    await server.remove();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { dataDir, provider, server, broker, watch, wires, herd, close };
}
