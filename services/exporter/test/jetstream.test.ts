import { existsSync, readFileSync } from 'node:fs';
import { Writable } from 'node:stream';
import { join } from 'node:path';
import type { EncodedEvent } from '@emend/contracts';
import { type Broker, bootstrap, connect, parseDefinitions } from '@emend/log';
import { startTestServer, type TestServer } from '@emend/log/server';
import { Life } from '@emend/runtime';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { observed, runStory } from '../../../test/support/history.js';
import { commandExitCodes, exportCommand } from '../src/commands.js';
import { gates } from '../src/domain/gates.js';
import { fileFaults } from '../src/domain/trlLine.js';
import { exporterLife } from '../src/service.js';
import { exportTo, fileOf, filesUnder, freshFolder } from './exports.js';
import { foldedEvents } from './folded.js';

let server: TestServer;
let broker: Broker;

beforeAll(async () => {
  server = await startTestServer();
  const definitions = parseDefinitions(JSON.parse(readFileSync(join(import.meta.dirname, '../../../deploy/jetstream.json'), 'utf8')));
  await bootstrap({ servers: server.url, definitions });
  broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
});
afterAll(async () => {
  await broker.close();
  await server.remove();
});

const run = runStory();
const anna = run.chain('anna', run.proposed);
const story = {
  monday: [...run.repaired(), anna.correct(observed('better'))],
  later: [anna.retract(), ...runStory({ reference: 'run-2' }).answered().slice(3)],
};

const append = async (events: readonly EncodedEvent[]): Promise<void> => {
  for (const { subject, bytes, headers } of events) await broker.log.append({ subject, bytes, headers });
};

const envOf = (root: string, file: string): NodeJS.ProcessEnv => ({
  EMEND_NATS_URL: server.url,
  EMEND_EXPORT_DIR: root,
  EMEND_EXPORTER_FILE: file,
  EMEND_EXPORT_INTERVAL_MS: '100',
});

/** The service in this process, and a way to wait for a line of its log. */
function serving(env: NodeJS.ProcessEnv) {
  const lines: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  const logDestination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
      for (const wake of waiting) wake();
      done();
    },
  });
  const life = new Life({ ...exporterLife(env), logDestination });
  const ended = life.run();
  const line = async (event: string, from = 0): Promise<Record<string, unknown>> => {
    for (;;) {
      const found = lines.slice(from).find((one) => one['event'] === event);
      if (found) return found;
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          waiting.delete(wake);
          resolve();
        };
        waiting.add(wake);
      });
    }
  };
  return { lines, line, stop: () => (life.stop('test'), ended) };
}

async function exported(args: readonly string[], env: NodeJS.ProcessEnv) {
  const [said, remarks]: [string[], string[]] = [[], []];
  const code = await exportCommand(args, { env, say: (line) => void said.push(line), remark: (line) => void remarks.push(line) });
  return { code, said: said.join('\n'), remarks: remarks.join('\n') };
}

it('from the log to files, live and by command, with a retraction in between', async () => {
  const root = freshFolder();
  const env = envOf(root, `${freshFolder()}.sqlite`);
  await append(story.monday);
  const service = serving(env);
  const first = await service.line('export.written');
  expect(first).toMatchObject({ position: story.monday.length, pairs: 1, sft: 1, withdrawn: 0 });
  expect(await service.line('exporter.wired')).toMatchObject({
    reads: 'stream.thought.>',
    writes: root,
    opened: 'fresh',
    destination: 'public only',
  });

  // The very files that a fold in memory gives.
  const apart = freshFolder();
  await exportTo(foldedEvents(...story.monday), { root: apart });
  expect(filesUnder(root)).toEqual(filesUnder(apart));

  // A command beside the running service: its own ledger, the same bytes.
  const other = freshFolder();
  const beside = await exported(['--out', other], env);
  expect(beside.code).toBe(commandExitCodes.ok);
  expect(beside.remarks).toContain('temporary');
  expect(beside.said).toContain('pairs.jsonl: 1 rows');
  expect(filesUnder(other)).toEqual(filesUnder(apart));

  await append(story.later);
  const second = await service.line('export.written', service.lines.indexOf(first) + 1);
  expect(second).toMatchObject({ pairs: 0, sft: 0, withdrawn: 2 });
  expect(await service.stop()).toBe(0);

  const directory = String(second['directory']);
  const manifest = JSON.parse(fileOf(root, `${directory}/manifest.json`)) as { withdrawn: unknown[]; withheld: object };
  expect(manifest.withdrawn).toHaveLength(2);
  for (const [name, text] of Object.entries(filesUnder(root))) {
    if (name.endsWith('pairs.jsonl')) expect(fileFaults('pairs.jsonl', text)).toEqual([]);
    if (name.endsWith('sft.jsonl')) expect(fileFaults('sft.jsonl', text)).toEqual([]);
  }
  const output = service.lines.map((line) => JSON.stringify(line)).join('\n');
  for (const text of ['better', 'A note about nothing', 'proposed, in short']) expect(output).not.toContain(text);
});

