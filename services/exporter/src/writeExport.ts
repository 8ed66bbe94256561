import { join } from 'node:path';
import type { ExportPolicy } from './domain/exportPolicy.js';
import { replacementWord } from './domain/identifiers.js';
import { excludedFields, type Manifest, manifestFormat, manifestText, sameRows, withdrawnRows } from './domain/manifest.js';
import { trainingFiles } from './domain/trainingRow.js';
import { ExporterError } from './errors.js';
import { type ExportFolder, type KeptExport, manifestName, nameOf } from './exportFolder.js';
import { type ExportPlan, rowIds } from './planExport.js';
import type { FoldedRuns } from './ports.js';
import { RowLines } from './rowLines.js';

/** How often a place that another writer took meanwhile is tried again. */
const TAKEN_TRIES_MAX = 3;

export interface WriteOptions {
  readonly folded: FoldedRuns;
  readonly policy: ExportPolicy;
  readonly plan: ExportPlan;
  readonly folder: ExportFolder;
  /** `always`: an export of this position is wanted. `changed`: only where a row would be another than in the newest one. */
  readonly when: 'always' | 'changed';
}

export type Written =
  | { readonly kind: 'written'; readonly directory: string; readonly manifest: Manifest }
  /** The very same export is there. */
  | { readonly kind: 'already'; readonly directory: string; readonly manifest: Manifest }
  | { readonly kind: 'unchanged' };

/** Writes one export whole, or leaves everything as it was. Same position and settings, same bytes. */
export async function writeExport(options: WriteOptions): Promise<Written> {
  const { folder, plan, when } = options;
  const newest = await newestFor(plan, folder);
  if (when === 'changed' && sameRows(rowIds(plan), newest?.manifest.rows ?? noRows)) {
    await folder.point(); // An earlier life may have ended between the export and its pointer.
    return { kind: 'unchanged' };
  }
  const draft = await folder.begin();
  try {
    const written = await publishDraft(options, draft);
    await folder.point();
    return written;
  } finally {
    // Published, it is not there any more. A removal that fails must not hide why the writing failed.
    await folder.discard(draft).catch(() => undefined);
  }
}

const noRows: Manifest['rows'] = { 'pairs.jsonl': [], 'sft.jsonl': [] };

async function newestFor({ position }: ExportPlan, folder: ExportFolder): Promise<KeptExport | null> {
  const newest = await folder.newest();
  if (newest !== null && newest.position > position) throw new ExporterError('export_ahead_of_log', join(folder.root, newest.name));
  return newest;
}

async function publishDraft(options: WriteOptions, draft: string): Promise<Written> {
  const { plan, folder } = options;
  const files = await writeRows(options, draft);
  for (let tries = 0; tries < TAKEN_TRIES_MAX; tries += 1) {
    const newest = await newestFor(plan, folder);
    const samePosition = newest !== null && newest.position === plan.position ? newest : null;
    if (samePosition !== null) {
      const again = manifestOf(plan, files, await folder.newest(samePosition));
      if (manifestText(again) === samePosition.manifestText) return { kind: 'already', directory: samePosition.name, manifest: again };
    }
    const as = { position: plan.position, revision: (samePosition?.revision ?? 0) + 1 };
    const manifest = manifestOf(plan, files, newest);
    await folder.write(join(draft, manifestName), [manifestText(manifest)]);
    if ((await folder.publish(draft, as)) === 'published') return { kind: 'written', directory: nameOf(as), manifest };
  }
  throw new ExporterError('export_folder_unusable', folder.root);
}

async function writeRows({ folded, policy, plan, folder }: WriteOptions, draft: string): Promise<Manifest['files']> {
  const facts: Partial<Record<keyof Manifest['files'], Manifest['files']['sft.jsonl']>> = {};
  for (const file of trainingFiles) {
    const rows = new RowLines({ file, rows: plan.rows[file], folded, policy });
    await folder.write(join(draft, file), rows.lines());
    facts[file] = rows.facts();
  }
  return facts as Manifest['files']; // Every file of the list was written just above.
}

function manifestOf(plan: ExportPlan, files: Manifest['files'], base: KeptExport | null): Manifest {
  const rows = rowIds(plan);
  return {
    format: manifestFormat,
    position: plan.position,
    prompt: 'contract',
    identifiersReplacedBy: replacementWord,
    gatesHash: plan.gatesHash,
    contracts: plan.contracts,
    trajectories: plan.trajectories,
    runs: plan.runs,
    considered: plan.considered,
    exported: plan.exported,
    withheld: plan.withheld,
    files,
    rows,
    base: base?.name ?? null,
    withdrawn: withdrawnRows(base?.manifest ?? null, rows),
    excluded: excludedFields,
  };
}
