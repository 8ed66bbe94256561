import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServer, startServer } from '@emend/log/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDemo, type Story } from '../../demo/src/demo.js';
import { readJudgments } from '../../demo/src/judgments.js';
import { ingestLines } from '../../demo/src/samples.js';
import { storyLines } from '../../demo/src/storyText.js';
import { withoutSandbox } from '../support/sandboxOfMachine.js';

const root = join(import.meta.dirname, '..', '..');
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

interface Told extends Story {
  readonly files: Readonly<Record<string, string>>;
  readonly workers: Readonly<Record<string, number>>;
}

/** Tells the story in a folder of its own and stops everything. */
async function told(lines: readonly string[]): Promise<Told> {
  const dataDir = await mkdtemp(join(tmpdir(), 'emend-demo-'));
  folders.push(dataDir);
  const judgments = await readJudgments(join(root, 'demo', 'judgments.json'));
  const story = await runDemo({
    root,
    dataDir,
    env: { ...process.env, EMEND_REPAIR_ENDPOINT: 'http://127.0.0.1:9/v1' },
    lines,
    judgments,
    say: () => {},
  });
  await story.stack.stop();
  return {
    ...story,
    files: await exportedFiles(join(dataDir, 'export')),
    workers: await workersIn(join(dataDir, 'logs', 'repair-agent.log')),
  };
}

/** The runs of workers that the repair agent's log tells of, by how often each asked upstream. */
async function workersIn(logFile: string): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const line of (await readFile(logFile, 'utf8')).trim().split('\n')) {
    const { event, upstreamCalls } = JSON.parse(line) as { readonly event: string; readonly upstreamCalls?: number };
    if (event === 'repair.worker_ended') counts[`${upstreamCalls} calls`] = (counts[`${upstreamCalls} calls`] ?? 0) + 1;
  }
  return counts;
}

async function exportedFiles(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl'));
  const files: Record<string, string> = {};
  for (const name of names.sort()) files[name.split('/').at(-1) ?? ''] = await readFile(join(folder, name), 'utf8');
  return files;
}

const found = async (): Promise<string> =>
  (await findServer({ env: process.env, folder: join(root, '.emend'), allowInstall: false, say: () => {} })).binary;

// skipped: where bubblewrap cannot run; with CI set that is a failure
describe.skipIf(withoutSandbox)('the demo', () => {
  let lines: readonly string[];
  let story: Awaited<ReturnType<typeof told>>;

  beforeAll(async () => {
    lines = await ingestLines(join(root, 'samples'));
    story = await told(lines);
  }, 240_000);

  it('ingests real answers, at least a hundred and fifty', () => {
    expect(story.ingested).toMatchObject({ lines: lines.length, broken: 0 });
    expect(lines.length).toBeGreaterThanOrEqual(150);
  });

  it('leaves no failed run without a reason or a settled request', () => {
    const { counts, ineligible } = story;
    const failed = Object.values(counts.failed).reduce((sum, count) => sum + count, 0);
    expect(counts.runs).toBe(counts.valid + failed);
    expect(counts.requested + Object.values(ineligible).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(failed);
    expect(counts.proposed + Object.values(counts.repairFailed).reduce((sum, count) => sum + count, 0)).toBe(counts.requested);
  });

  it('plays generations that were made from the very prompts in hand', () => {
    expect(story.promptsThatDiffered).toBe(0);
  });

  it('has every proposal from a worker that asked once', () => {
    expect(story.counts.proposed).toBeGreaterThan(0);
    expect(story.workers).toEqual({ '1 calls': story.counts.proposed });
  });

  it('records every judgment of its file', () => {
    expect(story.judgments.map(({ outcome }) => outcome)).toEqual(story.judgments.map(() => 'recorded'));
    expect(new Set(story.judgments.map(({ judgment }) => judgment.act))).toEqual(new Set(['accept', 'correct', 'reject', 'retract']));
  });

  it('rebuilds the view byte-equal', () => {
    expect(story.rebuilt).toMatchObject({ kind: 'rebuilt', byteEqual: true });
  });

  it('exports what was judged for it, and nothing else', () => {
    expect(story.exported['exported']).toBeGreaterThan(0);
    expect(Object.values(story.files).every((text) => text !== '')).toBe(true);
  });

  it('is the story that the README tells', async () => {
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    expect(readme).toContain(storyLines(story).join('\n'));
  });

  it('told again has the same counts, rows and files; with one line less each count changes by what that line was', async () => {
    const again = await told(lines);
    expect({ ...again, shown: '', stack: null, exported: null, rebuilt: null }).toEqual({
      ...story,
      shown: '',
      stack: null,
      exported: null,
      rebuilt: null,
    });

    const less = await told(lines.slice(0, -1));
    expect(less.counts.runs).toBe(story.counts.runs - 1);
    const sum = (counts: Readonly<Record<string, number>>): number => Object.values(counts).reduce((total, count) => total + count, 0);
    expect(less.counts.valid + sum(less.counts.failed)).toBe(story.counts.valid + sum(story.counts.failed) - 1);
    expect(less.rows).toHaveLength(story.rows.length - 1);
    expect(sum(less.counts.effective)).toBe(sum(story.counts.effective) - 1);
  }, 480_000);
});

it('the demo leaves a stack alone that is alive in its folder', async () => {
  const stack = await mkdtemp(join(tmpdir(), 'emend-demo-'));
  folders.push(stack);
  await mkdir(join(stack, 'jetstream'));
  const alive = await startServer({ binary: await found(), storeDir: join(stack, 'jetstream') });
  await expect(runDemo({ root, dataDir: stack, env: process.env, lines: [], judgments: [], say: () => {} })).rejects.toMatchObject({
    code: 'store_in_use',
  });
  expect(await readdir(join(stack, 'jetstream'))).not.toEqual([]);
  await alive.stop();
});
