import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Producer } from '@emend/client';
import { type EventName, type EventOf, readEvent, type ThoughtEvent } from '@emend/contracts';
import { type Broker, bootstrap, connect, type StoredEvent } from '@emend/log';
import { startTestServer } from '@emend/log/server';
import { declareAll, reached, smallDefinitions } from '../journeys/canaryStage.js';
import { type LifeOf, type LivingServices, startServices } from '../journeys/livingServices.js';
import { modelOf, type RingProvider, ringProvider, type Told } from './ringProvider.js';
import { captureOf, producer } from './stories.js';

/** The declaration that the runner answers by. */
const agent = 'example.observer@1';

export interface Note extends Told {
  readonly text: string;
}

export interface RingsOptions {
  /** Tiers whose provider refuses every connection, so that a call waits for it. */
  readonly unreachable?: readonly ('small' | 'escalation')[];
  readonly settings?: Readonly<Record<string, string>>;
  /** That of other rings, which close it. */
  readonly provider?: RingProvider;
}

/** Rings 1 and 3 on one real log: the services of this process, and a provider that is the only fake. */
export interface Rings {
  /** Where the broker is. */
  readonly url: string;
  readonly broker: Broker;
  readonly provider: RingProvider;
  readonly producer: Producer;
  readonly folder: string;
  /** Starts services beside those that run; what they share is their settings. */
  start(...lives: readonly LifeOf[]): Promise<LivingServices>;
  /** Writes the n-th note. */
  capture(note: number): Promise<void>;
  events(): Promise<readonly ThoughtEvent[]>;
  /** Events of one type that the log holds now, in order. */
  all<Name extends EventName>(name: Name): Promise<readonly EventOf<Name>[]>;
  /** What the run trace holds now, in order. */
  traced(): Promise<readonly StoredEvent[]>;
  close(): Promise<void>;
}

export async function openRings(notes: readonly Note[], options: RingsOptions = {}): Promise<Rings> {
  const server = await startTestServer();
  await bootstrap({ servers: server.url, definitions: smallDefinitions() });
  const broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
  const trace = await connect({ servers: server.url, name: 'trace', stream: 'TRACE' });
  const provider = options.provider ?? (await ringProvider(notes));
  const folder = mkdtempSync(path.join(tmpdir(), 'emend-invariants-'));
  const env = settingsOf({ url: server.url, folder, provider, nowhere: await closedAddress() }, options);
  const door = new Producer({ log: broker.log, producer });
  await declareAll(door);
  const living: LivingServices[] = [];
  const events = async () => (await storedIn(broker)).flatMap(eventIn);
  return {
    url: server.url,
    broker,
    provider,
    producer: door,
    folder,
    events,
    start: async (...lives) => {
      const started = await startServices(env, lives);
      living.push(started);
      return started;
    },
    capture: async (note) => {
      const text = notes[note]?.text ?? '';
      await door.capture({ kind: 'note', capture: captureOf(note), text, privacy: 'public', sourceClass: 'public-source' });
    },
    // The name says which type of event it is.
    all: async <Name extends EventName>(name: Name) => (await events()).filter((event) => event.name === name) as EventOf<Name>[],
    traced: () => storedIn(trace),
    close: async () => {
      await Promise.all(living.map((services) => services.stop()));
      await Promise.all([broker.close(), trace.close(), ...(options.provider === undefined ? [provider.close()] : [])]);
      await server.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Ground {
  readonly url: string;
  readonly folder: string;
  readonly provider: RingProvider;
  readonly nowhere: string;
}

function settingsOf({ url, folder, provider, nowhere }: Ground, { unreachable = [], settings = {} }: RingsOptions) {
  const tier = (name: 'small' | 'escalation', model: string) => ({
    provider: 'local',
    baseUrl: unreachable.includes(name) ? nowhere : provider.url,
    model,
  });
  const catalogue = path.join(folder, 'catalogue.yaml');
  // What YAML calls a flow mapping is JSON.
  const tiers = { small: tier('small', modelOf.primary), escalation: tier('escalation', 'mapped') };
  writeFileSync(catalogue, JSON.stringify({ generation: 1, tiers }));
  return {
    EMEND_NATS_URL: url,
    EMEND_MODEL_CATALOGUE_FILE: catalogue,
    EMEND_RUNNER_AGENTS: agent,
    EMEND_RUNNER_OUTPUT_REPAIR_MODEL: modelOf.overseer,
    EMEND_RUNNER_SLOTS: '2',
    EMEND_REPAIR_ENABLED: 'true',
    THOUGHTSTREAM_TINKER_ESCALATION_MODEL: modelOf.repair,
    EMEND_PROJECTOR_FILE: path.join(folder, 'projector.db'),
    EMEND_EXPORTER_FILE: path.join(folder, 'exporter.sqlite'),
    EMEND_EXPORT_DIR: path.join(folder, 'export'),
    EMEND_EXPORT_INTERVAL_MS: '100',
    ...settings,
  };
}

/** An address that refuses every connection: whoever listened there has gone. */
async function closedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
}

/** Everything that a stream holds now, in order. */
export async function storedIn({ log }: Broker): Promise<readonly StoredEvent[]> {
  const stored: StoredEvent[] = [];
  for await (const event of log.read({ from: 1, to: await log.lastSequence() })) stored.push(event);
  return stored;
}

function eventIn(stored: StoredEvent): readonly ThoughtEvent[] {
  const read = readEvent(stored);
  if (read.kind !== 'event') throw new Error(`${read.kind} on ${stored.subject}`);
  return [read.event];
}

type End = EventOf<'outputProduced'> | EventOf<'runFailed'>;

/** The ends of the runner's own runs by the number of their note; a given up attempt is one too. */
export async function endsOf(rings: Rings, note: number): Promise<readonly End[]> {
  const ends = [...(await rings.all('outputProduced')), ...(await rings.all('runFailed'))];
  return ends.filter(({ data }) => data.producer === 'runner' && data.trigger.endsWith(`.${captureOf(note)}`));
}

/** How an output came to be valid, or the class of a failure. */
export const saidBy = (end: End): string => (end.name === 'outputProduced' ? end.data.completion : end.data.diagnostic.class);

/** Waits until every one of the notes has an end. */
export const allEnded = (rings: Rings, notes: readonly unknown[]): Promise<void> =>
  reached('every note has its end', async () => {
    const ends = await Promise.all(notes.map((_, note) => endsOf(rings, note)));
    return ends.every((found) => found.length > 0);
  });
