import type { Dossier } from '@emend/history';
import type { Ledger } from '@emend/ledger';
import { exportView } from './adapters/ownLedger.js';
import type { ExportPolicy } from './domain/exportPolicy.js';
import { exportRun } from './domain/exportRun.js';
import { type ExportPlan, rowsMark } from './planExport.js';
import { trainingFiles } from './domain/trainingRow.js';

/** Marks that are read at once. */
const CHANGED_PAGE = 512;

/** Which runs brought which rows into the last export: most runs change without a row changing, and cost no export. */
export class ExportedRuns {
  #marks = new Map<string, string>();

  learn(plan: Pick<ExportPlan, 'rows'>): void {
    this.#marks = new Map();
    for (const file of trainingFiles) {
      for (const { run, id } of plan.rows[file]) {
        const before = this.#marks.get(run);
        this.#marks.set(run, `${before === undefined ? '' : `${before} `}${file} ${id}`);
      }
    }
  }

  /** Whether the run would bring other rows than it did. */
  differs(dossier: Dossier, policy: ExportPolicy): boolean {
    return rowsMark(exportRun(dossier, policy)) !== (this.#marks.get(dossier.run) ?? '');
  }
}

/** Runs that changed since they were last confirmed, all of them, in pages. */
export function* changedRuns(ledger: Ledger): Generator<ReturnType<Ledger['changed']>> {
  for (let after = ''; ; ) {
    const page = ledger.changed({ view: exportView, after, limit: CHANGED_PAGE });
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    after = last.run;
  }
}

/** Takes the marks off, once what they stand for has been exported or found to change nothing. */
export function confirmChanged(ledger: Ledger): void {
  for (const page of changedRuns(ledger)) ledger.confirmed(exportView, page);
}
