import { decoder } from '@emend/overseer';
import { median } from '../measure.js';
import type { Verdict } from '../report.js';
import { hostileTexts, type Workload } from './workload.js';

export const hostileName = 'hostile 64 KiB, p99';
/** The 99th percentile of all hostile texts against one plain `JSON.parse` of a valid text of that size. */
const factor = 250;
const parsesPerRound = 50;

export function hostileVerdict({ schema, text }: Workload, rounds: number): Verdict {
  const { decode } = decoder({ schema });
  const texts = hostileTexts(65_536);
  const ratios: number[] = [];
  const worst: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < rounds + 1; round += 1) {
    const parseMs = median(Array.from({ length: parsesPerRound }, () => timed(() => JSON.parse(text) as unknown)));
    const p99Ms = percentile(
      texts.map((one) => timed(() => decode(one, 'stop'))),
      0.99,
    );
    // The first round compiles.
    if (round === 0) continue;
    ratios.push(p99Ms / parseMs);
    worst.push(p99Ms);
    plain.push(parseMs);
  }
  const ratio = median(ratios);
  const spread = `${Math.min(...ratios).toFixed(0)}–${Math.max(...ratios).toFixed(0)}`;
  const missed = ratio > factor;
  return {
    line: `| ${hostileName} | ${median(worst).toFixed(1)} ms | JSON.parse of a valid text: ${median(plain).toFixed(3)} ms | ${ratio.toFixed(0)} (${spread}) | | ≤ ${factor} | ${missed ? 'missed' : 'kept'} |`,
    missed,
    failsCi: ratio > factor * 2,
  };
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
