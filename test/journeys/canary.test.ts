import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { readDeclarations } from '@emend/cli';
import { Authority, listRows, Producer, type Run } from '@emend/client';
import { compileContract, eventIdOf, observation, outputRepairPolicy, policyIdentityOf, policyTokenOf, subjects } from '@emend/contracts';
import { bootstrap, type Broker, connect, parseDefinitions } from '@emend/log';
import { startTestServer, type TestServer, workspaceRoot } from '@emend/log/server';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { agentDeclaration, provenance } from '../support/history.js';
import { type LivingServices, startServices } from './livingServices.js';

/** Planted in all that a model or a person got wrong. It may be in the quarantine, and nowhere else. */
const canary = 'canary8d3f';
const pointBoundMs = 50_000;
const agent = agentDeclaration(compileContract(observation));
const folder = mkdtempSync(path.join(tmpdir(), 'emend-canary-'));

/** Answers that are refused, each for another reason; whether a repair follows. */
const wrong: readonly (readonly [string, string | null, boolean])[] = [
  [`I cannot answer this. ${canary}`, 'stop', true],
  [`{"title":"${canary}","${canary}":["${canary}"]}`, 'stop', true],
  [`{"title":"a","title":"${canary}"}`, 'stop', true],
  [`{"${canary}":123456789012345678901234567890}`, 'stop', true],
  [`{"title":"${canary}`, 'length', false],
  [canary, 'content_filter', false],
  [`{"title":"${canary}`, canary, false],
  [`"${canary}${'x'.repeat(70_000)}"`, 'stop', false],
];

let server: TestServer;
let broker: Broker;
let services: LivingServices;

beforeAll(async () => {
  server = await startTestServer();
  await bootstrap({ servers: server.url, definitions: smallDefinitions() });
  broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
});
afterAll(async () => {
  await services?.stop();
  await broker?.close();
  await server?.remove();
  rmSync(folder, { recursive: true, force: true });
});

it('a secret in malformed output is in no event, incident, trace, log line, metric, reply, row or export (I1, F22)', async () => {
  const heard = listen();
  const quarantine = await broker.view('quarantine');
  const producer = new Producer({ log: broker.log, producer: 'notes', quarantine });
  await declareAll(producer);
  services = await startServices({
    EMEND_NATS_URL: server.url,
    EMEND_REPAIR_ENABLED: 'true',
    EMEND_REPAIR_PLAYER_FILE: recordings(),
    THOUGHTSTREAM_TINKER_ESCALATION_MODEL: 'large',
    EMEND_PROJECTOR_FILE: path.join(folder, 'projector.db'),
    EMEND_EXPORTER_FILE: path.join(folder, 'exporter.sqlite'),
    EMEND_EXPORT_DIR: path.join(folder, 'export'),
    EMEND_EXPORT_INTERVAL_MS: '100',
  });

  const runs: Run[] = [];
  const errors: unknown[] = [];
  for (const [index, [text, finishReason]] of wrong.entries()) {
    const run = await startRun(producer, index);
    runs.push(run);
    await run.end({ text, finishReason });
    // Said again with other words: a conflict, whose error carries neither.
    errors.push(await run.end({ text: `${text} ${canary}`, finishReason: 'refusal' }).catch((error: unknown) => error));
  }
  const settled = wrong.flatMap(([, , repaired], index) => (repaired ? [settlementOf(runs[index] as Run)] : []));
  await reached('every request is settled', async () => (await Promise.all(settled.map((place) => broker.log.get(place)))).every(Boolean));

  const replies = await judge(runs[0] as Run);
  await reached('the judged run is effective', async () =>
    (await listRows(await broker.view('effective-output'))).some(({ row }) => row.run === runs[0]?.id && row['status'] === 'repaired'),
  );
  await reached('a training file has a row', async () => filesUnder(path.join(folder, 'export')).includes('"completion"'));

  const sinks: Readonly<Record<string, string>> = {
    events: await eventsAsText(),
    views: JSON.stringify([await listRows(await broker.view('effective-output')), await listRows(await broker.view('review-queue'))]),
    'facts, incidents and traces': heard.text(),
    'log lines': services.lines.join(''),
    'metrics and health': await services.told(),
    errors: errors.map((error) => `${String(error)} ${inspect(error, { depth: 20, showHidden: true })}`).join('\n'),
    replies: JSON.stringify(replies),
    export: filesUnder(path.join(folder, 'export')),
  };
  await services.stop();
  const all = Object.entries({ ...sinks, 'last log lines': services.lines.join('') });
  expect(all.filter(([, text]) => text.length < 50).map(([sink]) => `${sink} says nothing`)).toEqual([]);
  expect(all.filter(([, text]) => text.toLowerCase().includes(canary)).map(([sink]) => `${sink} holds it`)).toEqual([]);
  // The control: the secret did arrive.
  expect(new TextDecoder().decode((await quarantine.get(runs[0]?.id ?? ''))?.bytes)).toContain(canary);
  heard.end();
});

