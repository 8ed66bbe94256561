import { type Ledger, LedgerError } from '@emend/ledger';
import { type EventLog, LogError } from '@emend/log';
import { describeError, type Health, sleep, type Timers } from '@emend/runtime';
import { changedRuns, confirmChanged, ExportedRuns } from './changedRuns.js';
import type { ExportPolicy } from './domain/exportPolicy.js';
import { ExporterError } from './errors.js';
import type { ExporterEvents } from './events.js';
import type { ExportFolder } from './exportFolder.js';
import { foldToEnd } from './foldToEnd.js';
import { planExport } from './planExport.js';
import { writeExport } from './writeExport.js';

export interface FollowOptions {
  readonly ledger: Ledger;
  readonly log: EventLog;
  readonly policy: ExportPolicy;
  readonly folder: ExportFolder;
  readonly events: ExporterEvents;
  readonly health: Pick<Health, 'set'>;
  readonly intervalMs: number;
  readonly signal: AbortSignal;
  readonly timers?: Timers;
}

/**
 * Folds what the log has, exports where a row would be another, waits, and begins again. A round that fails leaves the
 * last export as it is, makes the process unready, and is tried again.
 */
export async function followLog(options: FollowOptions): Promise<void> {
  const { signal, intervalMs, events, health, timers } = options;
  const exported = new ExportedRuns();
  let isFirst = true;
  while (!signal.aborted) {
    try {
      await exportRound(options, exported, isFirst);
      isFirst = false;
      events.roundSucceeded();
      health.set('export', { ok: true });
    } catch (error) {
      if (signal.aborted) return;
      if (!isPassing(error)) throw error;
      if (isCorrupt(error)) startAnew(options);
      const facts = describeError(error);
      events.roundFailed(facts);
      health.set('export', { ok: false, reason: facts.code ?? facts.error });
    }
    await sleep(intervalMs, signal, timers);
  }
}

async function exportRound(options: FollowOptions, exported: ExportedRuns, isFirst: boolean): Promise<void> {
  const { ledger, log, policy, folder, events, signal } = options;
  const position = await foldToEnd({ ledger, log, signal, onCleared: () => events.ledgerCleared() });
  events.folded(position);
  if (signal.aborted) return;
  if (isFirst || hasNews(ledger, policy, exported)) {
    const plan = await planExport(ledger, policy, signal);
    events.exported(await writeExport({ folded: ledger, policy, plan, folder, when: 'changed' }));
    exported.learn(plan);
  }
  confirmChanged(ledger);
}

/** Whether a run that changed would bring other rows than in the last export. */
function hasNews(ledger: Ledger, policy: ExportPolicy, exported: ExportedRuns): boolean {
  for (const page of changedRuns(ledger)) {
    for (const { run } of page) {
      const dossier = ledger.dossier(run);
      if (dossier !== null && exported.differs(dossier, policy)) return true;
    }
  }
  return false;
}

/** A flipped bit in the file costs time, never correctness. */
function startAnew({ ledger, events }: FollowOptions): void {
  ledger.clear();
  events.ledgerCleared();
}

const isCorrupt = (error: unknown): boolean => error instanceof LedgerError && error.code === 'ledger_corrupt';

/** Faults that a later round may not meet again: a full disk, a folder without permission, a broker that was away. */
function isPassing(error: unknown): boolean {
  if (error instanceof ExporterError) return error.code !== 'row_not_loadable' && error.code !== 'log_replaced';
  if (error instanceof LedgerError) return error.code === 'ledger_full' || isCorrupt(error);
  return error instanceof LogError && error.nature === 'passes';
}
