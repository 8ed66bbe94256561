import { type EventLog, LogError } from '@emend/log';
import { type BatchLimits, batchesOf } from './batches.js';
import { checkCheckpoint } from './checkpoint.js';
import type { FoldedBatch, Halt } from './foldBatch.js';
import type { Ledger } from './ledger.js';

export interface FoldOptions extends BatchLimits {
  readonly ledger: Ledger;
  readonly log: EventLog;
  /** The last sequence to fold; without it the fold goes on live until the signal. */
  readonly to?: number;
  readonly signal?: AbortSignal;
  /** Told after each commit. The next batch is not folded before it is done. */
  readonly onBatch?: (batch: FoldedBatch) => void | Promise<void>;
}

/** How a fold ended. Each is an ordinary outcome; faults of the file and lasting faults of the broker throw. */
export type FoldEnd =
  /** It is where it was asked to go, or the signal came. */
  | { readonly kind: 'folded'; readonly position: number }
  /** The next event is of a version that this reader is too old for. It is never skipped. */
  | { readonly kind: 'unknown_version'; readonly halt: Halt; readonly position: number }
  /** The log is not the one that was folded, or has lost its tail. The ledger is to be cleared. */
  | { readonly kind: 'checkpoint_differs'; readonly position: number };

/** Folds the log in order from behind the checkpoint, after proving that it is still the same log. */
export async function foldLog(options: FoldOptions): Promise<FoldEnd> {
  const { ledger, log, signal, to } = options;
  try {
    if ((await checkCheckpoint(ledger.checkpoint(), log, signal)) === 'differs') return differs(ledger);
    if (to !== undefined && to <= ledger.position()) return { kind: 'folded', position: ledger.position() };
    return await foldOn(options);
  } catch (error) {
    if (error instanceof LogError && error.code === 'log_went_back') return differs(ledger);
    throw error;
  }
}

async function foldOn({ ledger, log, signal, to, onBatch, batchMax, lingerMs }: FoldOptions): Promise<FoldEnd> {
  // The reader ends with the fold: one that halts or fails must not leave a consumer waiting.
  const reading = new AbortController();
  const events = log.read({
    from: ledger.position() + 1,
    signal: signal === undefined ? reading.signal : AbortSignal.any([signal, reading.signal]),
    ...(to === undefined ? {} : { to }),
  });
  const limits = { ...(batchMax === undefined ? {} : { batchMax }), ...(lingerMs === undefined ? {} : { lingerMs }) };
  try {
    for await (const batchOfEvents of batchesOf(events, limits)) {
      const batch = ledger.fold(batchOfEvents);
      await onBatch?.(batch);
      if (batch.halt !== null) return { kind: 'unknown_version', halt: batch.halt, position: ledger.position() };
    }
    return { kind: 'folded', position: ledger.position() };
  } finally {
    reading.abort();
  }
}

const differs = (ledger: Ledger): FoldEnd => ({ kind: 'checkpoint_differs', position: ledger.position() });
