import { type PolicyDefinition, readEvent } from '@emend/contracts';
import { decideRun } from './decideRun.js';
import type { EventReader, RequestAppender } from './ports.js';

export interface ScanDeps {
  readonly reader: EventReader;
  /** Absent in a dry run: then nothing is appended. */
  readonly requests: RequestAppender | null;
  readonly policy: PolicyDefinition;
  readonly ends: AsyncIterable<{ readonly subject: string; readonly sequence: number; readonly bytes: Uint8Array }>;
  readonly onProgress: (report: ScanReport, sequence: number) => void;
}

/** Counts of a scan. A run with several reasons counts under each. */
export interface ScanReport {
  readonly ends: number;
  readonly failed: number;
  readonly eligible: number;
  readonly appended: number;
  readonly already: number;
  readonly conflict: number;
  readonly ineligible: Readonly<Record<string, number>>;
  readonly unreadable: number;
}

const emptyReport: ScanReport = { ends: 0, failed: 0, eligible: 0, appended: 0, already: 0, conflict: 0, ineligible: {}, unreadable: 0 };

export class ScanStopped extends Error {
  override readonly name = 'ScanStopped';
  constructor(readonly code: 'unknown_version' | 'stopped' | 'log_full' | 'append_unknown') {
    super(`scan stopped: ${code}`);
  }
}

/** The coordinator's decision over all of history, under a policy that is named. Idempotent: a second scan appends nothing (T12). */
export async function scan(deps: ScanDeps): Promise<ScanReport> {
  let report = emptyReport;
  for await (const stored of deps.ends) {
    report = await scanOne(deps, report, stored);
    deps.onProgress(report, stored.sequence);
  }
  return report;
}

async function scanOne(
  { reader, requests, policy }: ScanDeps,
  before: ScanReport,
  stored: { readonly subject: string; readonly sequence: number; readonly bytes: Uint8Array },
): Promise<ScanReport> {
  const report = { ...before, ends: before.ends + 1 };
  const read = readEvent(stored);
  if (read.kind === 'unknown_version') throw new ScanStopped('unknown_version');
  if (read.kind !== 'event') return { ...report, unreadable: report.unreadable + 1 };
  if (read.event.name !== 'runFailed') return report;

  const decision = await decideRun(reader, { sequence: stored.sequence, event: read.event }, policy);
  if (decision.kind === 'unknown_version' || decision.kind === 'stopped') throw new ScanStopped(decision.kind);
  const failed = { ...report, failed: report.failed + 1 };
  if (decision.kind === 'ineligible') {
    const counts = { ...failed.ineligible };
    for (const { code } of decision.reasons) counts[code] = (counts[code] ?? 0) + 1;
    return { ...failed, ineligible: counts };
  }
  const eligible = { ...failed, eligible: failed.eligible + 1 };
  if (requests === null) return eligible;
  const outcome = await requests.append(decision.request);
  if (outcome === 'full') throw new ScanStopped('log_full');
  if (outcome === 'unknown') throw new ScanStopped('append_unknown');
  return { ...eligible, [outcome]: eligible[outcome] + 1 };
}
