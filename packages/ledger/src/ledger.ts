import type { Dossier, KnownFacts } from '@emend/history';
import type { StoredEvent } from '@emend/log';
import type { ChangedPage, ChangedRun } from './changedRuns.js';
import type { Checkpoint } from './checkpoint.js';
import type { FoldedBatch } from './foldBatch.js';
import type { Opened } from './openDatabase.js';
import type { VoidEvent } from './voidEvents.js';

export interface LedgerCounts {
  readonly runs: number;
  readonly voids: number;
}

/**
 * The log folded into one file. Everything in it follows from the log up to the checkpoint, so losing the file costs time
 * and never correctness. Every call is synchronous: between two of them nothing moves. Each throws `LedgerError`.
 */
export interface Ledger {
  readonly file: string;
  /** What was found when it was opened. */
  readonly opened: Opened;
  checkpoint(): Checkpoint | null;
  /** The last sequence folded, 0 for none. */
  position(): number;
  /** Folds events in order, all or none: dossiers, facts, marks and checkpoint in one transaction. What was folded before changes nothing. */
  fold(events: readonly StoredEvent[]): FoldedBatch;
  dossier(run: string): Dossier | null;
  /** In the order of run ids. */
  runs(): Iterable<string>;
  /** Sources and contracts as the log stands at the checkpoint. */
  readonly facts: KnownFacts;
  /** Runs still to be put to a view, in the order of their ids; the view must be one that was named at the opening. */
  changed(page: ChangedPage): readonly ChangedRun[];
  changedCount(view: string): number;
  /** The view holds these now. A run that changed again meanwhile stays marked. */
  confirmed(view: string, runs: readonly ChangedRun[]): void;
  /** Marks every run for one view, to compare all of it. */
  markAll(view: string): void;
  /** Void events behind a sequence, in order. */
  voids(page: { readonly after: number; readonly limit: number }): readonly VoidEvent[];
  counts(): LedgerCounts;
  /** Forgets everything and keeps the file: the next fold starts from sequence 1. */
  clear(): void;
  /** May be called twice. */
  close(): void;
}
