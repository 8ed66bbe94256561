import type { StoredEvent } from '@emend/log';
import type Database from 'better-sqlite3';
import { ChangedRuns } from './changedRuns.js';
import { StoredCheckpoint } from './checkpoint.js';
import { DossierStore } from './dossierStore.js';
import { asLedgerError, LedgerError } from './errors.js';
import { type FoldedBatch, foldBatch } from './foldBatch.js';
import type { Ledger } from './ledger.js';
import { LedgerFacts } from './ledgerFacts.js';
import { emptyDatabase, openDatabase, type Opened, setAside } from './openDatabase.js';
import { VoidEvents } from './voidEvents.js';

export interface LedgerOptions {
  readonly file: string;
  /** Names what the fold computes, say `projection 3`: a file of another version is emptied and folded anew. */
  readonly version: string;
  /** Views that changed runs are marked for; none for a reader that has no view. */
  readonly views?: readonly string[];
  /** The largest file in bytes, its journal aside; past it a batch throws `ledger_full`. */
  readonly bytesMax?: number;
}

/** The stores over one database. Made anew when it is emptied, because their statements belong to its tables. */
interface Stores {
  readonly db: Database.Database;
  readonly opened: Opened;
  readonly checkpoint: StoredCheckpoint;
  readonly dossiers: DossierStore;
  readonly facts: LedgerFacts;
  readonly changed: ChangedRuns;
  readonly voids: VoidEvents;
}

/**
 * Opens a ledger for this process alone: `ledger_in_use` where another holds it. Contracts are compiled here, once.
 * `opened` says whether the content was kept; in every other case the fold starts from sequence 1.
 */
export function openLedger(options: LedgerOptions): Ledger {
  const { file } = options;
  const guarded = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw asLedgerError(error, file);
    }
  };
  let stores = openStores(options);
  const { opened } = stores;
  return {
    file,
    opened,
    checkpoint: () => guarded(() => stores.checkpoint.get()),
    position: () => guarded(() => stores.checkpoint.get()?.sequence ?? 0),
    fold: (events) => guarded(() => commit(stores, events)),
    dossier: (run) => guarded(() => stores.dossiers.get(run)),
    *runs() {
      try {
        yield* stores.dossiers.runs();
      } catch (error) {
        throw asLedgerError(error, file);
      }
    },
    facts: {
      source: (eventId) => guarded(() => stores.facts.source(eventId)),
      contract: (ref) => stores.facts.contract(ref),
    },
    changed: (page) => guarded(() => stores.changed.page(page)),
    changedCount: (view) => guarded(() => stores.changed.count(view)),
    confirmed: (view, runs) => guarded(() => stores.changed.clear(view, runs)),
    markAll: (view) => guarded(() => stores.changed.markAll(view)),
    voids: (page) => guarded(() => stores.voids.page(page)),
    counts: () => guarded(() => ({ runs: stores.dossiers.count(), voids: stores.voids.count() })),
    clear: () => {
      stores = clearStores(stores, options);
    },
    close: () => stores.db.close(),
  };
}

/** Opens what is there; where what is there is corrupt, it is set aside and a new file begun. */
function openStores(options: LedgerOptions): Stores {
  try {
    return openStoresOnce(options);
  } catch (error) {
    if (!isCorrupt(error)) throw error;
    setAside(options.file);
    return { ...openStoresOnce(options), opened: 'unreadable' };
  }
}

function openStoresOnce(options: LedgerOptions): Stores {
  const { db, opened } = openDatabase({ ...options, version: versionOf(options) });
  try {
    return storesOn(db, opened, options);
  } catch (error) {
    // A ledger that could not be opened must not keep the lock.
    db.close();
    throw asLedgerError(error, options.file);
  }
}

/** Empties the tables and keeps the lock; a file that is too broken for that is set aside. */
function clearStores({ db, opened }: Stores, options: LedgerOptions): Stores {
  try {
    emptyDatabase(db, versionOf(options));
    return storesOn(db, opened, options);
  } catch (error) {
    const known = asLedgerError(error, options.file);
    if (!isCorrupt(known)) throw known;
    db.close();
    setAside(options.file);
    return openStoresOnce(options);
  }
}

function storesOn(db: Database.Database, opened: Opened, { file, views = [] }: LedgerOptions): Stores {
  return {
    db,
    opened,
    checkpoint: new StoredCheckpoint(db),
    dossiers: new DossierStore(db, file),
    facts: new LedgerFacts(db, file),
    changed: new ChangedRuns(db, views),
    voids: new VoidEvents(db),
  };
}

/** One transaction. Where it fails, memory forgets what the file did not keep. */
function commit({ db, checkpoint, dossiers, facts, changed, voids }: Stores, events: readonly StoredEvent[]): FoldedBatch {
  try {
    return db.transaction(() => {
      const batch = foldBatch(events, { dossiers, facts, after: checkpoint.get()?.sequence ?? 0 });
      for (const dossier of batch.changed) {
        dossiers.put(dossier);
        changed.mark(dossier);
      }
      for (const one of batch.voids) voids.add(one);
      if (batch.checkpoint !== null) checkpoint.set(batch.checkpoint);
      return batch;
    })();
  } catch (error) {
    dossiers.forget();
    facts.forget();
    throw error;
  }
}

/** The views are part of it: a file that marked nothing for a view cannot serve it. */
const versionOf = ({ version, views = [] }: LedgerOptions): string => [version, ...views].join(', ');

const isCorrupt = (error: unknown): boolean => error instanceof LedgerError && error.code === 'ledger_corrupt';
