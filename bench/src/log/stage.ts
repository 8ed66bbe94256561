import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JetStreamClient, type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect as dial, type NatsConnection } from '@nats-io/transport-node';
import { type Broker, bootstrap, connect, type Definitions, parseDefinitions } from '@emend/log';
import { startTestServer } from '@emend/log/server';

/** A real server of its own, our door to it, and the bare client beside it. */
export interface Stage {
  readonly url: string;
  readonly broker: Broker;
  readonly bare: { readonly nc: NatsConnection; readonly js: JetStreamClient; readonly jsm: JetStreamManager };
  readonly close: () => Promise<void>;
}

/** Durables of the benches: one per side and round would share nothing, so each round makes its own. */
export const benchAckPending = 4_096;

export async function openStage(root: string): Promise<Stage> {
  const server = await startTestServer();
  await bootstrap({ servers: server.url, definitions: await definitionsOf(root) });
  const broker = await connect({ servers: server.url, name: 'bench', stream: 'THOUGHT' });
  // The bare client with the one setting that makes it fast; without it the bars would be lower.
  const nc = await dial({ servers: server.url, noAsyncTraces: true });
  return {
    url: server.url,
    broker,
    bare: { nc, js: jetstream(nc), jsm: await jetstreamManager(nc) },
    close: async () => {
      await broker.close();
      await nc.close();
      await server.remove();
    },
  };
}

async function definitionsOf(root: string): Promise<Definitions> {
  return parseDefinitions(JSON.parse(await readFile(join(root, 'deploy', 'jetstream.json'), 'utf8')));
}

/** Keeps `width` promises in flight. */
export async function inFlight<Item>(items: readonly Item[], width: number, work: (item: Item) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < items.length) {
      const item = items[next] as Item;
      next += 1;
      await work(item);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
}
