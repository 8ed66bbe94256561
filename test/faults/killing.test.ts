import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Authority, listRows, Producer, readHistory } from '@emend/client';
import { findHome, foldHistory, ingest, judgmentOn, readServiceCommand, type Stack, startShippedStack } from '@emend/cli';
import { canonicalText, type JudgmentReply, runIdOf, type Verdict } from '@emend/contracts';
import { type Broker, connect, type StoredEvent } from '@emend/log';
import { expect, it } from 'vitest';
import { fieldLine, fieldProducer, mayBeRepaired, observationOf, recording } from './field.js';
import { Herd, impatientDefinitions, seeded } from './herd.js';

const answers = 36;
const repairable = Array.from({ length: answers }, (_, number) => number).filter(mayBeRepaired);
const victims = ['coordinator', 'judgments', 'projector', 'exporter'] as const;
const frozenClock = join(import.meta.dirname, 'frozenClock.mjs');
const home = findHome(process.env, import.meta.dirname);
/** Pause between two kills, at most. */
const killPauseMs = 400;
/** The share of kills that do not wait until the victim is ready. */
const killedWhileStarting = 0.25;

/** What is left when everything has come to rest. */
interface Rest {
  /** By place; the claimant of a claim is random, and left out. */
  readonly events: Readonly<Record<string, string>>;
  readonly effective: readonly string[];
  readonly review: readonly string[];
  /** The lines of the training files, order aside. */
  readonly exported: readonly string[];
}

it('after kill -9 at random points the same events, rows and export are there as after an undisturbed run', async () => {
  const seed = Number(process.env['EMEND_FAULT_SEED'] ?? Math.floor(Math.random() * 1e9));
  console.info(`seed ${seed} (EMEND_FAULT_SEED repeats it)`);
  const calm = await live(null);
  const disturbed = await live(seeded(seed));
  expect(Object.keys(calm.events).length).toBeGreaterThan(answers * 3);
  expect(calm.exported.length).toBeGreaterThan(0);
  expect(Object.keys(disturbed.events)).toEqual(Object.keys(calm.events));
  expect(Object.entries(disturbed.events).filter(([place, event]) => calm.events[place] !== event)).toEqual([]);
  expect({ ...disturbed, events: {} }).toEqual({ ...calm, events: {} });
}, 600_000);