it('after a restart the service stands where it stood, and a command says why', async () => {
  const [root, file] = [freshFolder(), `${freshFolder()}.sqlite`];
  const env = envOf(root, file);
  const json = await exported(['--json'], env);
  const report = JSON.parse(json.said) as Record<string, unknown>;
  expect(report).toMatchObject({ outcome: 'written', runs: 2, exported: 0, withheld: { original_alone: 1, retracted: 1 } });
  const before = filesUnder(root);
  const service = serving(env);
  expect(await service.line('exporter.wired')).toMatchObject({ opened: 'kept', position: report['position'] });
  expect(await service.stop()).toBe(0);
  expect(await exported([], env)).toMatchObject({ code: 0, said: expect.stringContaining('there already') as string });
  expect(filesUnder(root)).toEqual(before);

  const why = await exported(['--why', 'notes/run-1'], env);
  expect(why.said).toBe(
    [
      `${run.run} retracted: withheld`,
      '  G1 refuse retracted: No active `accept` or `correct` stands behind the output; for a preference, behind both outputs.',
      ...gates.slice(1).map(({ id }) => `  ${id} undecided`),
    ].join('\n'),
  );
  expect((await exported(['--why', run.run, '--json'], env)).said).toContain('"known":true');
  expect((await exported(['--why', 'nobody/nothing'], env)).code).toBe(commandExitCodes.notFound);
  await expect(exported(['--nonsense'], env)).rejects.toMatchObject({ code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' });
  await expect(exported(['--out='], env)).rejects.toMatchObject({ code: 'wrong_use' });
  expect(filesUnder(root)).toEqual(before);
});

it('says why of a run whose id begins with a dash', async () => {
  const env = envOf(freshFolder(), `${freshFolder()}.sqlite`);
  const id = `-${'Ab3_-'.repeat(4)}z`;
  for (const args of [
    ['--why', id],
    ['--json', '--why', id],
  ]) {
    const { code, said } = await exported(args, env);
    expect([code, said]).toEqual([commandExitCodes.notFound, expect.stringContaining(id)]);
  }
});

it('a second exporter on the same ledger refuses to start', async () => {
  const env = envOf(freshFolder(), `${freshFolder()}.sqlite`);
  const service = serving(env);
  await service.line('exporter.wired');
  const second = serving(env);
  expect(await second.line('process.failed')).toMatchObject({ code: 'ledger_in_use' });
  expect(await second.stop()).toBe(3);
  expect(await service.stop()).toBe(0);
});

it('a file of the host that is not exactly what its format says keeps the service from starting', async () => {
  const folder = freshFolder();
  const env = { ...envOf(folder, `${freshFolder()}.sqlite`), EMEND_DECLASSIFICATION_FILE: join(import.meta.dirname, '../package.json') };
  const service = serving(env);
  expect(await service.line('process.failed')).toMatchObject({ code: 'declassification_file_invalid' });
  expect(await service.stop()).toBe(3);
  expect(existsSync(folder)).toBe(false);
});
