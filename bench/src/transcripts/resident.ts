import { fork } from 'node:child_process';
import { join } from 'node:path';
import type { Verdict } from '../report.js';

export const residentName = 'resident memory over fifty such transcripts';
const growth = 1.1;
const slackBytes = 16 * 1024 * 1024;
const mebibyte = 1024 * 1024;

/** What the correcting process reports: its resident size along the transcript, in bytes. */
export interface ResidentReport {
  readonly residentBytes: readonly number[];
}

/** Transcripts, each in a process of its own: how lazily the collector works differs from one to the next, a leak does not. */
const processes = 3;

/** The peak of the last tenth is at most 1.1 times that of the first tenth and 16 MiB. The median process counts. */
export async function residentVerdict(): Promise<Verdict> {
  const reports: ResidentReport[] = [];
  for (let one = 0; one < processes; one += 1) reports.push(await correctElsewhere());
  const byRatio = reports.map(peaksOf).toSorted((a, b) => a.last / a.first - b.last / b.first);
  const { first, last } = byRatio[Math.floor(processes / 2)] ?? { first: 0, last: Number.POSITIVE_INFINITY };
  const missed = last > growth * first + slackBytes;
  const mib = (bytes: number): string => `${Math.round(bytes / mebibyte)} MiB`;
  const spread = [byRatio.at(0), byRatio.at(-1)].map((one) => (one ? one.last / one.first : Number.NaN).toFixed(2)).join('–');
  return {
    line: `| ${residentName} | last tenth: ${mib(last)} | first tenth: ${mib(first)} | ${(last / first).toFixed(2)} (${spread}) | | ≤ 1.1 × first + 16 MiB | ${missed ? 'missed' : 'kept'} |`,
    missed,
    failsCi: missed,
  };
}

function peaksOf({ residentBytes }: ResidentReport): { readonly first: number; readonly last: number } {
  const tenth = Math.floor(residentBytes.length / 10);
  return { first: Math.max(...residentBytes.slice(0, tenth)), last: Math.max(...residentBytes.slice(-tenth)) };
}

async function correctElsewhere(): Promise<ResidentReport> {
  const child = fork(join(import.meta.dirname, 'residentChild.js'));
  let report: ResidentReport | undefined;
  child.on('message', (message) => (report = message as ResidentReport));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  if (code !== 0 || report === undefined) throw new Error(`the correcting process ended with exit code ${code ?? 'none'}`);
  return report;
}