async function live(random: (() => number) | null): Promise<Rest> {
  const dataDir = await mkdtemp(join(tmpdir(), 'emend-faults-'));
  const env = { ...process.env, NODE_OPTIONS: `--import=${frozenClock}` };
  const stack = await startShippedStack({
    env,
    dataDir,
    declarations: [join(import.meta.dirname, 'declarations')],
    services: [],
    definitions: await impatientDefinitions(home),
    now: () => 0,
    say: () => {},
  });
  const broker = await connect({ servers: stack.url, name: 'faults', stream: 'THOUGHT' });
  const player = join(dataDir, 'escalation.jsonl');
  await writeFile(player, repairable.map((number) => `${recording(number)}\n`).join(''));
  const herd = new Herd({
    home,
    dataDir,
    env,
    url: stack.url,
    settings: {
      'repair-agent': {
        EMEND_REPAIR_ENABLED: 'true',
        THOUGHTSTREAM_TINKER_ESCALATION_MODEL: 'large',
        EMEND_REPAIR_PLAYER_FILE: player,
      },
    },
  });
  try {
    await herd.start(...victims, 'repair-agent');
    const work = doWork(broker);
    if (random) await killUntil(herd, random, work);
    await work;
    await herd.ready();
    return await restOf({ broker, stack, dataDir, env });
  } finally {
    await herd.stop();
    await broker.close();
    await stack.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function killUntil(herd: Herd, random: () => number, work: Promise<void>): Promise<void> {
  let over = false;
  const ended = work.finally(() => {
    over = true;
  });
  ended.catch(() => {}); // The caller waits for the work itself.
  let kills = 0;
  while (!over) {
    await new Promise((resolve) => setTimeout(resolve, random() * killPauseMs));
    const victim = victims[Math.floor(random() * victims.length)] ?? 'coordinator';
    // One in four dies while it starts. Were it more, a slow machine would see no service live long enough to do anything.
    if (random() >= killedWhileStarting) await Promise.race([herd.oneReady([victim]), ended.catch(() => {})]);
    await herd.kill9(victim);
    kills += 1;
  }
  console.info(`${kills} kills`);
  expect(kills).toBeGreaterThan(5);
}

/** The demo data flows, and three authorities judge what comes of it. */
async function doWork(broker: Broker): Promise<void> {
  const producer = new Producer({ log: broker.log, producer: fieldProducer, now: () => 0 });
  await ingest({
    producer,
    lines: lines(),
    agent: 'field.observer@1',
    privacy: 'public',
    sourceClass: 'public-source',
    onBroken: ({ number, code }) => {
      throw new Error(`line ${number}: ${code}`);
    },
  });
  for (const number of repairable) await judge(broker, number);
}

async function* lines() {
  for (let number = 0; number < answers; number += 1) yield fieldLine(number);
}

const acts: readonly (readonly Verdict[])[] = [['accept'], ['accept', 'correct'], ['reject'], ['correct'], ['accept', 'reject']];

/** Judgments on one proposal, the second superseding the first; sent again until an answer says that they stand. */
async function judge(broker: Broker, number: number): Promise<void> {
  const run = runIdOf({ producer: fieldProducer, reference: `run-${number}` });
  let supersedes: string | undefined;
  for (const [index, verdict] of (acts[number % acts.length] ?? []).entries()) {
    const flags = {
      authority: `reviewer-${number % 3}`,
      action: `act-${number}-${index}`,
      quality: true,
      export: true,
      public: true,
      ...(supersedes === undefined ? {} : { supersedes }),
    };
    const replacement = verdict === 'correct' ? observationOf(number, 'corrected') : undefined;
    const reply = await untilAnswered(async () => {
      const command = judgmentOn(await foldHistory(broker.log, run, await readHistory(broker.log, run)), verdict, flags, replacement);
      return command ? new Authority(broker, flags.authority).record(command) : null;
    });
    expect(reply.kind).toMatch(/^(already_)?recorded$/);
    supersedes = reply.kind === 'recorded' || reply.kind === 'already_recorded' ? reply.event : undefined;
  }
}

async function untilAnswered(ask: () => Promise<JudgmentReply | null>): Promise<JudgmentReply> {
  for (;;) {
    // No answer, or none yet to judge: the same action again is safe.
    const reply = await ask().catch(() => null);
    if (reply !== null && reply.kind !== 'unavailable') return reply;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function restOf({
  broker,
  stack,
  dataDir,
  env,
}: {
  broker: Broker;
  stack: Stack;
  dataDir: string;
  env: NodeJS.ProcessEnv;
}): Promise<Rest> {
  const settings = {
    ...env,
    EMEND_NATS_URL: stack.url,
    EMEND_PROJECTOR_FILE: join(dataDir, 'again.sqlite'),
    EMEND_EXPORTER_FILE: join(dataDir, 'export-again.sqlite'),
  };
  // The rebuild folds everything and compares: exit code 0 says that the live rows were the rebuilt ones.
  await untilZero(() => readServiceCommand(home, 'projector', ['rebuild', '--json'], settings));
  const out = join(dataDir, 'export-again');
  expect((await readServiceCommand(home, 'exporter', ['export', '--out', out, '--json'], settings)).exitCode).toBe(0);
  return {
    events: await eventsIn(broker),
    effective: await rowsIn(broker, 'effective-output'),
    review: await rowsIn(broker, 'review-queue'),
    exported: await linesIn(out),
  };
}

/** A live projector may still be on its way after its last kill; what it shows in the end must be equal. */
async function untilZero(run: () => Promise<{ readonly exitCode: number; readonly output: string }>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const { exitCode, output } = await run();
    if (exitCode === 0) return;
    if (attempt === 20) throw new Error(`the views do not come to rest: ${output}`);
  }
}

async function eventsIn(broker: Broker): Promise<Readonly<Record<string, string>>> {
  const events: Record<string, string> = {};
  for await (const stored of broker.log.read({ from: 1, to: await broker.log.lastSequence() })) events[stored.subject] = textOf(stored);
  return Object.fromEntries(Object.entries(events).sort(([a], [b]) => (a < b ? -1 : 1)));
}

const textOf = ({ bytes }: StoredEvent): string => new TextDecoder().decode(bytes).replace(/"claimant":"[^"]*"/, '"claimant":"…"');

async function rowsIn(broker: Broker, bucket: string): Promise<readonly string[]> {
  return (await listRows(await broker.view(bucket))).map(({ row }) => canonicalText(row));
}

async function linesIn(folder: string): Promise<readonly string[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => /(pairs|sft|unpaired)\.jsonl$/.test(name));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => text.split('\n').filter((line) => line !== '')).sort();
}
