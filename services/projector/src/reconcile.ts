import type { FoldEnd } from '@emend/ledger';
import { type Standing, standingPages } from './standingPages.js';
import { orAway, type RowWritten, type ViewWriter, type Written } from './viewWriter.js';

export interface Reconciling {
  readonly writer: ViewWriter;
  readonly generation: number;
  /** Folds up to where the log is now. */
  readonly catchUp: () => Promise<FoldEnd>;
  readonly signal: AbortSignal;
}

export type Reconciled =
  | Written
  /** The fold could not follow the view. */
  | { readonly kind: 'fold_ended'; readonly end: FoldEnd };

/**
 * Makes a view equal to the ledger by difference: what is right stays untouched, so readers never see a hole. A row is
 * removed only where it is of an older generation and the log, folded beyond its position, does not give it.
 */
export async function reconcile(reconciling: Reconciling): Promise<Reconciled> {
  const { writer, signal, generation } = reconciling;
  const { ledger, name } = writer.options;
  writer.forget();
  ledger.markAll(name);
  const stop = await orAway(overStanding(reconciling));
  // What is still marked did not stand there.
  return stop ?? writer.drain(generation, signal);
}

type Stopped = Exclude<Reconciled, { kind: 'written' }>;

async function overStanding(reconciling: Reconciling): Promise<Stopped | null> {
  const { writer, catchUp, signal } = reconciling;
  const { bucket, ledger, putsInFlight } = writer.options;
  for await (const page of standingPages(bucket, { pageRows: putsInFlight, signal })) {
    if (page.some(({ value }) => value.position > ledger.position())) {
      // Another writer is further on, or the row is of another log: after this, every position of our log is behind us.
      const end = await catchUp();
      if (end.kind !== 'folded') return { kind: 'fold_ended', end };
    }
    const standing = new Map(page.map((one) => [one.entry.key, one]));
    const stop = await writer.settle([...standing.keys()], async (run) => settleStanding(standing.get(run), reconciling));
    if (stop !== null) return stop;
  }
  return null;
}

async function settleStanding(standing: Standing | undefined, { writer, generation }: Reconciling): Promise<RowWritten> {
  if (standing === undefined) return { kind: 'waits' };
  const { entry, value } = standing;
  const { ledger, bucket, name, events } = writer.options;
  if (value.generation > generation) return { kind: 'newer_generation', generation: value.generation };
  if (value.generation === generation && value.position > ledger.position()) return { kind: 'view_diverged' };
  const written = await writer.putRow({ run: entry.key, generation, standing: entry });
  if (written.kind !== 'no_row') return written;
  if (value.generation === generation) return { kind: 'view_diverged' };
  // Where another writer was quicker, what it wrote is newer than all that was decided here.
  const removed = await bucket.remove(entry.key, entry.revision);
  events.rowPut(name, removed.kind === 'removed' ? 'removed' : 'conflict');
  return written;
}
