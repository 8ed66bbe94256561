import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type AnswerField, attemptsMax, callKey, inHandMax, openAnswerField, replicas, slots, wayOf } from './answerField.js';
import { AnswerFold, type Attempt } from './answerFold.js';
import { disturb, type FaultReport } from './disturbing.js';
import { sourceEventId } from './field.js';
import { seeded } from './herd.js';
import { foldAgain } from './logWatch.js';
import { isAlive } from './processTree.js';
import { sumOf, type WireCounts } from './unkindWire.js';

const sources = Number(process.env['EMEND_FAULT_SOURCES'] ?? 200);
const lookAgainMs = 50;

it('each source has one answer at most, no claim has a second call, and no overseer either, under kills, stalls and lost answers', async () => {
  const seed = Number(process.env['EMEND_FAULT_SEED'] ?? Math.floor(Math.random() * 1e9));
  console.info(`seed ${seed} (EMEND_FAULT_SEED repeats it)`);
  const random = seeded(seed);
  const field = await openAnswerField(sources, random);
  try {
    const { faults, stored, idleAfterMs } = await runThrough(field, random);
    const wire = sumOf([...field.wires.values()].map(({ counts }) => counts));
    const said = await saidIn(join(field.dataDir, 'logs', 'runner.log'));
    const answers = numbersBelow(sources).map((number) => stored.attemptsOf(sourceEventId(number)));
    const attempts = answers.flat();
    const endedAs = (as: string): number => attempts.filter((attempt) => attempt.as === as).length;
    const { orphans, lastKillMs: _, ...done } = faults;
    const answered = { exact: endedAs('exact'), repaired: endedAs('repaired'), overseen: endedAs('overseen') };
    const not = { abandoned: endedAs('abandoned'), unanswered: answers.filter((of) => !of.some(isAnswer)).length };
    const more = { open: attempts.filter(isOpen).length, ...callsOf(field), claimsLost: said.claimsLost, lateEnds: said.lateEnds };
    const last = { setAside: said.setAside.size, orphans: orphans.length, idleAfterMs };
    console.info(JSON.stringify({ seed, sources, attempts: attempts.length, ...answered, ...not, ...more, ...done, ...wire, ...last }));

    expect(stored.sources.size).toBe(sources);
    // Nothing answers a source but its own attempts, and each of them has its end: unless its claim arrived when its message,
    // which had come too often, was set aside already, and nobody was left to come back for it.
    expect(attempts).toHaveLength(stored.attempts.size);
    expect(numbersBelow(sources).filter((number) => answers[number]?.some(isOpen) && !said.setAside.has(number))).toEqual([]);
    expect(Math.max(...answers.map(({ length }) => length))).toBeLessThanOrEqual(attemptsMax);
    expect(answers.filter((of) => of.filter(isAnswer).length > 1)).toEqual([]);
    // Nothing else than a fault keeps a source from its answer: its attempts are used up, or its message came too often.
    expect(answers.flatMap((of, number) => of.filter(isAnswer).filter(({ as }) => as !== wayOf(number)))).toEqual([]);
    const unanswered = numbersBelow(sources).filter((number) => !answers[number]?.some(isAnswer));
    expect(unanswered.filter((number) => answers[number]?.length !== attemptsMax && !said.setAside.has(number))).toEqual([]);
    expect(endedAs('abandoned')).toBeLessThanOrEqual(mayBeAbandoned(faults, wire));

    // No claim has a second call: counted by source and replica, since a replica that is late still makes its own.
    expect(numbersBelow(sources).flatMap((number) => overCalled(field, number, answers[number] ?? []))).toEqual([]);
    // What an end says of its calls is what it takes where nothing dies.
    for (const { as, calls: counted } of attempts.filter(isAnswer))
      expect(counted).toEqual({ primary: 1, overseer: as === 'overseen' ? 1 : 0 });

    expect(Math.min(wire.acksLost, wire.answersLost, wire.claimsHeld, faults.stalls)).toBeGreaterThan(0);
    expect(field.herd.endedByThemselves).toBe(0);
    expect(faults.openAtLastKill).toBeGreaterThan(0);
    // Neither a worker nor its sandbox outlives the replica that started it.
    expect(orphans.length).toBeGreaterThan(0);
    expect(orphans.filter(isAlive)).toEqual([]);
  } finally {
    await field.close();
  }
}, 840_000);

interface Run {
  readonly faults: FaultReport;
  readonly stored: AnswerFold;
  /** From the last kill until nothing was left to do. */
  readonly idleAfterMs: number;
}

async function runThrough(field: AnswerField, random: () => number): Promise<Run> {
  const { herd, wires, broker } = field;
  await herd.start(...wires.keys());
  const faults = await disturb({ ...field, wanted: sources, openAtLast: inHandMax * 2, brokerDiesAt: [], random });
  while (!(await field.isIdle())) await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  const idleAfterMs = Math.round(performance.now() - faults.lastKillMs);
  // A replica that was late may still have a call to make: it is counted too.
  await herd.ready();
  await herd.stop();
  return { faults, stored: await foldAgain(broker.log, new AnswerFold(attemptsMax)), idleAfterMs };
}

const numbersBelow = (count: number): readonly number[] => Array.from({ length: count }, (_, number) => number);
const isOpen = ({ as }: Attempt): boolean => as === null;
const isAnswer = ({ as }: Attempt): boolean => as !== null && as !== 'abandoned';
const mayBeAbandoned = ({ kills, stalls }: FaultReport, { claimsHeld }: WireCounts): number => slots * (kills + stalls + claimsHeld);

function callsOf({ provider }: AnswerField): { readonly primary: number; readonly overseer: number } {
  const sum = (call: string): number => [...provider.calls].reduce((all, [key, count]) => (key.startsWith(call) ? all + count : all), 0);
  return { primary: sum('primary '), overseer: sum('overseer ') };
}

/** Where a replica has asked more often than it has claimed, or its overseer more often than itself. */
function overCalled({ provider, wires }: AnswerField, number: number, attempts: readonly Attempt[]): readonly string[] {
  return replicas.flatMap((replica) => {
    const claims = attempts.filter(({ claimant }) => claimant !== null && wires.get(replica)?.hasClaimed(claimant)).length;
    const [primary = 0, overseer = 0] = (['primary', 'overseer'] as const).map(
      (call) => provider.calls.get(callKey(call, replica, sourceEventId(number))) ?? 0,
    );
    return primary > claims || overseer > primary
      ? [`source ${number}, ${replica}: ${claims} claims, calls ${primary} and ${overseer}`]
      : [];
  });
}

/** How often the replicas said what they met, and which sources came too often. */
async function saidIn(logFile: string) {
  const lines = (await readFile(logFile, 'utf8')).split('\n');
  const said = (event: string): readonly string[] => lines.filter((line) => line.includes(`"${event}"`));
  return {
    claimsLost: said('run.claim_lost').length,
    lateEnds: said('run.end_lost').length,
    setAside: new Set(said('run.trigger_set_aside').map((line) => Number(/\.n(\d+)"/.exec(line)?.[1]))),
  };
}
