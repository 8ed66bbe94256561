import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Producer } from '@emend/client';
import { findHome, ingest, startShippedStack } from '@emend/cli';
import { placeOf, readEvent } from '@emend/contracts';
import { type Broker, connect, LogError, type StoredEvent } from '@emend/log';
import { startTestServer, type TestServer } from '@emend/log/server';
import { expect, it } from 'vitest';
import { countingProvider } from './countingProvider.js';
import { fieldLine, fieldProducer, mayBeRepaired, observationOf, sourceEventId } from './field.js';
import { ackWaitSeconds, Herd, impatientDefinitions, seeded } from './herd.js';

const home = findHome(process.env, import.meta.dirname);
const numbers = Array.from({ length: 160 }, (_, number) => number).filter(mayBeRepaired);
const replicas = ['repair-agent/1', 'repair-agent/2'];
const disturbEveryMs = 1_000;
const inFlightMs = 100;
/** A process stands still for longer than the ack wait, so that its message goes to the other one. */
const stallMs = (ackWaitSeconds + 1) * 1_000;

it('one settlement and at most one call per request, under kill -9, stalls past the ack wait, and broker restarts', async () => {
  const seed = Number(process.env['EMEND_FAULT_SEED'] ?? Math.floor(Math.random() * 1e9));
  console.info(`seed ${seed} (EMEND_FAULT_SEED repeats it)`);
  const random = seeded(seed);
  const provider = await countingProvider({ answer: answerTo, tookMs: () => 300 + random() * 900 });
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
  const agent = {
    EMEND_REPAIR_ENABLED: 'true',
    THOUGHTSTREAM_TINKER_ESCALATION_MODEL: 'large',
    EMEND_REPAIR_ENDPOINT: provider.url,
    EMEND_REPAIR_SLOTS: '1',
    EMEND_REPAIR_HEARTBEAT_MS: '500',
  };
  const herd = new Herd({ home, dataDir, env, url: server.url, settings: Object.fromEntries(replicas.map((replica) => [replica, agent])) });
  try {
    await herd.start(...replicas);
    await ingestAll(broker);
    const openAtFaults = await disturbUntilSettled({ herd, server, broker, random });
    const places = await placesOf(broker);

    expect(places.requests.size).toBe(numbers.length);
    expect([...places.settlements.keys()].sort()).toEqual([...places.requests].sort());
    expect(Math.max(...provider.calls.values())).toBe(1);
    expect(provider.total()).toBeLessThanOrEqual(numbers.length);
    const abandoned = [...places.settlements].filter(([, kind]) => kind === 'abandoned').map(([key]) => key);
    expect(abandoned.filter((key) => !openAtFaults.has(key))).toEqual([]);
    console.info(`${places.settlements.size} settled, ${abandoned.length} abandoned, ${provider.total()} calls`);
  } finally {
    await herd.stop();
    await broker.close();
    await stack.stop();
    await provider.close();
    await server.remove();
    await rm(dataDir, { recursive: true, force: true });
  }
}, 300_000);

/** A valid observation of the source that the prompt names. */
function answerTo(prompt: string): string {
  const number = numbers.find((one) => prompt.includes(`Source ${sourceEventId(one)}:`));
  return number === undefined ? 'no such source' : JSON.stringify(observationOf(number, 'repaired'));
}

async function ingestAll(broker: Broker): Promise<void> {
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

interface Disturbed {
  readonly herd: Herd;
  readonly server: TestServer;
  readonly broker: Broker;
  readonly random: () => number;
}

/** A fault a second until every request is settled. Returns the requests whose claim stood, unsettled, while a fault lasted. */
async function disturbUntilSettled({ herd, server, broker, random }: Disturbed): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  for (let fault = 0; ; fault += 1) {
    const { requests, settlements: settledBefore } = await placesOf(broker);
    if (requests.size === numbers.length && settledBefore.size === requests.size) break;
    const replica = replicas[Math.floor(random() * replicas.length)] ?? '';
    if (fault % 5 === 3) {
      herd.signal(replica, 'SIGSTOP');
      await pause(stallMs);
      herd.signal(replica, 'SIGCONT');
      // It wakes with messages that were given to the other one meanwhile, and finds claims of one that is alive.
      await pause(disturbEveryMs);
    } else if (fault % 7 === 5) {
      await server.kill9();
      await server.restart();
      // A broker that comes back delivers again what it had delivered, also to a replica whose other half is alive and claims now.
      await pause(ackWaitSeconds * 1_000);
    } else {
      await herd.kill9(replica);
      // What it had written may still be on its way to the broker.
      await pause(inFlightMs);
    }
    for (const key of (await placesOf(broker)).claims) if (!settledBefore.has(key)) open.add(key);
    await pause(disturbEveryMs - inFlightMs);
  }
  await herd.ready();
  return open;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

interface Places {
  /** `<run>.<policy>` of each. */
  readonly requests: ReadonlySet<string>;
  readonly claims: ReadonlySet<string>;
  readonly settlements: ReadonlyMap<string, string>;
}

/** A broker that was just killed does not answer at once: asked until it does. */
async function placesOf(broker: Broker): Promise<Places> {
  for (;;) {
    const places = await readPlaces(broker).catch((error: unknown) => {
      if (error instanceof LogError) return null;
      throw error;
    });
    if (places !== null) return places;
  }
}

async function readPlaces(broker: Broker): Promise<Places> {
  const requests = new Set<string>();
  const claims = new Set<string>();
  const settlements = new Map<string, string>();
  for await (const stored of broker.log.read({ from: 1, to: await broker.log.lastSequence() })) {
    const place = placeOf(stored.subject);
    const key = place?.key.join('.') ?? '';
    if (place?.place === 'repairRequested') requests.add(key);
    if (place?.place === 'repairStarted') claims.add(key);
    if (place?.place === 'correction') settlements.set(key, settlementOf(stored));
  }
  return { requests, claims, settlements };
}

function settlementOf(stored: StoredEvent): string {
  const read = readEvent(stored);
  if (read.kind !== 'event') return read.kind;
  return read.event.name === 'runFailed' ? read.event.data.diagnostic.class : 'proposed';
}
