import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Verdict } from '../report.js';

/** What the folding process reports: how far it is, and its resident size. */
export interface MemorySample {
  readonly position: number;
  readonly residentBytes: number;
}

export const memoryFrom = 10_000;
export const memoryTo = 200_000;
export const memoryName = `memory of the fold, ${memoryFrom.toLocaleString('en')} to ${memoryTo.toLocaleString('en')} events`;
const growth = 1.1;
const slackBytes = 16 * 1024 * 1024;
const mebibyte = 1024 * 1024;

/** Folds, each in a process of its own: how lazily the collector works differs from one to the next, a leak does not. */
const folds = 3;

/** Flat memory: the peak of the last tenth is at most 1.1 times that of the first tenth and 16 MiB. The median fold counts. */
export async function memoryVerdict(url: string): Promise<Verdict> {
  const peaks: Peaks[] = [];
  for (let fold = 0; fold < folds; fold += 1) peaks.push(peaksOf(await foldElsewhere(url)));
  const byRatio = peaks.toSorted((a, b) => a.last / a.first - b.last / b.first);
  const { first, last } = byRatio[Math.floor(folds / 2)] ?? { first: 0, last: Number.POSITIVE_INFINITY };
  const missed = last > growth * first + slackBytes;
  const mib = (bytes: number): string => `${Math.round(bytes / mebibyte)} MiB`;
  const spread = [byRatio.at(0), byRatio.at(-1)].map((one) => (one ? one.last / one.first : Number.NaN).toFixed(2)).join('–');
  return {
    line: `| ${memoryName} | last tenth: ${mib(last)} | first tenth: ${mib(first)} | ${(last / first).toFixed(2)} (${spread}) | | ≤ 1.1 × first + 16 MiB | ${missed ? 'missed' : 'kept'} |`,
    missed,
    failsCi: missed,
  };
}

interface Peaks {
  readonly first: number;
  readonly last: number;
}

function peaksOf(samples: readonly MemorySample[]): Peaks {
  const tenth = (memoryTo - memoryFrom) / 10;
  return { first: peak(samples, memoryFrom, memoryFrom + tenth), last: peak(samples, memoryTo - tenth, memoryTo) };
}

function peak(samples: readonly MemorySample[], from: number, to: number): number {
  return Math.max(...samples.filter(({ position }) => position >= from && position <= to).map(({ residentBytes }) => residentBytes));
}

async function foldElsewhere(url: string): Promise<readonly MemorySample[]> {
  const child = fork(join(import.meta.dirname, 'memoryChild.js'), [url]);
  const samples: MemorySample[] = [];
  child.on('message', (sample) => samples.push(sample as MemorySample));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`the folding process ended with exit code ${code ?? 'none'}`);
  return samples;
}
