import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Verdict } from '../report.js';

export const runsName = 'a parent over 1,000 runs';

/** Runs before the first that counts: what is measured lives for days. */
export const warmUpRuns = 50;
export const countedRuns = 1_000;
const growth = 1.1;
const slackBytes = 16 * 1024 * 1024;
const mebibyte = 1024 * 1024;

/** What the parent process reports when it is done. */
export interface RunsReport {
  /** Its resident size after each counted run, in bytes. */
  readonly residentBytes: readonly number[];
  /** Processes of all runs, outside and inside the sandbox, that are still in the process table: zombies too. */
  readonly processesSeen: number;
  readonly processesLeft: number;
  /** Open descriptors after the warm-up, and after the last run. */
  readonly descriptorsBefore: number;
  readonly descriptorsAfter: number;
}

/** Parents, each a process of its own: how lazily the collector works differs from one to the next, a leak does not. */
const parents = 3;

/** Memory that is flat, and nothing left behind. What is left is a fault on any machine, so it fails in CI too. */
export async function runsVerdicts(): Promise<readonly Verdict[]> {
  const reports: RunsReport[] = [];
  for (let parent = 0; parent < parents; parent += 1) reports.push(await runsElsewhere());
  return [memoryVerdict(reports), leftVerdict(reports)];
}

/** The peak of the last tenth is at most 1.1 times that of the first tenth and 16 MiB. The median parent counts. */
function memoryVerdict(reports: readonly RunsReport[]): Verdict {
  const byRatio = reports.map(peaksOf).toSorted((a, b) => a.last / a.first - b.last / b.first);
  const { first, last } = byRatio[Math.floor(parents / 2)] ?? { first: 0, last: Number.POSITIVE_INFINITY };
  const missed = last > growth * first + slackBytes;
  const mib = (bytes: number): string => `${Math.round(bytes / mebibyte)} MiB`;
  const spread = [byRatio.at(0), byRatio.at(-1)].map((one) => (one ? one.last / one.first : Number.NaN).toFixed(2)).join('–');
  return {
    line: `| memory of ${runsName} | last tenth: ${mib(last)} | first tenth: ${mib(first)} | ${(last / first).toFixed(2)} (${spread}) | | ≤ 1.1 × first + 16 MiB | ${missed ? 'missed' : 'kept'} |`,
    missed,
    failsCi: missed,
  };
}

function peaksOf({ residentBytes }: RunsReport): { readonly first: number; readonly last: number } {
  const tenth = countedRuns / 10;
  return { first: Math.max(...residentBytes.slice(0, tenth)), last: Math.max(...residentBytes.slice(-tenth)) };
}

/** Over all parents. */
function leftVerdict(reports: readonly RunsReport[]): Verdict {
  const sum = (count: (report: RunsReport) => number): number => reports.reduce((total, report) => total + count(report), 0);
  const seen = sum(({ processesSeen }) => processesSeen);
  const left = sum(({ processesLeft }) => processesLeft);
  const open = sum(({ descriptorsBefore }) => descriptorsBefore);
  const descriptors = sum(({ descriptorsBefore, descriptorsAfter }) => Math.max(0, descriptorsAfter - descriptorsBefore));
  // Two processes a run: a count that is lower has looked at nothing.
  const missed = seen < 2 * countedRuns * reports.length || left > 0 || descriptors > 0;
  return {
    line: `| left by ${runsName} | ${left} processes, ${descriptors} descriptors | ${seen.toLocaleString('en')} processes, ${open} descriptors | | | none | ${missed ? 'missed' : 'kept'} |`,
    missed,
    failsCi: missed,
  };
}

async function runsElsewhere(): Promise<RunsReport> {
  const child = fork(join(import.meta.dirname, 'runsChild.js'));
  let report: RunsReport | undefined;
  child.on('message', (message) => (report = message as RunsReport));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (code !== 0 || report === undefined) throw new Error(`the parent of the runs ended with exit code ${code ?? 'none'}`);
  return report;
}
