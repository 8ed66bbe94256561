import type { Dossier } from '@emend/history';
import { candidatesOf } from './candidates.js';
import { decideExport, type ExportDecision } from './decideExport.js';
import type { ExportPolicy } from './exportPolicy.js';
import { rowsOf, type TrainingFile } from './trainingRow.js';
import type { Candidate, Trajectory } from './trajectory.js';

export interface RunExport {
  readonly decided: readonly { readonly candidate: Candidate; readonly decision: ExportDecision }[];
  /** At most one row per file (F44). */
  readonly rows: Readonly<Record<TrainingFile, RunRow | null>>;
}

export interface RunRow {
  readonly trajectory: Trajectory;
  readonly line: string;
}

/** Everything that one run brings into an export. */
export function exportRun(dossier: Dossier, policy: ExportPolicy): RunExport {
  const decided = candidatesOf(dossier).map((candidate) => ({ candidate, decision: decideExport(candidate, policy) }));
  const rows: Record<TrainingFile, RunRow | null> = { 'pairs.jsonl': null, 'sft.jsonl': null };
  for (const { decision } of decided) {
    if (decision.kind !== 'export') continue;
    const { trajectory } = decision;
    const resolved = policy.contract(trajectory.contract);
    if (resolved.kind !== 'found') continue; // A gate has asked the same; without the contract there is no prompt.
    const made = rowsOf(trajectory, resolved.contract);
    // Gates let one effective trajectory per file through; were there two, the first would stay.
    for (const file of Object.keys(rows) as TrainingFile[]) {
      const line = made[file];
      if (line !== null) rows[file] ??= { trajectory, line };
    }
  }
  return { decided, rows };
}
