import type { Ledger } from '@emend/ledger';

/** What an export reads: dossiers and contracts as the log stands at one position. It must not move meanwhile. */
export type FoldedRuns = Pick<Ledger, 'position' | 'runs' | 'dossier' | 'facts'>;

/** The few steps that writing an export takes, each of which may fail or be the last one of the process. */
export interface Disk {
  makeFolder(path: string): Promise<void>;
  /** Names of folders in a folder; none where it does not exist. */
  foldersIn(path: string): Promise<readonly string[]>;
  /** Null where there is no such file. */
  read(path: string): Promise<string | null>;
  /** Writes the whole file and forces it to the disk. */
  write(path: string, chunks: Iterable<string> | AsyncIterable<string>): Promise<void>;
  /** Makes what was renamed or created in a folder outlast a power cut. */
  settle(folder: string): Promise<void>;
  /** One step: readers see the old or the new. `taken`: a folder never replaces a folder that holds something. */
  rename(from: string, to: string): Promise<'renamed' | 'taken'>;
  remove(path: string): Promise<void>;
}
