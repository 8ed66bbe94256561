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

/** Flat memory: the peak of the last tenth is at most 1.1 times that of the first tenth and 16 MiB. Folded in a process of its own. */
export async function memoryVerdict(url: string): Promise<Verdict> {
  const samples = await foldElsewhere(url);
  const tenth = (memoryTo - memoryFrom) / 10;
  const first = peak(samples, memoryFrom, memoryFrom + tenth);
  const last = peak(samples, memoryTo - tenth, memoryTo);
  const missed = last > growth * first + slackBytes;
  const mib = (bytes: number): string => `${Math.round(bytes / mebibyte)} MiB`;
  return {
    line: `| ${memoryName} | last tenth: ${mib(last)} | first tenth: ${mib(first)} | ${(last / first).toFixed(2)} | | ≤ 1.1 × first + 16 MiB | ${missed ? 'missed' : 'kept'} |`,
    missed,
    failsCi: missed,
  };
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
