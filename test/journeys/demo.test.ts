import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventOf, readEvent, type ThoughtEvent } from '@emend/contracts';
import { connect } from '@emend/log';
import { findServer, startServer } from '@emend/log/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runDemo, type Story } from '../../demo/src/demo.js';
import { readJudgments } from '../../demo/src/judgments.js';
import { observerId, sourceSubject } from '../../demo/src/observers.js';
import { readSamples, type Samples } from '../../demo/src/samples.js';
import { storyLines } from '../../demo/src/storyText.js';
import { withoutSandbox } from '../support/sandboxOfMachine.js';
import { recountedAnswers } from './recountedAnswers.js';

const root = join(import.meta.dirname, '..', '..');
const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

interface Told extends Story {
  readonly files: Readonly<Record<string, string>>;
  /** The workers of each service, by how often each asked upstream. */
  readonly workers: { readonly runner: Counted; readonly repairAgent: Counted };
  /** Everything that stood in the log. */
  readonly events: readonly ThoughtEvent[];
}
type Counted = Readonly<Record<string, number>>;

/** Tells the story in a folder of its own and stops everything. */
async function told(samples: Samples, env: NodeJS.ProcessEnv = process.env): Promise<Told> {
  const dataDir = await mkdtemp(join(tmpdir(), 'emend-demo-'));
  folders.push(dataDir);
  const judgments = await readJudgments(join(root, 'demo', 'judgments.json'));
  const otherModels = { EMEND_REPAIR_ENDPOINT: 'http://127.0.0.1:9/v1', EMEND_RUNNER_OUTPUT_REPAIR_MODEL: 'other' };
  const story = await runDemo({ root, dataDir, env: { ...env, ...otherModels }, samples, judgments, say: () => {} });
  const events = await eventsOf(story.stack.url);
  await story.stack.stop();
  const logOf = (service: string): string => join(dataDir, 'logs', `${service}.log`);
  return {
    ...story,
    events,
    files: await exportedFiles(join(dataDir, 'export')),
    workers: {
      runner: await workersIn(logOf('runner'), 'run.worker_ended'),
      repairAgent: await workersIn(logOf('repair-agent'), 'repair.worker_ended'),
    },
  };
}

async function eventsOf(url: string): Promise<readonly ThoughtEvent[]> {
  const broker = await connect({ servers: url, name: 'demo-test', stream: 'THOUGHT' });
  const events: ThoughtEvent[] = [];
  for await (const stored of broker.log.read({ from: 1, to: await broker.log.lastSequence() })) {
    const read = readEvent(stored);
    if (read.kind === 'event') events.push(read.event);
  }
  await broker.close();
  return events;
}

async function workersIn(logFile: string, name: string): Promise<Counted> {
  const counts: Record<string, number> = {};
  for (const line of (await readFile(logFile, 'utf8')).trim().split('\n')) {
    const { event, upstreamCalls } = JSON.parse(line) as { readonly event: string; readonly upstreamCalls?: number };
    if (event === name) counts[`${upstreamCalls} calls`] = (counts[`${upstreamCalls} calls`] ?? 0) + 1;
  }
  return counts;
}

async function exportedFiles(folder: string): Promise<Readonly<Record<string, string>>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl'));
  const files: Record<string, string> = {};
  for (const name of names.sort()) files[name.split('/').at(-1) ?? ''] = await readFile(join(folder, name), 'utf8');
  return files;
}

const standardRuns = (events: readonly ThoughtEvent[]): readonly EventOf<'runStarted'>[] =>
  events.flatMap((event) => (event.name === 'runStarted' && event.data.role === 'standard' ? [event] : []));

const sum = (counts: Counted): number => Object.values(counts).reduce((total, count) => total + count, 0);

const found = async (): Promise<string> =>
  (await findServer({ env: process.env, folder: join(root, '.emend'), allowInstall: false, say: () => {} })).binary;

