import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ledger, LedgerError, openLedger } from '@emend/ledger';

/** Names what this service folds; another name empties the file. */
const ledgerVersion = 'exporter 2';

/** The view that changed runs are marked for. */
export const exportView = 'export';

/** @throws LedgerError `ledger_in_use` where another process holds the file */
export const openOwnLedger = (file: string): Ledger => openLedger({ file, version: ledgerVersion, views: [exportView] });

export interface OneShotLedger {
  readonly ledger: Ledger;
  /** A file of this command's own, because a running exporter holds the other. */
  readonly isTemporary: boolean;
  close(): void;
}

/** The service's own file where it is free, else a temporary one, folded from the beginning. */
export function openLedgerOnce(file: string): OneShotLedger {
  try {
    const ledger = openOwnLedger(file);
    return { ledger, isTemporary: false, close: () => ledger.close() };
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== 'ledger_in_use') throw error;
  }
  const folder = mkdtempSync(join(tmpdir(), 'emend-export-'));
  const ledger = openOwnLedger(join(folder, 'exporter.sqlite'));
  return {
    ledger,
    isTemporary: true,
    close() {
      ledger.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
