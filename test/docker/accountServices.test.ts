import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { getRow, Producer, type ViewRow } from '@emend/client';
import { eventIdOf, subjects, writeTranscript } from '@emend/contracts';
import type { Broker } from '@emend/log';
import { workspaceRoot } from '@emend/log/server';
import { transcriptsLife } from '@emend/transcripts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { coordinator, exporter, judgments, projector, repairAgent, runner } from '../invariants/lives.js';
import { modelOf, type RingProvider, ringProvider } from '../invariants/ringProvider.js';
import { declareAll, filesUnder, reached } from '../journeys/canaryStage.js';
import { type LifeOf, type LivingServices, startServices } from '../journeys/livingServices.js';
import { type AccountBroker, startAccountBroker } from './accountBroker.js';

// Every service as it is, each with the credentials of its own account in deploy/nats/accounts.conf. It needs no container.

const secret = 'canary-51ce';
const noteText = 'The gauge stood at 2.14 m.';
const sourceId = eventIdOf(subjects.source({ kind: 'note', producer: 'ingest', capture: 'n0' }));
const valid = { title: 'Gauge', summary: 'It stood.', tags: ['gauge'], confidence: 1, evidence: [{ eventId: sourceId, quote: '2.14 m' }] };
const note = {
  sourceId,
  secret,
  says: { primary: { text: `{"title":["${secret}"]}` }, overseer: { text: `Sorry, ${secret}.` }, repair: { text: JSON.stringify(valid) } },
} as const;
const talk = writeTranscript({
  producer: 'ingest',
  capture: 'talk-1',
  time: '2026-12-01T08:00:00.000Z',
  // Too long for its event, so that its segments are an object.
  segments: Array.from({ length: 40 }, () => ({
    speaker: null,
    startMs: null,
    endMs: null,
    text: Array.from({ length: 60 }, () => 'We met at the pier.').join(' '),
  })),
});

const lives: Readonly<Record<string, LifeOf>> = {
  coordinator,
  'repair-agent': repairAgent,
  runner,
  transcripts: (env) => transcriptsLife(env),
  judgments,
  projector,
  exporter,
};

