import type { FoldEnd, Ledger } from '@emend/ledger';
import type { View } from '@emend/log';
import { type Comparison, compareRow, nothingCompared } from './domain/comparison.js';
import { rowOf, type ViewName } from './domain/rows.js';
import { readViewValue, type ViewValue } from './domain/viewValue.js';
import { type Standing, standingPages } from './standingPages.js';

export interface Comparing {
  readonly name: ViewName;
  readonly bucket: View;
  readonly ledger: Ledger;
  readonly pageRows: number;
  /** Folds up to where the log is now. */
  readonly catchUp: () => Promise<FoldEnd>;
  readonly onRows: (rows: number) => void;
  readonly signal: AbortSignal;
}

/** How a view stands against the ledger, before anything is written; or how the fold ended, where it could not follow. */
export async function compareView(comparing: Comparing): Promise<Comparison | Exclude<FoldEnd, { kind: 'folded' }>> {
  const { name, bucket, ledger, pageRows, catchUp, onRows, signal } = comparing;
  const tally = { ...nothingCompared };
  let rows = 0;
  // The marks say which runs have not been seen: a set of them would grow with the log.
  ledger.markAll(name);
  for await (const page of standingPages(bucket, { pageRows, signal })) {
    if (page.some(({ value }) => value.position > ledger.position())) {
      const end = await catchUp();
      if (end.kind !== 'folded') return end;
    }
    for (const { entry, value } of page) {
      const folded = foldedRow(comparing, entry.key);
      if (folded !== 'left_out') tally[compareRow(value, folded)] += 1;
    }
    ledger.confirmed(
      name,
      page.map((standing) => seen(standing, ledger)),
    );
    rows += page.length;
    onRows(rows);
  }
  await compareUnseen(comparing, tally);
  return tally;
}

/** Runs that did not stand in the view. A live writer may have put one since. */
async function compareUnseen(comparing: Comparing, tally: Record<keyof Comparison, number>): Promise<void> {
  const { name, bucket, ledger, pageRows, signal } = comparing;
  for (let after = ''; !signal.aborted; ) {
    const page = ledger.changed({ view: name, after, limit: pageRows });
    const last = page.at(-1);
    if (last === undefined) return;
    for (const { run } of page) {
      const folded = foldedRow(comparing, run);
      if (folded === null || folded === 'left_out') continue;
      const entry = await bucket.get(run);
      tally[compareRow(entry && readViewValue(entry.bytes), folded)] += 1;
    }
    after = last.run;
  }
}

const seen = ({ entry }: Standing, ledger: Ledger) => ({ run: entry.key, position: ledger.dossier(entry.key)?.position ?? 0 });

/** The row as the log gives it; `left_out` where no view can hold it, so that nothing can be said of one that does. */
function foldedRow({ ledger, name }: Comparing, run: string): ViewValue | 'left_out' | null {
  const dossier = ledger.dossier(run);
  const row = rowOf(name, dossier);
  if (row.kind === 'unstorable') return 'left_out';
  return row.kind === 'row' && dossier ? { generation: 0, position: dossier.position, row: row.text } : null;
}
