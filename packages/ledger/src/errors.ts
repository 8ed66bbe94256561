/** Every code this package can raise, and what it says. A code is never reused for another meaning. */
export const ledgerErrorCodes = {
  ledger_in_use: 'Another process, or another part of this one, holds the file.',
  ledger_foreign: 'The file is a database, and not one of ours: it is left alone.',
  ledger_full: 'The disk is full, or the file has reached its limit. Nothing of the batch is kept.',
  ledger_corrupt: 'The file does not hold what was written. Dropping it costs time only.',
  ledger_unusable: 'The file cannot be opened or written: a folder, a permission, a failing disk.',
} as const;

export type LedgerErrorCode = keyof typeof ledgerErrorCodes;

/** A fault of the ledger's file. Carries the path and SQLite's own code, never what stands in the file. */
export class LedgerError extends Error {
  override readonly name = 'LedgerError';

  constructor(
    readonly code: LedgerErrorCode,
    readonly file: string,
    readonly sqlite?: string,
  ) {
    super(`${code}: ${ledgerErrorCodes[code]} (${file}${sqlite === undefined ? '' : `, ${sqlite}`})`);
  }
}

/** What SQLite throws as an error of ours; anything else as it is. Its texts stay behind, they may name columns and values. */
export function asLedgerError(error: unknown, file: string): unknown {
  const sqlite = sqliteCodeOf(error);
  return sqlite === null ? error : new LedgerError(codeOf(sqlite), file, sqlite);
}

const families: readonly (readonly [string, LedgerErrorCode])[] = [
  ['SQLITE_BUSY', 'ledger_in_use'],
  ['SQLITE_LOCKED', 'ledger_in_use'],
  ['SQLITE_FULL', 'ledger_full'],
  ['SQLITE_CORRUPT', 'ledger_corrupt'],
  ['SQLITE_NOTADB', 'ledger_corrupt'],
];

const codeOf = (sqlite: string): LedgerErrorCode => families.find(([family]) => sqlite.startsWith(family))?.[1] ?? 'ledger_unusable';

function sqliteCodeOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return null;
  return error.code.startsWith('SQLITE_') ? error.code : null;
}
