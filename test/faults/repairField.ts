import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Producer } from '@emend/client';
import { findHome, ingest, startShippedStack } from '@emend/cli';
import { type Broker, connect } from '@emend/log';
import { startTestServer, type TestServer } from '@emend/log/server';
import { expect } from 'vitest';
import { type CountingProvider, countingProvider } from './countingProvider.js';
import { fieldLine, fieldProducer, mayBeRepaired, observationOf, sourceEventId } from './field.js';
import { ackWaitSeconds, Herd, impatientDefinitions } from './herd.js';
import { RequestWatch } from './requestWatch.js';
import { UnkindWire } from './unkindWire.js';

const home = findHome(process.env, import.meta.dirname);
const replicas = ['repair-agent/1', 'repair-agent/2'];
const heartbeatMs = 500;
/** Requests in hand at once in each replica. */
export const slots = 3;
export const inHandMax = slots * replicas.length;
const unkindness = { loseAckEvery: 15, loseAnswerEvery: 60, holdClaimEvery: 50, holdMs: (ackWaitSeconds + 1) * 1_000 };

/** Failed runs that wait for their repair, two replicas that are not started yet, and everything between them. */
export interface RepairField {
  readonly dataDir: string;
  readonly provider: CountingProvider;
  readonly server: TestServer;
  readonly broker: Broker;
  readonly watch: RequestWatch;
  /** Each replica by its own way to the broker. */
  readonly wires: ReadonlyMap<string, UnkindWire>;
  readonly herd: Herd;
  close(): Promise<void>;
}

export async function openRepairField(requests: number, random: () => number): Promise<RepairField> {
  // Half of all answers may be repaired.
  const numbers = Array.from({ length: requests * 2 }, (_, number) => number).filter(mayBeRepaired);
  const provider = await countingProvider({ answer: answerOf(numbers), tookMs: () => 100 + random() * 400 });
  const server = await startTestServer();
  const dataDir = await mkdtemp(join(tmpdir(), 'emend-faults-'));
  const env = { ...process.env, EMEND_NATS_URL: server.url };
  const stack = await startShippedStack({
    env,
    dataDir,
    declarations: [join(import.meta.dirname, 'declarations')],
    services: ['coordinator'],
    definitions: await impatientDefinitions(home),
    say: () => {},
  });
  const broker = await connect({ servers: server.url, name: 'faults', stream: 'THOUGHT' });
  const watch = new RequestWatch(broker.log);
  const wires = new Map<string, UnkindWire>();
  for (const replica of replicas) wires.set(replica, await UnkindWire.open({ ...unkindness, upstream: server.url }));
  const herd = new Herd({ home, dataDir, env, url: server.url, settings: settingsOf(wires, provider.url) });
  await ingestAll(broker, numbers);
  await watch.until((fold) => fold.requests.size === requests);
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

function settingsOf(wires: ReadonlyMap<string, UnkindWire>, endpoint: string): Readonly<Record<string, NodeJS.ProcessEnv>> {
  const agent = {
    EMEND_REPAIR_ENABLED: 'true',
    THOUGHTSTREAM_TINKER_ESCALATION_MODEL: 'large',
    EMEND_REPAIR_ENDPOINT: endpoint,
    EMEND_REPAIR_SLOTS: String(slots),
    EMEND_REPAIR_HEARTBEAT_MS: String(heartbeatMs),
  };
  return Object.fromEntries([...wires].map(([replica, wire]) => [replica, { ...agent, EMEND_NATS_URL: wire.url }]));
}

/** A valid observation of the source that the prompt names. */
function answerOf(numbers: readonly number[]): (prompt: string) => string {
  const numberOf = new Map(numbers.map((number) => [sourceEventId(number), number]));
  return (prompt) => {
    const number = numberOf.get(/Source ([A-Za-z0-9_-]+):/.exec(prompt)?.[1] ?? '');
    return number === undefined ? 'no such source' : JSON.stringify(observationOf(number, 'repaired'));
  };
}

async function ingestAll(broker: Broker, numbers: readonly number[]): Promise<void> {
  async function* lines() {
    for (const number of numbers) yield fieldLine(number);
  }
  const report = await ingest({
    producer: new Producer({ log: broker.log, producer: fieldProducer, now: () => 0 }),
    lines: lines(),
    agent: 'field.observer@1',
    privacy: 'public',
    sourceClass: 'public-source',
    onBroken: () => {},
  });
  expect(report.broken).toBe(0);
}
