import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Broker, bootstrap, connect, type Delivery, parseDefinitions, type StoredEvent } from '@emend/log';
import { startTestServer, type TestServer, workspaceRoot } from '@emend/log/server';
import { memoryBroker } from '@emend/log/memory';
import { catalogueOf } from '@emend/model';
import { exitCodes, Life } from '@emend/runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { repairAgentLife } from '../src/index.js';
import type { LifeChange } from '../src/service.js';
import { agentOn, answers, digests, eventAt, fakeGenerator } from './agentOn.js';
import { aliasingProvider } from './aliasingProvider.js';
import { echoingWorker } from '../../../test/support/echoingWorker.js';
import { heldProvider } from './heldProvider.js';
import { original, type Story, story, tell } from './story.js';

const durable = 'repair-agent';

let server: TestServer;
let broker: Broker;
let folder: string;

/** The shipped definitions with a short ack wait, so that silence brings a message back within the test. */
function definitions() {
  const shipped: unknown = JSON.parse(readFileSync(path.join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8'));
  const parsed = parseDefinitions(shipped);
  return {
    ...parsed,
    streams: parsed.streams.map((stream) => ({ ...stream, maxBytes: 64 * 1024 * 1024 })),
    buckets: [],
    durables: parsed.durables.filter(({ name }) => name === durable).map((one) => ({ ...one, ackWaitSeconds: 1 })),
  };
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emend-repair-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  server = await startTestServer();
  await bootstrap({ servers: server.url, definitions: definitions() });
  broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
});
afterEach(async () => {
  await broker.close();
  await server.remove();
});

const withWorker = () => Promise.resolve({ kind: 'ready', sandbox: { ...echoingWorker, digests } } as const);

/** The service as a process would run it, up to its ready line. */
function life(env: Readonly<Record<string, string>>, open: Required<LifeChange>['open'] = withWorker) {
  const lines: Record<string, unknown>[] = [];
  const waiting: { event: string; resolve: () => void }[] = [];
  const running = new Life({
    ...repairAgentLife({ EMEND_NATS_URL: server.url, EMEND_REPAIR_HEARTBEAT_MS: '200', ...env }, { declarationWaitMs: 0, open }),
    logDestination: {
      write(line: string) {
        const parsed = JSON.parse(line) as Record<string, unknown>;
        lines.push(parsed);
        for (const { event, resolve } of waiting) if (event === parsed['event']) resolve();
      },
    },
  });
  return {
    lines,
    ended: running.run(),
    stop: () => running.stop('test'),
    /** Settles at the first line with this event. */
    said: (event: string) =>
      new Promise<void>((resolve) => {
        if (lines.some((line) => line['event'] === event)) resolve();
        else waiting.push({ event, resolve });
      }),
  };
}

/** A recording of the prompt that the agent renders for the request. */
async function playerFile(tale: Story): Promise<string> {
  const memory = memoryBroker();
  const asked = fakeGenerator({ kind: 'failed', code: 'provider_failed' });
  await agentOn(memory, tale, asked).handle(await tell(memory.log, tale));
  const promptHash = asked.asked[0]?.promptHash;
  const recording = { tier: 'escalation', promptHash, model: 'small', output: tale.valid, finishReason: 'stop' };
  const file = path.join(folder, 'escalation.jsonl');
  await writeFile(file, JSON.stringify(recording));
  return file;
}

const enabled = { EMEND_REPAIR_ENABLED: 'true', THOUGHTSTREAM_TINKER_ESCALATION_MODEL: 'org/Big-1' };

/** A stored event of a place, awaited through the log itself. */
async function appearing(subject: string): Promise<StoredEvent> {
  const end = new AbortController();
  const { value, done } = await broker.log.read({ from: 1, subject, signal: end.signal })[Symbol.asyncIterator]().next();
  end.abort();
  if (done) throw new Error('the log ended');
  return value;
}

describe('the service on JetStream', () => {
  it('answers a request from a recording, acknowledges it, and drains when told to stop', async () => {
    const tale = story();
    await tell(broker.log, tale);
    const process = life({ ...enabled, EMEND_REPAIR_PLAYER_FILE: await playerFile(tale) });
    await appearing(tale.settlementPlace);
    await process.said('repair.settled');
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    expect(await eventAt(broker.log, tale.settlementPlace)).toMatchObject({
      name: 'correctionProposed',
      data: { repair: { model: 'org/Big-1' } },
    });
    expect(process.lines.filter(({ event }) => event === 'repair.recording_asked')).toMatchObject([{ outcome: 'played' }]);
    expect(process.lines.find((line) => line['event'] === 'repair_agent.wired')).toMatchObject({
      reads: 'agent.repair.requested',
      writes: 'agent.repair.started derived.output.correction',
    });
    expect(process.lines.filter((line) => 'droppedFields' in line)).toEqual([]);
    const { command, filter, node, worker } = digests;
    expect(process.lines.find((line) => line['event'] === 'repair_agent.sandbox_ready')).toMatchObject({
      sandboxCommand: command,
      sandboxFilter: filter,
      sandboxNode: node,
      sandboxWorker: worker,
    });
    expect(await eventAt(broker.log, tale.claimPlace)).toMatchObject({ data: { manifest: { sandbox: digests } } });
  });

  it('answers by the model of a catalogue file, whose digest and generation stand beside the original’s', async () => {
    const tale = story();
    await tell(broker.log, tale);
    const provider = await aliasingProvider(tale.valid);
    const [keyFile, catalogueFile] = [path.join(folder, 'key'), path.join(folder, 'catalogue.yaml')];
    await writeFile(keyFile, 'sk-canary-77c2\n');
    const tier = { provider: 'vllm', baseUrl: provider.url, keyFile };
    // What YAML calls a flow mapping is JSON.
    await writeFile(catalogueFile, JSON.stringify({ generation: 9, tiers: { escalation: { ...tier, model: 'mapped' } } }));
    const process = life({ ...enabled, EMEND_MODEL_CATALOGUE_FILE: catalogueFile });
    await appearing(tale.settlementPlace);
    await process.said('repair.settled');
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    await provider.close();
    const { digest } = catalogueOf({ escalation: { ...tier, model: 'org/Big-1' } });
    expect(await eventAt(broker.log, tale.settlementPlace)).toMatchObject({
      name: 'correctionProposed',
      data: {
        original,
        repair: {
          provider: 'vllm',
          model: 'org/Big-1',
          executionAdapter: 'openai-compatible@2',
          learnedAdapter: null,
          catalog: { digest, generation: 9 },
        },
      },
    });
    expect(provider.keys).toEqual(['Bearer sk-canary-77c2']);
    expect(process.lines.map((line) => line['event'])).toContain('repair.model_differs');
    expect(JSON.stringify(process.lines)).not.toMatch(/sk-canary|an-alias/);
  });

  it('without a sandbox it stays up, says why, and leaves every request unclaimed', async () => {
    const tale = story();
    await tell(broker.log, tale);
    const before = await broker.log.lastSequence();
    const none = () => Promise.resolve({ kind: 'unavailable', code: 'bubblewrap_missing', misses: [], said: '' } as const);
    const process = life({ ...enabled, EMEND_REPAIR_PLAYER_FILE: await playerFile(tale) }, none);
    await process.said('repair_agent.sandbox_unavailable');
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    expect(await broker.log.lastSequence()).toBe(before);
    expect(process.lines.find((line) => line['event'] === 'repair_agent.sandbox_unavailable')).toMatchObject({
      code: 'bubblewrap_missing',
    });
  });

  it.each([
    ['disabled', {}],
    ['filtered', { EMEND_SANDBOX_NESTED_NAMESPACES: 'filtered' }],
  ])('asks for a sandbox with nested namespaces %s', async (nestedNamespaces, env) => {
    await tell(broker.log, story());
    const asked: unknown[] = [];
    const process = life({ ...enabled, ...env }, (options) => {
      asked.push(options);
      return Promise.resolve({ kind: 'unavailable', code: 'bubblewrap_missing', misses: [], said: '' });
    });
    await process.said('repair_agent.sandbox_unavailable');
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    expect(asked).toEqual([{ nestedNamespaces }]);
  });

  it('before its start position it leaves requests, and goes on with later ones', async () => {
    const old = story({ capture: 'n000' });
    await tell(broker.log, old);
    const tale = story();
    const process = life({ ...enabled, EMEND_REPAIR_START_SEQUENCE: 'now', EMEND_REPAIR_PLAYER_FILE: await playerFile(tale) });
    await process.said('message.skipped');
    await tell(broker.log, tale);
    await appearing(tale.settlementPlace);
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    expect(await broker.log.get(old.settlementPlace)).toBeNull();
    expect(process.lines.find((line) => line['event'] === 'message.skipped')).toMatchObject({ reason: 'before_start' });
  });

  it('takes no message ahead of its slots: what waits in no hand is still to be had by another replica', async () => {
    const tales = ['n001', 'n002', 'n003', 'n004'].map((capture) => story({ capture }));
    for (const tale of tales) await tell(broker.log, tale);
    // The first request is answered, which frees a slot; the next two stay in hand.
    const provider = await heldProvider({ answered: 1, valid: tales[0]?.valid ?? '' });
    const process = life({ ...enabled, EMEND_REPAIR_ENDPOINT: provider.url, EMEND_REPAIR_SLOTS: '2' });
    await provider.reached(3);

    const other = broker.log.consume({ durable })[Symbol.asyncIterator]();
    const { value } = await other.next();
    const fourth = value as Delivery;
    expect([fourth.event.subject.includes(tales[3]?.run ?? '-'), fourth.deliveries]).toEqual([true, 1]);
    await fourth.ack();
    await other.return?.(undefined);
    provider.release();
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    await provider.close();
  });

  it.each([
    ['without a mapping', { EMEND_REPAIR_ENABLED: 'true' }, 'escalation_model_missing'],
    ['without its declaration', enabled, 'declaration_missing'],
    [
      'with a catalogue file beside an endpoint',
      { ...enabled, EMEND_MODEL_CATALOGUE_FILE: '/c.yaml', EMEND_REPAIR_PROVIDER: 'p' },
      'catalogue_and_endpoint',
    ],
    [
      'with recordings beside an endpoint',
      { ...enabled, EMEND_REPAIR_PLAYER_FILE: '/p.jsonl', EMEND_REPAIR_ENDPOINT: 'http://127.0.0.1:9/v1' },
      'player_and_model',
    ],
  ])('enabled %s it refuses to start (T60)', async (_name, env, cause) => {
    const process = life(env);
    expect(await process.ended).toBe(exitCodes.refused);
    expect(process.lines.at(-1)).toMatchObject({ event: 'process.stopped', exitCode: 3, cause });
    expect(process.lines.find((line) => line['event'] === 'repair_agent.refused')).toMatchObject({ reason: cause });
  });

  it.each([
    ['a key file that is none', { EMEND_REPAIR_API_KEY_FILE: '/nowhere' }, 'api_key_unreadable', 'tiers.escalation.keyFile'],
    ['a catalogue file that is none', { EMEND_MODEL_CATALOGUE_FILE: '/nowhere' }, 'catalogue_unreadable', 'the file'],
  ])('enabled with %s it refuses to start, and says where', async (_name, env, cause, place) => {
    await tell(broker.log, story());
    const process = life({ ...enabled, ...env });
    expect(await process.ended).toBe(exitCodes.refused);
    expect(process.lines.at(-1)).toMatchObject({ event: 'process.stopped', exitCode: 3, cause });
    expect(process.lines.find((line) => line['event'] === 'repair_agent.model_refused')).toMatchObject({ code: cause, place });
    expect(process.lines.filter((line) => 'droppedFields' in line)).toEqual([]);
  });

  it('disabled it is healthy and consumes nothing, with or without a mapping or a broker (T61)', async () => {
    const process = life({ EMEND_NATS_URL: 'nats://127.0.0.1:1' });
    await process.said('process.ready');
    expect(process.lines.find((line) => line['event'] === 'repair_agent.disabled')).toMatchObject({ reason: 'escalation_model_missing' });
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
  });
});

describe('redelivery on JetStream', () => {
  it('a holder that falls silent loses its request: abandoned, one settlement, one call', async () => {
    const tale = story();
    await tell(broker.log, tale);
    const deliveries = broker.log.consume({ durable })[Symbol.asyncIterator]();
    const next = async (): Promise<Delivery> => {
      const { value, done } = await deliveries.next();
      if (done) throw new Error('the deliveries ended');
      return value;
    };
    const first = await next();
    const incidents = { log: broker.log, store: (subject: string, bytes: Uint8Array) => broker.store(subject, bytes) };
    let answer = (): void => undefined;
    const silent = fakeGenerator(async () => {
      await new Promise<void>((resolve) => (answer = resolve));
      return answers(tale.valid);
    });
    const late = agentOn(incidents, tale, silent);
    const handling = late.handle(first.event);

    // No heartbeat: the ack wait runs out, and the message comes again.
    const second = await next();
    expect([second.event.sequence, second.deliveries]).toEqual([first.event.sequence, 2]);
    const unasked = fakeGenerator();
    expect(await agentOn(incidents, tale, unasked).handle(second.event)).toEqual({ kind: 'done' });
    await second.ack();

    answer();
    expect(await handling).toEqual({ kind: 'done' });
    expect(late.eventsLogged()).toContain('repair.settlement_lost');
    expect(await eventAt(broker.log, tale.settlementPlace)).toMatchObject({
      name: 'runFailed',
      data: { diagnostic: { class: 'abandoned' } },
    });
    expect([silent.asked.length, unasked.asked.length]).toEqual([1, 0]);
    await deliveries.return?.(undefined);
  });
});
