import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { declareAgent, readEvent, subjects } from '@emend/contracts';
import { type Broker, bootstrap, connect, type Objects, parseDefinitions, type StoredEvent } from '@emend/log';
import { startTestServer, type TestServer, workspaceRoot } from '@emend/log/server';
import { exitCodes, Life } from '@emend/runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LifeChange, transcriptsLife } from '../src/service.js';
import { eventAt, placesFor } from './correctorOn.js';
import { type Endpoint, type EndpointAnswer, endpoint, goodAnswer } from './endpoint.js';
import { agentDeclared, captured, contractDeclared, corrector, longTalk, shortTalk } from './scene.js';

let server: TestServer;
let broker: Broker;
let objects: Objects;
let folder: string;
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emend-transcripts-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  server = await startTestServer();
  const shipped = parseDefinitions(JSON.parse(readFileSync(path.join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')));
  const small = { maxBytes: 64 * 1024 * 1024 };
  await bootstrap({
    servers: server.url,
    definitions: {
      streams: shipped.streams.map((stream) => ({ ...stream, ...small })),
      buckets: [],
      objects: (shipped.objects ?? []).map((bucket) => ({ ...bucket, ...small })),
      durables: shipped.durables.filter(({ name }) => name === 'transcripts'),
    },
  });
  broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
  objects = await broker.objects('transcripts');
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
  await broker.close();
  await server.remove();
});

/** The service as a process would run it. */
function life(env: Readonly<Record<string, string>>, change: LifeChange = {}) {
  const lines: Record<string, unknown>[] = [];
  const waiting: { event: string; resolve: () => void }[] = [];
  const running = new Life({
    ...transcriptsLife({ EMEND_NATS_URL: server.url, EMEND_TRANSCRIPTS_HEARTBEAT_MS: '200', ...env }, { declarationWaitMs: 0, ...change }),
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
    said: (event: string) =>
      new Promise<void>((resolve) => {
        if (lines.some((line) => line['event'] === event)) resolve();
        else waiting.push({ event, resolve });
      }),
  };
}

async function provider(answer: (body: string, nth: number) => EndpointAnswer = goodAnswer): Promise<Endpoint> {
  const one = await endpoint(answer);
  open.push(one);
  return one;
}

/** A log with the declaration and its contract, and the settings of a host that enables the service. */
async function host({ url }: Endpoint, change: Readonly<Record<string, string>> = {}) {
  await broker.log.append(contractDeclared);
  await broker.log.append(agentDeclared(corrector()));
  return { EMEND_TRANSCRIPTS_ENABLED: 'true', EMEND_TRANSCRIPTS_ENDPOINT: url, EMEND_TRANSCRIPTS_MODEL: 'm', ...change };
}

/** A stored event of a place, awaited through the log itself. */
async function appearing(subject: string, count = 1): Promise<readonly StoredEvent[]> {
  const end = new AbortController();
  const found: StoredEvent[] = [];
  for await (const stored of broker.log.read({ from: 1, subject, signal: end.signal })) if (found.push(stored) === count) break;
  end.abort();
  return found;
}

const anyDerived = `${subjects.transcriptCorrected({ producer: 'transcripts', run: '' })}*`;

describe('the service on JetStream', () => {
  it('corrects a small and a large transcript, says so in counts, and drains', async () => {
    const answering = await provider();
    const process = life(await host(answering));
    const small = await captured(broker.log, objects, shortTalk, { capture: 'small' });
    const large = await captured(broker.log, objects, longTalk(), { capture: 'large' });
    await appearing(anyDerived, 2);
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    for (const stored of [small, large]) {
      const { started, derived } = placesFor(stored);
      expect(await eventAt(broker.log, derived)).toMatchObject({ name: 'transcriptCorrected', data: { trigger: stored.subject } });
      expect(await eventAt(broker.log, started)).toMatchObject({
        data: { model: { provider: 'endpoint', model: 'm', learnedAdapter: null }, role: 'standard' },
      });
    }
    expect(process.lines.filter((line) => line['event'] === 'transcript.corrected')).toMatchObject([
      { sections: 1, proposed: 1, applied: 1 },
      { sections: 36, proposed: 36, applied: 36 },
    ]);
    expect(process.lines.filter((line) => 'droppedFields' in line)).toEqual([]);
    expect(JSON.stringify(process.lines)).not.toContain('tide');
  });

  it('of two replicas corrects every transcript once', async () => {
    const answering = await provider();
    const env = await host(answering, { EMEND_TRANSCRIPTS_SLOTS: '2' });
    const replicas = [life(env), life(env)];
    const captures = Array.from({ length: 8 }, (_, at) => `t${at}`);
    for (const capture of captures) await captured(broker.log, objects, shortTalk, { capture });
    await appearing(anyDerived, captures.length);
    for (const replica of replicas) replica.stop();
    for (const replica of replicas) expect(await replica.ended).toBe(exitCodes.clean);
    const lines = replicas.flatMap((replica) => replica.lines);
    const counted = (event: string) => lines.filter((line) => line['event'] === event).length;
    expect([counted('run.claimed'), counted('run.ended'), counted('transcript.derived')]).toEqual([8, 8, 8]);
    // Three stages of a talk without a glossary, and two decisions about its one correction.
    expect(answering.asked).toHaveLength(8 * 5);
  });

  it('told to stop in the middle gives its run up, and the next process corrects the transcript', async () => {
    const waiting = await provider((body, nth) => (nth === 1 ? null : goodAnswer(body)));
    const env = await host(waiting);
    const first = life(env, { drainMaxMs: 1 });
    const stored = await captured(broker.log, objects);
    await waiting.reached(1);
    first.stop();
    await first.ended;
    expect(await eventAt(broker.log, placesFor(stored).ended)).toMatchObject({
      name: 'runFailed',
      data: { diagnostic: { class: 'abandoned' } },
    });
    const second = life(env);
    await appearing(anyDerived);
    second.stop();
    expect(await second.ended).toBe(exitCodes.clean);
    expect(await eventAt(broker.log, placesFor(stored, 2).derived)).toMatchObject({ data: { report: { applied: 1 } } });
  });

  it('waits in hand for a provider that does not generate, and says so until it does', async () => {
    const busy = await provider((body, nth) => (nth === 1 ? 429 : goodAnswer(body)));
    const process = life(await host(busy));
    const stored = await captured(broker.log, objects);
    await process.said('transcript.provider_awaited');
    await appearing(anyDerived);
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    expect(process.lines.find((line) => line['event'] === 'transcript.provider_awaited')).toMatchObject({ code: 'rate_limited' });
    expect(process.lines.some((line) => line['event'] === 'transcript.provider_answered')).toBe(true);
    expect(await eventAt(broker.log, placesFor(stored).derived)).toMatchObject({
      data: { report: { calls: { proposals: { transportRetries: 1 } } } },
    });
  });

  it('a failed stage call is a failed run, and the service goes on', async () => {
    const failing = await provider((body, nth) => (nth === 1 ? 500 : goodAnswer(body)));
    const process = life(await host(failing));
    const failed = await captured(broker.log, objects, shortTalk, { capture: 'failed' });
    const good = await captured(broker.log, objects, shortTalk, { capture: 'good' });
    await appearing(anyDerived);
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    expect(await eventAt(broker.log, placesFor(failed).ended)).toMatchObject({
      name: 'runFailed',
      data: { diagnostic: { class: 'provider_outage' } },
    });
    expect(await broker.log.get(placesFor(failed).derived)).toBeNull();
    expect(await eventAt(broker.log, placesFor(good).derived)).not.toBeNull();
  });

  it('leaves no incident and no trace, and a source of another kind alone', async () => {
    const process = life(await host(await provider()));
    await captured(broker.log, objects);
    await appearing(anyDerived);
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    for (const stream of ['INCIDENTS', 'TRACE']) {
      const beside = await connect({ servers: server.url, name: 'test', stream });
      expect([stream, await beside.log.lastSequence()]).toEqual([stream, 0]);
      await beside.close();
    }
  });
});

describe('a start', () => {
  it('that is not enabled is healthy and consumes nothing, with or without a broker', async () => {
    const process = life({ EMEND_NATS_URL: 'nats://127.0.0.1:1' });
    await process.said('process.ready');
    expect(process.lines.find((line) => line['event'] === 'transcripts.disabled')).toMatchObject({ reason: 'not_enabled' });
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
  });

  const bad = async (name: string, text: string): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, text);
    return file;
  };
  it.each<[string, () => Promise<Readonly<Record<string, string>>>, string]>([
    [
      'whose settings cannot be used',
      async () => ({ EMEND_TRANSCRIPTS_SETTINGS_FILE: await bad('s.yaml', 'stages: 1') }),
      'settings_refused',
    ],
    ['whose prompts cannot be read', async () => ({ EMEND_TRANSCRIPTS_PROMPTS: '/nowhere/at/all' }), 'file_unreadable'],
    ['whose key cannot be read', async () => ({ EMEND_TRANSCRIPTS_API_KEY_FILE: '/nowhere/at/all' }), 'api_key_unreadable'],
    ['whose catalogue cannot be read', async () => ({ EMEND_MODEL_CATALOGUE_FILE: '/nowhere/at/all' }), 'catalogue_unreadable'],
  ])('%s is refused before the broker is asked, with the code and the place', async (_, change, code) => {
    const process = life({ EMEND_NATS_URL: 'nats://127.0.0.1:1', EMEND_TRANSCRIPTS_ENABLED: 'true', ...(await change()) });
    expect(await process.ended).toBe(exitCodes.refused);
    expect(process.lines.find((line) => line['event'] === 'transcripts.refused')).toMatchObject({ reason: code });
  });

  it.each<[string, () => Promise<unknown>, string]>([
    ['without its declaration', () => Promise.resolve(), 'declaration_missing'],
    ['without its contract', () => broker.log.append(agentDeclared(corrector())), 'contract_missing'],
  ])('%s is refused', async (_, prepare, cause) => {
    await prepare();
    const process = life({ EMEND_TRANSCRIPTS_ENABLED: 'true' });
    expect(await process.ended).toBe(exitCodes.refused);
    expect(process.lines.at(-1)).toMatchObject({ event: 'process.stopped', exitCode: 3, cause });
  });

  it('without the bucket of objects ends as a fault, and claims nothing', async () => {
    const bare = await startTestServer();
    open.push({ close: () => bare.remove() });
    const shipped = parseDefinitions(JSON.parse(readFileSync(path.join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')));
    const streams = shipped.streams.map((stream) => ({ ...stream, maxBytes: 16 * 1024 * 1024 }));
    await bootstrap({ servers: bare.url, definitions: { streams, buckets: [], durables: [] } });
    const other = await connect({ servers: bare.url, name: 'test', stream: 'THOUGHT' });
    for (const event of [contractDeclared, agentDeclared(corrector())]) await other.log.append(event);
    await other.close();
    const process = life({ EMEND_NATS_URL: bare.url, EMEND_TRANSCRIPTS_ENABLED: 'true' });
    expect(await process.ended).not.toBe(exitCodes.clean);
    expect(process.lines.at(-1)).toMatchObject({ event: 'process.stopped', cause: 'objects_missing' });
  });

  it('with the declaration and the contract that ship is ready', async () => {
    const shipped = declareAgent({ ...corrector(), prompt: 'Another prompt of the declaration.' });
    await broker.log.append(contractDeclared);
    await broker.log.append(agentDeclared(shipped));
    const process = life({ EMEND_TRANSCRIPTS_ENABLED: 'true' });
    await process.said('transcripts.wired');
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    const read = readEvent(agentDeclared(shipped));
    expect(read.kind).toBe('event');
  });
});
