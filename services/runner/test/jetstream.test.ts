import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSandbox } from '@emend/agents';
import { outputRepairPolicy, type SandboxDigests } from '@emend/contracts';
import { type Broker, bootstrap, connect, type StoredEvent } from '@emend/log';
import { startTestServer, type TestServer } from '@emend/log/server';
import { exitCodes, Life } from '@emend/runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { echoingWorker } from '../../../test/support/echoingWorker.js';
import { placesOf, runIn } from '@emend/runs/decisions';
import { runnerLife } from '../src/index.js';
import type { LifeChange } from '../src/service.js';
import { definitions } from './definitions.js';
import { eventAt, malformed, repaired } from './runnerOn.js';
import { agentDeclared, captured, contractDeclared, digests, observer, sourceOf, validFor } from './scene.js';
import { type ScriptedProvider, scriptedProvider } from './scriptedProvider.js';

const opened = await openSandbox();
/** Where CI is set it runs and fails: there, a machine without a sandbox is a finding. */
const withoutSandbox = opened.kind !== 'ready' && process.env['CI'] === undefined;

let server: TestServer;
let broker: Broker;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emend-runner-'));
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

/** The service as a process would run it. */
function life(env: Readonly<Record<string, string>>, change: LifeChange = {}) {
  const lines: Record<string, unknown>[] = [];
  const waiting: { event: string; resolve: () => void }[] = [];
  const running = new Life({
    ...runnerLife(
      { EMEND_NATS_URL: server.url, EMEND_RUNNER_HEARTBEAT_MS: '200', ...env },
      { declarationWaitMs: 0, open: withWorker, ...change },
    ),
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

/** A log with the declaration and its contract, and the settings of a host that runs it. */
async function host(provider: ScriptedProvider, change: Readonly<Record<string, string>> = {}) {
  await broker.log.append(contractDeclared);
  await broker.log.append(agentDeclared(observer()));
  const catalogue = path.join(folder, 'catalogue.yaml');
  // What YAML calls a flow mapping is JSON.
  await writeFile(
    catalogue,
    JSON.stringify({ generation: 3, tiers: { primary: { provider: 'local', baseUrl: provider.url, model: 'small-1' } } }),
  );
  return { EMEND_RUNNER_AGENTS: 'observer@1', EMEND_MODEL_CATALOGUE_FILE: catalogue, ...change };
}

const attemptOf = (capture: string) => ({ producer: 'runner', source: sourceOf(capture), agent: observer(), n: 1 });
const endPlace = (capture: string): string => placesOf(attemptOf(capture)).ended;

/** A stored event of a place, awaited through the log itself. */
async function appearing(subject: string): Promise<StoredEvent> {
  const end = new AbortController();
  const { value, done } = await broker.log.read({ from: 1, subject, signal: end.signal })[Symbol.asyncIterator]().next();
  end.abort();
  if (done) throw new Error('the log ended');
  return value;
}

/** What the run trace holds, as it comes. */
async function traced(count: number): Promise<readonly Record<string, unknown>[]> {
  const trace = await connect({ servers: server.url, name: 'trace', stream: 'TRACE' });
  const end = new AbortController();
  const found: Record<string, unknown>[] = [];
  for await (const { bytes } of trace.log.read({ from: 1, signal: end.signal })) {
    found.push(JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>);
    if (found.length === count) break;
  }
  end.abort();
  await trace.close();
  return found;
}

async function traceLength(): Promise<number> {
  const trace = await connect({ servers: server.url, name: 'trace', stream: 'TRACE' });
  const length = await trace.log.lastSequence();
  await trace.close();
  return length;
}

/** Two notes, of which the model answers the first malformed: what the log, the trace and the provider hold afterwards. */
async function answersTwoNotes(open: Required<LifeChange>['open'], sandbox: SandboxDigests | undefined) {
  const second = JSON.stringify(validFor('n002'));
  const provider = await scriptedProvider(malformed, repaired, second);
  const process = life(await host(provider), { open });
  await captured(broker.log, 'n001');
  await appearing(endPlace('n001'));
  await captured(broker.log, 'n002');
  await appearing(endPlace('n002'));
  expect(await eventAt(broker.log, endPlace('n001'))).toMatchObject({
    name: 'outputProduced',
    data: { completion: 'overseen', output: validFor(), calls: { primary: 1, overseer: 1 } },
  });
  expect(await eventAt(broker.log, endPlace('n002'))).toMatchObject({
    name: 'outputProduced',
    data: { completion: 'exact', calls: { primary: 1, overseer: 0 } },
  });
  const run = runIn(attemptOf('n001'));
  expect(await traced(2)).toMatchObject([
    { kind: 'started', run, producer: 'runner' },
    { kind: 'succeeded', run, producer: 'runner' },
  ]);
  process.stop();
  expect(await process.ended).toBe(exitCodes.clean);
  expect(await traceLength()).toBe(2);
  expect(provider.asked).toHaveLength(3);
  // The overseer is shown the malformed text and none of the note's prompt.
  expect(provider.asked[1]).toContain('malformed_arguments');
  expect(provider.asked[1]).not.toContain('You write observations.');
  expect(await eventAt(broker.log, placesOf(attemptOf('n001')).started)).toMatchObject({
    data: {
      model: { provider: 'local', model: 'small-1', catalog: { generation: 3 } },
      manifest: { sandbox },
    },
  });
  expect(process.lines.filter((line) => 'droppedFields' in line)).toEqual([]);
  expect(process.lines.filter((line) => line['event'] === 'run.worker_ended')).toHaveLength(3);
  await provider.close();
}

describe('the service on JetStream', () => {
  it('answers two notes, once by one overseer call and once as written, and drains', () => answersTwoNotes(withWorker, digests));

  // skipped: where the machine has no sandbox; openSandbox says why.
  it.skipIf(withoutSandbox)('does so in the sandbox, and its claims say what that is made of', () =>
    answersTwoNotes(openSandbox, opened.kind === 'ready' ? opened.sandbox.digests : undefined),
  );

  it('with ring 1 off a malformed answer ends its run, untraced, and its text stands in the quarantine (I5)', async () => {
    const provider = await scriptedProvider(malformed);
    const process = life(await host(provider, { EMEND_RUNNER_OUTPUT_REPAIR: 'false', EMEND_RUNNER_RETRIES: '0' }));
    await captured(broker.log);
    await appearing(endPlace('n001'));
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    expect(await eventAt(broker.log, endPlace('n001'))).toMatchObject({
      name: 'runFailed',
      data: { diagnostic: { class: 'contract_violation' }, calls: { primary: 1, overseer: 0 } },
    });
    const entry = await (await broker.view('quarantine')).get(runIn(attemptOf('n001')));
    expect(new TextDecoder().decode(entry?.bytes)).toBe(malformed);
    expect([provider.asked.length, await traceLength()]).toEqual([1, 0]);
    await provider.close();
  });

  it('asks a provider for at most (1 + retries) outputs and as many repairs of one claim (O19, I4)', async () => {
    const provider = await scriptedProvider(...Array<string>(6).fill(malformed));
    const process = life(await host(provider, { EMEND_RUNNER_RETRIES: '2' }));
    await captured(broker.log);
    await appearing(endPlace('n001'));
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    const end = await eventAt(broker.log, endPlace('n001'));
    expect(end).toMatchObject({
      name: 'runFailed',
      data: { diagnostic: { class: 'contract_violation' }, calls: { primary: 3, overseer: 3 } },
    });
    // Beyond its script the provider fails, and the run would have ended as an outage.
    expect(provider.asked).toHaveLength(6);
    const asked = provider.asked.map((body) => body.includes('malformed_arguments'));
    expect(asked).toEqual([false, true, false, true, false, true]);
    expect(provider.asked[2]).toContain('was refused (contract_violation)');
    const run = runIn(attemptOf('n001'));
    expect((await traced(6)).map(({ invocation }) => invocation)).toEqual([1, 1, 2, 2, 3, 3].map((n) => `${run}-${n}`));
    await provider.close();
  });

  it('told to stop during a call it ends the run as cancelled, and nothing repairs it (I7)', async () => {
    const provider = await scriptedProvider(null);
    const process = life(await host(provider), { drainMaxMs: 1 });
    await captured(broker.log);
    await provider.reached(1);
    process.stop();
    await process.ended;
    const end = await eventAt(broker.log, endPlace('n001'));
    expect(end).toMatchObject({ name: 'runFailed', data: { diagnostic: { class: 'cancelled' } } });
    // What the coordinator decides a request by: this class is in no policy of ours.
    expect(outputRepairPolicy.classes).not.toContain('cancelled');
    expect([provider.asked.length, await traceLength()]).toEqual([1, 0]);
    await provider.close();
  });

  it('the model that repairs may be another one, on the same provider', async () => {
    const provider = await scriptedProvider(malformed, repaired);
    const process = life(await host(provider, { EMEND_RUNNER_OUTPUT_REPAIR_MODEL: 'big-1' }));
    await captured(broker.log);
    await appearing(endPlace('n001'));
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    expect(provider.asked.map((body) => (JSON.parse(body) as { model: string }).model)).toEqual(['small-1', 'big-1']);
    await provider.close();
  });

  it.each([
    ['without its declaration', { EMEND_MODEL_CATALOGUE_FILE: '/c.yaml' }, 'declaration_missing'],
    ['without a catalogue', {}, 'catalogue_missing'],
  ])('%s it refuses to start', async (_name, env, cause) => {
    const process = life({ EMEND_RUNNER_AGENTS: 'observer@1', ...env });
    expect(await process.ended).toBe(exitCodes.refused);
    expect(process.lines.at(-1)).toMatchObject({ event: 'process.stopped', exitCode: 3, cause });
    expect(process.lines.find((line) => line['event'] === 'runner.refused')).toMatchObject({ reason: cause });
  });

  it('with a catalogue that has no model for the tier it refuses to start, and says where', async () => {
    const provider = await scriptedProvider();
    const env = await host(provider);
    await writeFile(
      env.EMEND_MODEL_CATALOGUE_FILE,
      JSON.stringify({ tiers: { other: { provider: 'local', baseUrl: provider.url, model: 'm' } } }),
    );
    const process = life(env);
    expect(await process.ended).toBe(exitCodes.refused);
    expect(process.lines.find((line) => line['event'] === 'runner.model_refused')).toMatchObject({
      code: 'tier_missing',
      place: 'tiers.primary',
    });
    await provider.close();
  });

  it('without a sandbox it stays up, says why, and leaves every source unclaimed', async () => {
    const provider = await scriptedProvider();
    const none = () => Promise.resolve({ kind: 'unavailable', code: 'bubblewrap_missing', misses: [], said: '' } as const);
    const env = await host(provider);
    await captured(broker.log);
    const before = await broker.log.lastSequence();
    const process = life(env, { open: none });
    await process.said('runner.sandbox_unavailable');
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
    expect(await broker.log.lastSequence()).toBe(before);
    await provider.close();
  });

  it('without a named declaration it is healthy and consumes nothing, with or without a broker', async () => {
    const process = life({ EMEND_NATS_URL: 'nats://127.0.0.1:1' });
    await process.said('process.ready');
    expect(process.lines.find((line) => line['event'] === 'runner.disabled')).toMatchObject({ reason: 'no_agents' });
    process.stop();
    expect(await process.ended).toBe(exitCodes.clean);
  });
});
