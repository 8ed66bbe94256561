import { decoder } from '@emend/overseer';
import { median } from '../measure.js';
import type { Verdict } from '../report.js';
import { hostileTexts, type Workload } from './workload.js';

export const hostileName = 'hostile 64 KiB, p99';
/** The 99th percentile of all hostile texts against the median of plain `JSON.parse` of a valid text of that size. */
const factor = 250;
const parsesPerRound = 50;

/** Milliseconds by the clock, and of this process's own processor time. */
interface Times {
  readonly wall: number;
  readonly cpu: number;
}

interface Round {
  readonly plain: Times;
  readonly worst: Times;
}

/**
 * By processor time: a text of ten milliseconds is interrupted on a busy machine and a parse of a tenth of one is not, so that the clock compares the
 * machine's other work. Both ratios are shown.
 */
export function hostileVerdict({ schema, text }: Workload, rounds: number): Verdict {
  const { decode } = decoder({ schema });
  const texts = hostileTexts(65_536);
  const measured = Array.from({ length: rounds + 1 }, (): Round => {
    const plain = Array.from({ length: parsesPerRound }, () => timed(() => JSON.parse(text) as unknown));
    const hostile = texts.map((one) => timed(() => decode(one, 'stop')));
    return { plain: of(plain, median), worst: of(hostile, p99) };
  }).slice(1); // The first round compiles.
  const ratios = (by: keyof Times): readonly number[] => measured.map(({ plain, worst }) => worst[by] / plain[by]);
  const ms = (side: keyof Round): number => median(measured.map((round) => round[side].cpu));
  const ratio = median(ratios('cpu'));
  const spread = `${Math.min(...ratios('wall')).toFixed(0)}–${Math.max(...ratios('wall')).toFixed(0)}`;
  const missed = ratio > factor;
  return {
    line: `| ${hostileName} | ${ms('worst').toFixed(1)} ms | JSON.parse of a valid text: ${ms('plain').toFixed(3)} ms | ${median(ratios('wall')).toFixed(0)} (${spread}) | ${ratio.toFixed(0)} | ≤ ${factor} | ${missed ? 'missed' : 'kept'} |`,
    missed,
    failsCi: ratio > factor * 2,
  };
}

const of = (times: readonly Times[], one: (values: readonly number[]) => number): Times => ({
  wall: one(times.map(({ wall }) => wall)),
  cpu: one(times.map(({ cpu }) => cpu)),
});

function timed(work: () => unknown): Times {
  const startMs = performance.now();
  const startCpu = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(startCpu);
  return { wall: performance.now() - startMs, cpu: (user + system) / 1_000 };
}

const p99 = (values: readonly number[]): number => percentile(values, 0.99);

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