function smallDefinitions() {
  const shipped = parseDefinitions(JSON.parse(readFileSync(path.join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')));
  const bytes = 64 * 1024 * 1024;
  return {
    ...shipped,
    streams: shipped.streams.map((stream) => ({ ...stream, maxBytes: bytes })),
    buckets: shipped.buckets.map((bucket) => ({ ...bucket, maxBytes: bytes })),
  };
}

async function declareAll(producer: Producer): Promise<void> {
  const shipped = await readDeclarations([path.join(workspaceRoot(), 'deploy/declarations')]);
  for (const contract of shipped.contracts) await producer.declareContract(contract);
  for (const written of [...shipped.agents, agent]) await producer.declareAgent(written);
  for (const policy of shipped.policies) await producer.declarePolicy(policy);
}

async function startRun(producer: Producer, index: number): Promise<Run> {
  const { event } = await producer.capture({
    kind: 'note',
    capture: `n${index}`,
    text: `Post ${index}: the gauge stood at 2.14 m.`,
    privacy: 'public',
    sourceClass: 'public-source',
  });
  return producer.start({ reference: `run-${index}`, agent, trigger: event.subject, model: provenance() });
}

/** The first repair is valid, the others are as wrong as the answers they repair. */
function recordings(): string {
  const valid = {
    title: 'Gauge',
    summary: 'It stood.',
    tags: [],
    confidence: 1,
    evidence: [{ eventId: eventIdOf(subjects.source({ kind: 'note', producer: 'notes', capture: 'n0' })), quote: '2.14 m' }],
  };
  const file = path.join(folder, 'escalation.jsonl');
  const lines = wrong.map(([text, finishReason], index) =>
    JSON.stringify({
      note: `n${index}`,
      tier: 'escalation',
      promptHash: '0'.repeat(64),
      output: index === 0 ? JSON.stringify(valid) : text,
      finishReason,
    }),
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

const placeOf = (run: Run) => ({ run: run.id, policy: policyTokenOf(policyIdentityOf(outputRepairPolicy)) });
const settlementOf = (run: Run): string => subjects.correction(placeOf(run));

/** A correct that breaks the contract, a command that is none, and an accept. */
async function judge(run: Run): Promise<readonly unknown[]> {
  const anna = new Authority(broker, 'anna');
  const common = {
    run: run.id,
    producer: 'notes',
    target: { kind: 'proposal', id: eventIdOf(settlementOf(run)), policy: placeOf(run).policy },
    privacy: 'public',
    sourceClass: 'public-source',
    quality: true,
    externalExport: true,
  } as const;
  const refused = await anna.record({ ...common, action: 'a1', verdict: 'correct', replacementOutput: { [canary]: canary } });
  const broken = await broker.request('svc.thought.judgments.record.anna', Buffer.from(`{"${canary}": ${canary}`), 5_000);
  const accepted = await anna.record({ ...common, action: 'a2', verdict: 'accept' });
  expect([refused.kind, accepted.kind]).toEqual(['refused', 'recorded']);
  return [refused, new TextDecoder().decode(broken.bytes), accepted];
}

/** What is published beside the log: facts, incidents, traces. */
function listen() {
  const ending = new AbortController();
  const heard: string[] = [];
  const follow = async (pattern: string): Promise<void> => {
    for await (const { subject, bytes } of broker.follow(pattern, ending.signal))
      heard.push(`${subject} ${new TextDecoder().decode(bytes)}`);
  };
  for (const pattern of ['fact.>', 'incident.>', 'trace.>']) void follow(pattern);
  return { text: () => heard.join('\n'), end: () => ending.abort() };
}

async function eventsAsText(): Promise<string> {
  const texts: string[] = [];
  for await (const { subject, bytes, headers } of broker.log.read({ from: 1, to: await broker.log.lastSequence() }))
    texts.push(`${subject} ${JSON.stringify(headers)} ${new TextDecoder().decode(bytes)}`);
  return texts.join('\n');
}

function filesUnder(root: string): string {
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' });
  return names
    .flatMap((name) => (statSync(path.join(root, name)).isFile() ? [name, readFileSync(path.join(root, name), 'utf8')] : []))
    .join('\n');
}

/** Waits for a point, however long the machine takes; the bound only turns a hang into a failure. */
function reached(what: string, condition: () => Promise<boolean>): Promise<void> {
  return vi.waitFor(
    async () => {
      if (!(await condition().catch(() => false))) throw new Error(`not reached: ${what}`);
    },
    { timeout: pointBoundMs, interval: 25 },
  );
}
