import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Verdict } from '../report.js';
import { correct, segmentCount } from './work.js';

export const liveMemoryName = 'live memory over ten such transcripts in one';
const growth = 1.1;
const slackBytes = 16 * 1024 * 1024;
const mebibyte = 1024 * 1024;

/** Calls between two looks at the heap. */
const lookEvery = 100;

/** What is alive at some points of ten times the transcript: what a section leaves behind would show, and garbage does not. */
export async function liveMemoryVerdict(): Promise<Verdict> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const alive: number[] = [];
  let calls = 0;
  await correct(10 * segmentCount, 0, () => {
    if ((calls += 1) % lookEvery !== 0) return;
    collect();
    alive.push(process.memoryUsage().heapUsed);
  });
  const tenth = Math.floor(alive.length / 10);
  const [first, last] = [Math.max(...alive.slice(0, tenth)), Math.max(...alive.slice(-tenth))];
  const missed = last > growth * first + slackBytes;
  const mib = (bytes: number): string => `${Math.round(bytes / mebibyte)} MiB`;
  const line = `| ${liveMemoryName} | last tenth: ${mib(last)} | first tenth: ${mib(first)} | ${(last / first).toFixed(2)} | | ≤ 1.1 × first + 16 MiB | ${missed ? 'missed' : 'kept'} |`;
  return { line, missed, failsCi: missed };
}
