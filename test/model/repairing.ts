import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Producer } from '@emend/client';
import { findHome, ingest, type IngestReport, type Stack, startShippedStack } from '@emend/cli';
import { placeOf, readEvent } from '@emend/contracts';
import { type Broker, connect, type StoredEvent } from '@emend/log';
import { ingestLines, sampleProducer } from '../../demo/src/samples.js';
import { impatientDefinitions } from '../faults/herd.js';
import { modelName, type ModelServer } from './modelServer.js';

const home = findHome(process.env, import.meta.dirname);
const samples = join(home, 'samples');

/** What stands in the log about requests, each by `<run>.<policy>`. */
export interface Places {
  readonly requests: readonly string[];
  readonly claims: readonly string[];
  /** `proposed`, or the class of the failure; one entry for each event that settles. */
  readonly settlements: readonly (readonly [request: string, end: string])[];
}

/** The coordinator and an enabled repair agent as processes, on a broker of their own, in front of a model. */
export class Repairing {
  private constructor(
    private readonly dataDir: string,
    private readonly stack: Stack,
    private readonly broker: Broker,
  ) {}

  /** `settings` are those of the repair agent that a test wants to be different. */
  static async start(model: ModelServer, settings: Readonly<Record<string, string>> = {}): Promise<Repairing> {
    const dataDir = await mkdtemp(join(tmpdir(), 'emend-model-'));
    const { EMEND_NATS_URL: _, ...env } = process.env;
    const agent = {
      EMEND_REPAIR_ENABLED: 'true',
      EMEND_REPAIR_AGENT: 'output-repair-patient@1',
      THOUGHTSTREAM_TINKER_ESCALATION_MODEL: modelName,
      EMEND_REPAIR_ENDPOINT: model.url,
      EMEND_REPAIR_PROVIDER: 'llama-cpp',
      EMEND_REPAIR_API_KEY_FILE: model.keyFile,
      EMEND_REPAIR_HEARTBEAT_MS: '500',
      ...settings,
    };
    const stack = await startShippedStack({
      env,
      dataDir,
      declarations: [join(home, 'demo', 'declarations'), join(import.meta.dirname, 'declarations')],
      services: ['coordinator', 'repair-agent'],
      definitions: await impatientDefinitions(home),
      settings: { 'repair-agent': agent },
      say: () => {},
    });
    return new Repairing(dataDir, stack, await connect({ servers: stack.url, name: 'model-suite', stream: 'THOUGHT' }));
  }

  /** Turns the recorded answers with these ids into runs. */
  async ingest(ids: readonly string[]): Promise<IngestReport> {
    const all = await ingestLines(samples);
    const lines = all.filter((line) => ids.includes((JSON.parse(line) as { readonly id: string }).id));
    return ingest({
      producer: new Producer({ log: this.broker.log, producer: sampleProducer }),
      lines: (async function* () {
        yield* lines;
      })(),
      agent: 'none@1',
      privacy: 'public',
      sourceClass: 'public-source',
      onBroken: ({ number, code }) => {
        throw new Error(`line ${number}: ${code}`);
      },
    });
  }

  /** Resolves with what stands in the log once `holds` is true of it; fails where a service ends before. */
  async until(holds: (places: Places) => boolean | Promise<boolean>): Promise<Places> {
    let over: string | null = null;
    for (const { service, ended } of this.stack.services) void ended.then((code) => (over = `${service} ended with ${code ?? 'a signal'}`));
    for (;;) {
      const places = await this.#places();
      if (await holds(places)) return places;
      if (over !== null) throw new Error(over);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  settled(count: number): Promise<Places> {
    return this.until(({ requests, settlements }) => requests.length >= count && settlements.length >= requests.length);
  }

  /** The codes of the repair agent's log lines of one kind, in their order. */
  async codesOf(event: 'repair.settled' | 'repair.provider_awaited'): Promise<readonly string[]> {
    const text = await readFile(join(this.dataDir, 'logs', 'repair-agent.log'), 'utf8');
    const lines = text.split('\n').filter((line) => line.startsWith('{'));
    return lines
      .map((line) => JSON.parse(line) as { readonly event?: string; readonly code?: string })
      .flatMap((line) => (line.event === event ? [line.code ?? ''] : []));
  }

  async stop(): Promise<void> {
    await this.broker.close();
    await this.stack.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  async #places(): Promise<Places> {
    const requests: string[] = [];
    const claims: string[] = [];
    const settlements: [string, string][] = [];
    for await (const stored of this.broker.log.read({ from: 1, to: await this.broker.log.lastSequence() })) {
      const place = placeOf(stored.subject);
      const key = place?.key.join('.') ?? '';
      if (place?.place === 'repairRequested') requests.push(key);
      if (place?.place === 'repairStarted') claims.push(key);
      if (place?.place === 'correction') settlements.push([key, endOf(stored)]);
    }
    return { requests, claims, settlements };
  }
}

function endOf(stored: StoredEvent): string {
  const read = readEvent(stored);
  if (read.kind !== 'event') return read.kind;
  return read.event.name === 'runFailed' ? read.event.data.diagnostic.class : 'proposed';
}
