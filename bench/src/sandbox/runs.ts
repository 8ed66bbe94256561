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

/** Memory that is flat, and nothing left behind. What is left is a fault on any machine, so it fails in CI too. */
export async function runsVerdicts(): Promise<readonly Verdict[]> {
  const report = await runsElsewhere();
  return [memoryVerdict(report), leftVerdict(report)];
}

function memoryVerdict({ residentBytes }: RunsReport): Verdict {
  const tenth = countedRuns / 10;
  const first = Math.max(...residentBytes.slice(0, tenth));
  const last = Math.max(...residentBytes.slice(-tenth));
  const missed = last > growth * first + slackBytes;
  const mib = (bytes: number): string => `${Math.round(bytes / mebibyte)} MiB`;
  return {
    line: `| memory of ${runsName} | last tenth: ${mib(last)} | first tenth: ${mib(first)} | ${(last / first).toFixed(2)} | | ≤ 1.1 × first + 16 MiB | ${missed ? 'missed' : 'kept'} |`,
    missed,
    failsCi: missed,
  };
}

function leftVerdict({ processesSeen, processesLeft, descriptorsBefore, descriptorsAfter }: RunsReport): Verdict {
  const descriptors = Math.max(0, descriptorsAfter - descriptorsBefore);
  // Two processes a run: a count that is lower has looked at nothing.
  const missed = processesSeen < 2 * countedRuns || processesLeft > 0 || descriptors > 0;
  return {
    line: `| left by ${runsName} | ${processesLeft} processes, ${descriptors} descriptors | ${processesSeen.toLocaleString('en')} processes, ${descriptorsBefore} descriptors | | | none | ${missed ? 'missed' : 'kept'} |`,
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
