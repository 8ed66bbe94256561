import { mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { asLedgerError, LedgerError } from './errors.js';
import { PAGE_CACHE_KIB } from './limits.js';

/** Says that a file is ours: `EMLG`. */
const APPLICATION_ID = 0x45_4d_4c_47;

/** Changes whenever the tables or the texts in them do. */
const LEDGER_FORMAT = 1;

const TABLES = `
  CREATE TABLE identity (one INTEGER PRIMARY KEY CHECK (one = 1), text TEXT NOT NULL);
  CREATE TABLE checkpoint (one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER NOT NULL, hash TEXT NOT NULL);
  CREATE TABLE dossiers (run TEXT PRIMARY KEY, position INTEGER NOT NULL, body TEXT NOT NULL, seal INTEGER NOT NULL);
  CREATE TABLE sources (id TEXT PRIMARY KEY, body TEXT NOT NULL, seal INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE contracts (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL, seal INTEGER NOT NULL);
  CREATE TABLE voids (sequence INTEGER PRIMARY KEY, subject TEXT NOT NULL, code TEXT NOT NULL);
  CREATE TABLE changed (view TEXT NOT NULL, run TEXT NOT NULL, position INTEGER NOT NULL, PRIMARY KEY (view, run)) WITHOUT ROWID;
`;

const TABLE_NAMES = ['identity', 'checkpoint', 'dossiers', 'sources', 'contracts', 'voids', 'changed'];

/** What was found under the path. Everything but `kept` starts from sequence 1. */
export type Opened = 'kept' | 'fresh' | 'other_version' | 'unreadable';

export interface DatabaseOptions {
  readonly file: string;
  /** Who made the content; a file of another version is emptied. */
  readonly version: string;
  readonly bytesMax?: number;
}

export interface OpenDatabase {
  readonly db: Database.Database;
  readonly opened: Opened;
}

/** Opens the file for this process alone. `ledger_corrupt` where SQLite cannot read it; a database that is not ours is refused. */
export function openDatabase(options: DatabaseOptions): OpenDatabase {
  const { file, version } = options;
  let db: Database.Database | undefined;
  try {
    mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
    db = new Database(file, { timeout: 0 });
    lock(db, options);
    const opened = stateOf(db, options);
    if (opened !== 'kept') emptyDatabase(db, version);
    return { db, opened };
  } catch (error) {
    db?.close();
    throw isSystemError(error) ? new LedgerError('ledger_unusable', file) : asLedgerError(error, file);
  }
}

const isSystemError = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

/** Renames the file, so that nothing of the reader's is destroyed by a wrong path. One such copy is kept. */
export function setAside(file: string): void {
  rmSync(`${file}-wal`, { force: true });
  rmSync(`${file}-shm`, { force: true });
  renameSync(file, `${file}.unreadable`);
}

/** Empties it and keeps the lock. */
export function emptyDatabase(db: Database.Database, version: string): void {
  db.transaction(() => {
    for (const table of TABLE_NAMES) db.exec(`DROP TABLE IF EXISTS ${table}`);
    db.exec(TABLES);
    db.pragma(`application_id = ${APPLICATION_ID}`);
    db.prepare('INSERT INTO identity (one, text) VALUES (1, ?)').run(identityOf(version));
  })();
}

/** Takes the file for this connection until it is closed. A commit that a power cut takes back is folded again. */
function lock(db: Database.Database, { bytesMax }: DatabaseOptions): void {
  db.pragma('locking_mode = EXCLUSIVE');
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma('temp_store = MEMORY');
  db.pragma(`cache_size = -${PAGE_CACHE_KIB}`);
  db.exec('BEGIN EXCLUSIVE; COMMIT');
  if (bytesMax === undefined) return;
  const pageBytes = Number(db.pragma('page_size', { simple: true }));
  db.pragma(`max_page_count = ${Math.max(1, Math.floor(bytesMax / pageBytes))}`);
}

function stateOf(db: Database.Database, { file, version }: DatabaseOptions): Exclude<Opened, 'unreadable'> {
  const tables = db.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").pluck().get();
  const ours = db.pragma('application_id', { simple: true }) === APPLICATION_ID;
  if (!ours && tables !== 0) throw new LedgerError('ledger_foreign', file);
  if (tables === 0) return 'fresh';
  if (tables !== TABLE_NAMES.length) return 'other_version';
  return db.prepare('SELECT text FROM identity').pluck().get() === identityOf(version) ? 'kept' : 'other_version';
}

const identityOf = (version: string): string => `ledger ${LEDGER_FORMAT}, ${version}`;