// skipped: where bubblewrap cannot run; with CI set that is a failure
describe.skipIf(withoutSandbox)('the demo', () => {
  let samples: Samples;
  let story: Told;

  beforeAll(async () => {
    samples = await readSamples(join(root, 'samples'));
    story = await told(samples);
  }, 240_000);

  it('answers each note with one run of each declaration that was recorded for it, and there are at least a hundred and fifty', () => {
    const answered = standardRuns(story.events).map(({ data }) => `${data.agent.id} ${data.trigger}`);
    expect(answered.toSorted()).toEqual(samples.answers.map((answer) => `${observerId(answer)} ${sourceSubject(answer.note)}`).toSorted());
    expect(answered.length).toBeGreaterThanOrEqual(150);
    expect(story.notes).toBe(samples.notes.length);
  });

  it('says of each run that its answer was played, and of what sandbox it ran in', () => {
    const manifests = standardRuns(story.events).map(({ data }) => [data.model.provider, data.manifest.sandbox !== undefined]);
    expect(manifests).toEqual(manifests.map(() => ['recorded', true]));
  });

  it('plays generations that were made from the very prompts in hand, and none of them twice', () => {
    const { calls } = story.answers;
    expect(calls.primary).toBe(samples.answers.length);
    expect(story.played.runner).toEqual({ played: calls.primary + calls.overseer });
    expect(story.played.repairAgent).toEqual({ played: story.counts.requested });
  });

  it('makes each of these calls in a worker that asked once', () => {
    const { calls } = story.answers;
    expect(story.workers.runner).toEqual({ '1 calls': calls.primary + calls.overseer });
    expect(story.workers.repairAgent).toEqual({ '1 calls': story.counts.requested });
    expect(story.counts.proposed).toBeGreaterThan(0);
  });

  it('has answers that came out as ring 1 and the rules make of what was recorded', async () => {
    const { calls, exact, repaired, overseen } = story.answers;
    expect({ exact, repaired, overseen, failed: story.counts.failed, overseer: calls.overseer }).toEqual(await recountedAnswers(samples));
  });

  it('tells of all runs in its log: exact, repaired, overseen, failed', () => {
    const { exact, repaired, overseen, failed } = story.answers;
    const outputs = story.events.filter(({ name }) => name === 'outputProduced');
    const failures = story.events.filter((event) => event.name === 'runFailed' && event.data.repair === undefined);
    expect([exact + repaired + overseen, failed]).toEqual([outputs.length, failures.length]);
    expect(exact + repaired + overseen + failed).toBe(story.counts.runs);
    expect(sum(story.counts.failed)).toBe(failed);
    expect(exact + repaired + overseen).toBe(story.counts.valid);
  });

  it('leaves no failed run without a reason or a settled request', () => {
    const { counts, ineligible, answers } = story;
    expect(counts.requested + sum(ineligible)).toBeGreaterThanOrEqual(answers.failed);
    expect(counts.proposed + sum(counts.repairFailed)).toBe(counts.requested);
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

  it('told again has the same counts, rows and files; with one answer less each count changes by what that answer was', async () => {
    const again = await told(samples);
    const timeless = (one: Told) => ({ ...one, shown: '', stack: null, exported: null, rebuilt: null, events: null });
    expect(timeless(again)).toEqual(timeless(story));
    expect(storyLines(again)).toEqual(storyLines(story));

    const less = await told({ ...samples, answers: samples.answers.slice(0, -1) });
    expect(less.counts.runs).toBe(story.counts.runs - 1);
    expect(less.counts.valid + sum(less.counts.failed)).toBe(story.counts.valid + sum(story.counts.failed) - 1);
    expect(less.rows).toHaveLength(story.rows.length - 1);
    expect(sum(less.counts.effective)).toBe(sum(story.counts.effective) - 1);
  }, 480_000);

  it('without a sandbox leaves the notes to nobody, says so, and goes on with the recorded answers as they are', async () => {
    const preload = `--import=${join(root, 'test', 'support', 'withoutSandbox.mjs')}`;
    const without = await told(samples, { ...process.env, NODE_OPTIONS: preload });
    expect(storyLines(without).join('\n')).toContain('there is no sandbox here (architecture_unsupported)');
    expect(without.answers.exact + without.answers.failed).toBe(samples.answers.length);
    expect(without.counts.requested).toBeGreaterThan(0);
    expect([without.counts.proposed, without.played]).toEqual([0, { runner: {}, repairAgent: {} }]);
    expect(without.rebuilt).toMatchObject({ byteEqual: true });
  }, 240_000);
});

it('the demo leaves a stack alone that is alive in its folder', async () => {
  const stack = await mkdtemp(join(tmpdir(), 'emend-demo-'));
  folders.push(stack);
  await mkdir(join(stack, 'jetstream'));
  const alive = await startServer({ binary: await found(), storeDir: join(stack, 'jetstream') });
  const samples: Samples = { notes: [], answers: [], repairs: [] };
  await expect(runDemo({ root, dataDir: stack, env: process.env, samples, judgments: [], say: () => {} })).rejects.toMatchObject({
    code: 'store_in_use',
  });
  expect(await readdir(join(stack, 'jetstream'))).not.toEqual([]);
  await alive.stop();
});
