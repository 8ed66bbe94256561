import { type FoldEnd, foldLog, type Halt, type Ledger } from '@emend/ledger';
import type { EventLog } from '@emend/log';
import { compareView } from './compareView.js';
import { type Comparison, isByteEqual } from './domain/comparison.js';
import { PROJECTION_VERSION } from './domain/generation.js';
import { META_VIEW, type ViewName, viewNames } from './domain/rows.js';
import type { ProjectorEvents } from './events.js';
import { incarnationOf, settleGeneration } from './meta.js';
import type { Views } from './ports.js';
import { reconcile } from './reconcile.js';
import { ViewWriter } from './viewWriter.js';

export interface RebuildOptions {
  /** A fresh one, of this rebuild alone. */
  readonly ledger: Ledger;
  readonly log: EventLog;
  readonly views: Views;
  readonly events: ProjectorEvents;
  readonly putsInFlight: number;
  readonly onProgress: (progress: RebuildProgress) => void;
  readonly signal: AbortSignal;
}

export type RebuildProgress =
  | { readonly step: 'fold'; readonly position: number; readonly last: number }
  | { readonly step: 'compare'; readonly view: ViewName; readonly rows: number };

export type Rebuilt =
  | {
      readonly kind: 'rebuilt';
      readonly generation: number;
      readonly position: number;
      readonly runs: number;
      readonly voids: number;
      /** Whether the views, as they stood, said what the log says. */
      readonly byteEqual: boolean;
      readonly views: Readonly<Record<ViewName, Comparison>>;
    }
  | { readonly kind: 'log_empty' }
  | { readonly kind: 'unknown_version'; readonly halt: Halt }
  /** The log changed under the rebuild, a newer generation was taken, the broker went away, or it was told to stop. */
  | { readonly kind: 'interrupted'; readonly cause: string };

/** Folds the log anew, takes a generation, and makes the views equal by difference. Raises no incident and deletes no live row. */
export async function rebuildView(options: RebuildOptions): Promise<Rebuilt> {
  const { ledger, log, views, signal } = options;
  if ((await log.lastSequence()) === 0) return { kind: 'log_empty' };
  const incarnation = await incarnationOf(log, signal);
  const folded = await foldAll(options);
  if (folded.kind !== 'folded') return endedEarly(folded);
  if (incarnation === null || signal.aborted) return { kind: 'interrupted', cause: 'stopped' };

  // Before the generation is taken: a live projector would adopt it at once and put its own rows.
  const comparisons = new Map<ViewName, Comparison>();
  for (const name of viewNames) {
    const compared = await compare(options, name);
    if ('kind' in compared) return endedEarly(compared);
    comparisons.set(name, compared);
  }
  const ours = { log: incarnation, projection: PROJECTION_VERSION };
  const settled = await settleGeneration(views[META_VIEW], { ours, wish: 'rebuild', seen: 0 });
  if (settled.kind === 'refused') return { kind: 'interrupted', cause: settled.cause };
  const { generation } = settled.meta;
  for (const name of viewNames) {
    const reconciled = await putRight(options, { name, generation });
    if (reconciled.kind === 'fold_ended') return endedEarly(reconciled.end);
    if (reconciled.kind !== 'written') return { kind: 'interrupted', cause: reconciled.kind };
  }
  if (signal.aborted) return { kind: 'interrupted', cause: 'stopped' };
  const { runs, voids } = ledger.counts();
  return {
    kind: 'rebuilt',
    generation,
    position: ledger.position(),
    runs,
    voids,
    byteEqual: isByteEqual([...comparisons.values()]),
    views: Object.fromEntries(comparisons) as Record<ViewName, Comparison>, // One for each name of the list.
  };
}

/** The fold did not come as far as it had to. */
function endedEarly(end: FoldEnd): Rebuilt {
  return end.kind === 'unknown_version' ? { kind: end.kind, halt: end.halt } : { kind: 'interrupted', cause: end.kind };
}

async function foldAll({ ledger, log, signal, events, onProgress }: RebuildOptions): Promise<FoldEnd> {
  const last = await log.lastSequence();
  return foldLog({
    ledger,
    log,
    to: last,
    signal,
    onBatch: (batch) => {
      events.folded(batch);
      onProgress({ step: 'fold', position: ledger.position(), last });
    },
  });
}

function compare(options: RebuildOptions, name: ViewName) {
  const { ledger, views, putsInFlight, onProgress, signal } = options;
  return compareView({
    name,
    bucket: views[name],
    ledger,
    pageRows: putsInFlight,
    catchUp: () => foldAll(options),
    onRows: (rows) => onProgress({ step: 'compare', view: name, rows }),
    signal,
  });
}

function putRight(options: RebuildOptions, { name, generation }: { readonly name: ViewName; readonly generation: number }) {
  const { ledger, views, events, putsInFlight, signal } = options;
  const writer = new ViewWriter({ name, bucket: views[name], ledger, putsInFlight, events });
  return reconcile({ writer, generation, catchUp: () => foldAll(options), signal });
}
