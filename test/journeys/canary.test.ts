import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Authority, listRows, Producer, type Run } from '@emend/client';
import { eventIdOf, subjects } from '@emend/contracts';
import { bootstrap, type Broker, connect } from '@emend/log';
import { startTestServer, type TestServer } from '@emend/log/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { repairRecording } from '../support/repairRecording.js';
import {
  agent,
  declareAll,
  errorsAsText,
  eventsAsText,
  filesUnder,
  listen,
  placeOf,
  reached,
  settlementOf,
  smallDefinitions,
  sourceTextOf,
  startRun,
} from './canaryStage.js';
import { type LivingServices, startServices } from './livingServices.js';

/** Planted in all that a model or a person got wrong. It may be in the quarantine, and nowhere else. */
const canary = 'canary8d3f';
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
  const heard = listen(broker);
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
    events: await eventsAsText(broker),
    views: JSON.stringify([await listRows(await broker.view('effective-output')), await listRows(await broker.view('review-queue'))]),
    'facts, incidents and traces': heard.text(),
    'log lines': services.lines.join(''),
    'metrics and health': await services.told(),
    errors: errorsAsText(errors),
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
  const lines = wrong.flatMap(([text, finishReason, repaired], index) =>
    repaired
      ? repairRecording({
          repositoryPrompt: agent.prompt,
          note: { producer: 'notes', capture: `n${index}`, text: sourceTextOf(index) },
          failed: { text, finishReason },
          output: index === 0 ? JSON.stringify(valid) : text,
          finishReason,
        })
      : [],
  );
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}

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
