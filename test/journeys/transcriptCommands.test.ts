import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDefinitions } from '@emend/cli';
import { bootstrap } from '@emend/log';
import { startTestServer, type TestServer, workspaceRoot } from '@emend/log/server';
import { afterAll, beforeAll, expect, it } from 'vitest';

let server: TestServer;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emend-transcript-commands-'));
  server = await startTestServer();
  const shipped = await readDefinitions(workspaceRoot());
  const modest = <Part extends { readonly maxBytes: number }>(part: Part): Part => ({ ...part, maxBytes: 64 * 1024 * 1024 });
  const objects = (shipped.objects ?? []).map(modest);
  await bootstrap({ servers: server.url, definitions: { streams: shipped.streams.map(modest), buckets: [], objects, durables: [] } });
  await writeFile(join(folder, 'talk.txt'), 'we met at the north peer\n');
  await writeFile(join(folder, 'bad.srt'), '1\nno timing\n\n2\n00:00:01,000 --> 00:00:02,000\n\u0007bell\n');
});
afterAll(async () => {
  await server.remove();
  await rm(folder, { recursive: true, force: true });
});

/** The command as it is installed, in a folder of its own. */
function emend(...args: readonly string[]) {
  const child = spawn(process.execPath, [join(workspaceRoot(), 'packages/cli/dist/main.js'), ...args], {
    timeout: 30_000,
    cwd: folder,
    env: { EMEND_NATS_URL: server.url, PATH: process.env['PATH'] },
  });
  const text = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => void (text.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => void (text.err += chunk.toString()));
  return new Promise<{ code: number | null; out: string; err: string }>((resolve) =>
    child.once('close', (code) => resolve({ code, ...text })),
  );
}

it('submits a transcript, says that nobody answers it yet, and refuses each bad line', async () => {
  const submitted = await emend('transcript', 'submit', 'talk.txt', '--producer', 'field', '--ref', 'talk-1');
  const place = 'stream.thought.source.transcript.captured.field.talk-1';
  expect(submitted).toEqual({ code: 0, out: `1 segment, in the event\n${place}\nemend transcript diff ${place}\n`, err: '' });
  expect(await emend('--json', 'transcript', 'submit', 'talk.txt', '--producer', 'field', '--ref', 'talk-1')).toMatchObject({
    code: 0,
    out: expect.stringContaining('"fresh":false') as string,
  });
  const diff = await emend('transcript', 'diff', 'field/talk-1');
  expect([diff.code, diff.out, diff.err.split(':')[0]]).toEqual([4, '', 'agent_missing']);
  const bad = await emend('transcript', 'submit', 'bad.srt');
  expect([bad.code, bad.out]).toEqual([1, '']);
  expect(bad.err.split('\n').map((line) => line.split(': ').slice(0, 3).join(': '))).toEqual([
    'emend-transcripts: transcript_refused: 2 places',
    '  bad.srt: line 1: timing_missing',
    '  bad.srt: line 5: text_unreadable',
    '',
  ]);
});

it('shows the prompts in force and the settings of each stage', async () => {
  expect(await emend('prompts', 'diff')).toEqual({ code: 0, out: 'every prompt is as it ships\n', err: '' });
  expect((await emend('prompts', 'list')).out).toContain('shipped   grammar.repair\n');
  expect((await emend('transcript', 'settings')).out).toContain('repair.max_attempts');
});

it.each([[['transcript']], [['transcript', 'nonsense']], [['transcript', 'submit']], [['prompts']]])(
  '%j is wrong use, and starts nothing',
  async (words) => {
    const { code, out, err } = await emend(...words);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/^usage: emend-transcripts /);
  },
);
