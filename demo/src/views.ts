import { canonicalText } from '@emend/contracts';
import { listRows } from '@emend/client';
import { reviewRowOf, selectEffective } from '@emend/history';
import type { Broker } from '@emend/log';
import type { FoldedLog } from './foldedLog.js';

/** Whether both views hold, row by row, what the demo's own fold gives. */
export async function viewsAgree(broker: Broker, folded: FoldedLog): Promise<boolean> {
  const wanted = [...folded.dossiers.values()];
  const effective = await rowTexts(broker, 'effective-output');
  const review = await rowTexts(broker, 'review-queue');
  return wanted.every((dossier) => {
    const [row, item] = [selectEffective(dossier), reviewRowOf(dossier)];
    return (
      (row === null || effective.get(dossier.run) === canonicalText(row)) &&
      (item === null || review.get(dossier.run) === canonicalText(item))
    );
  });
}

async function rowTexts(broker: Broker, bucket: string): Promise<ReadonlyMap<string, string>> {
  const rows = await listRows(await broker.view(bucket));
  return new Map(rows.map(({ row }) => [row.run, canonicalText(row)]));
}

/** The effective rows as canonical text, run by run. */
export const effectiveRows = (folded: FoldedLog): readonly string[] =>
  [...folded.dossiers.values()]
    .toSorted((a, b) => (a.run < b.run ? -1 : 1))
    .flatMap((dossier) => {
      const row = selectEffective(dossier);
      return row ? [canonicalText(row)] : [];
    });