describe('every service under its own account', () => {
  let accounts: AccountBroker;
  let provider: RingProvider;
  let transcriber: { readonly url: string; close(): Promise<void> };
  let door: Broker;
  let reader: Broker;
  const living: LivingServices[] = [];
  const facts: string[] = [];

  beforeAll(async () => {
    accounts = await startAccountBroker();
    provider = await ringProvider([note]);
    transcriber = await findsNothing();
    const declarer = await accounts.connectAs('declare');
    await declareAll(new Producer({ log: declarer.log, producer: 'emend-declare' }));
    await declarer.close();
    door = await accounts.connectAs('producer');
    reader = await accounts.connectAs('authority');
    const heard = reader.follow('fact.thought.>');
    void (async () => {
      for await (const { subject } of heard) facts.push(subject);
    })();
    for (const [user, life] of Object.entries(lives)) living.push(await startServices(settingsOf(user), [life]));
  });

  afterAll(async () => {
    await Promise.all(living.map((service) => service.stop()));
    await Promise.all([door?.close(), reader?.close(), provider?.close(), transcriber?.close()]);
    await accounts?.remove();
  });

  test('takes a note through both rings, to a row that an authority accepted', async () => {
    const producer = new Producer({ log: door.log, producer: 'ingest' });
    await producer.capture({ kind: 'note', capture: 'n0', text: noteText, privacy: 'public', sourceClass: 'public-source' });
    const waiting = await rowWhere('review-queue', (row) => row['state'] === 'awaiting');
    // As shipped, the runner asks once more for an output that is refused, and each invocation has an overseer of its own.
    expect([provider.countOf(0, 'primary'), provider.countOf(0, 'overseer'), provider.countOf(0, 'repair')]).toEqual([2, 2, 1]);
    const reply = await accept(waiting.run);
    expect(reply).toMatchObject({ code: 0 });
    const row = await rowWhere('effective-output', ({ status }) => status === 'repaired');
    expect(row['output']).toEqual(valid);
    await reached('a training file has a row', async () => filesUnder(path.join(accounts.folder, 'export')).includes('"completion"'));
  });

  test('corrects a transcript that is too long for its event', async () => {
    if (talk.kind !== 'beside') throw new Error('it has room in its event');
    const object = await (await door.objects('transcripts')).put(talk.root, talk.bytes);
    await door.log.append(talk.eventWith(object));
    await reached('its corrected transcript', async () => placesOf('derived.transcript.corrected').length === 1);
    expect(runsOf('transcripts')).toHaveLength(1);
  });

  test('lets an operator open the text of the failed run, and no other name in its place', async () => {
    const [run = ''] = runsOf('runner');
    const show = (as: string) => emend('operator', ['quarantine', 'show', run, '--as', as, '--reason', 'why it failed']);
    expect(await show('keeper')).toMatchObject({ code: 0, out: expect.stringContaining(secret), err: '' });
    const refused = await show('other');
    expect(refused).toMatchObject({ code: 1, out: '', err: expect.stringContaining('audit_failed') });
    for (const user of ['producer', 'authority', 'runner', 'projector'])
      expect([user, (await emend(user, ['quarantine', 'show', run, '--as', 'keeper', '--reason', 'why it failed'])).out]).toEqual([
        user,
        '',
      ]);
  });

  test('loses nothing that it would have written, and holds the text nowhere else', async () => {
    const lines = living.flatMap((service) => service.lines).join('');
    expect(lines).not.toMatch(/_lost"|permission_denied|no_responders/);
    expect(lines).not.toContain(secret);
  });

  function settingsOf(user: string): Readonly<Record<string, string>> {
    const at = (name: string): string => path.join(accounts.folder, name);
    const tier = (model: string) => ({ provider: 'local', baseUrl: provider.url, model });
    // What YAML calls a flow mapping is JSON.
    writeFileSync(at('models.yaml'), JSON.stringify({ tiers: { small: tier(modelOf.primary), escalation: tier('mapped') } }));
    const models = { EMEND_MODEL_CATALOGUE_FILE: at('models.yaml'), THOUGHTSTREAM_TINKER_ESCALATION_MODEL: modelOf.repair };
    return {
      EMEND_NATS_URL: accounts.url,
      EMEND_NATS_CREDENTIALS: accounts.credentialsFile(user),
      ...(user === 'runner' || user === 'repair-agent' ? models : {}),
      EMEND_RUNNER_AGENTS: 'example.observer@1',
      EMEND_RUNNER_OUTPUT_REPAIR_MODEL: modelOf.overseer,
      EMEND_REPAIR_ENABLED: 'true',
      EMEND_TRANSCRIPTS_ENABLED: 'true',
      EMEND_TRANSCRIPTS_ENDPOINT: transcriber.url,
      EMEND_PROJECTOR_FILE: at('projector.db'),
      EMEND_EXPORTER_FILE: at('exporter.sqlite'),
      EMEND_EXPORT_DIR: at('export'),
      EMEND_EXPORT_INTERVAL_MS: '100',
    };
  }

  /** Where facts stand under a stem, as an authority hears of them: whoever may not remove a consumer does not make one for each look. */
  const placesOf = (stem: string): readonly string[] => facts.filter((place) => place.startsWith(`fact.thought.${stem}.`));

  /** An authority reads row by row: it may make no consumer on a bucket. */
  async function rowWhere(view: string, fits: (row: ViewRow['row']) => boolean): Promise<ViewRow['row']> {
    let found: ViewRow['row'] | undefined;
    await reached(`a row of ${view}`, async () => {
      const rows = await Promise.all(runsOf('runner').map(async (run) => (await getRow(await reader.view(view), run))?.row));
      found = rows.find((row) => row !== undefined && fits(row));
      return found !== undefined;
    });
    if (found === undefined) throw new Error('a row was reached');
    return found;
  }

  const runsOf = (producer: string): readonly string[] =>
    placesOf(`agent.run.ended.${producer}`).map((place) => place.split('.').at(-1) ?? '');

  const accept = (run: string) =>
    emend('authority', ['judge', 'accept', run, '--authority', 'reviewer', '--action', 'a1', '--quality', '--export', '--public']);

  /** The program of the command, with the credentials of one user. */
  function emend(user: string, words: readonly string[]) {
    const env = { ...process.env, EMEND_NATS_URL: accounts.url, EMEND_NATS_CREDENTIALS: accounts.credentialsFile(user) };
    const child = spawn(process.execPath, [path.join(workspaceRoot(), 'packages/cli/dist/main.js'), ...words], { env });
    const text = { out: '', err: '' };
    child.stdout.on('data', (chunk: Buffer) => void (text.out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => void (text.err += chunk.toString()));
    return new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, ...text })),
    );
  }
});

/** A provider that has nothing to correct. */
async function findsNothing() {
  const content = JSON.stringify({ corrections: [] });
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }];
  const body = JSON.stringify({ model: 'default', choices, usage: { prompt_tokens: 20_000, completion_tokens: 50 } });
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
