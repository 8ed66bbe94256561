import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { ExporterError } from '../errors.js';
import type { Disk } from '../ports.js';

/** Characters that are gathered before a write: lines are small, and each write is a call. */
const WRITE_CHARACTERS = 262_144;

const fullCodes = ['ENOSPC', 'EDQUOT'];
const takenCodes = ['ENOTEMPTY', 'EEXIST'];

/** The machine's own file system. Its faults become codes of ours; the path stays, the platform's text does not. */
export const nodeDisk: Disk = {
  makeFolder: (path) => told(path, async () => void (await mkdir(path, { recursive: true }))),
  foldersIn: (path) =>
    told(path, async () => {
      const entries = await unlessMissing(readdir(path, { withFileTypes: true }));
      return (entries ?? []).filter((entry) => entry.isDirectory()).map(({ name }) => name);
    }),
  read: (path) => told(path, () => unlessMissing(readFile(path, 'utf8'))),
  write: (path, chunks) => told(path, () => writeWhole(path, chunks)),
  settle: (folder) => told(folder, () => settleFolder(folder)),
  rename: (from, to) => told(to, () => renameUnlessTaken(from, to)),
  remove: (path) => told(path, () => rm(path, { recursive: true, force: true })),
};

async function writeWhole(path: string, chunks: Iterable<string> | AsyncIterable<string>): Promise<void> {
  const file = await open(path, 'w', 0o644);
  try {
    let gathered = '';
    for await (const chunk of chunks) {
      gathered += chunk;
      if (gathered.length < WRITE_CHARACTERS) continue;
      await file.appendFile(gathered, 'utf8');
      gathered = '';
    }
    if (gathered !== '') await file.appendFile(gathered, 'utf8');
    await file.sync();
  } finally {
    await file.close();
  }
}

async function renameUnlessTaken(from: string, to: string): Promise<'renamed' | 'taken'> {
  try {
    await rename(from, to);
    return 'renamed';
  } catch (error) {
    if (takenCodes.includes(codeOf(error) ?? '')) return 'taken';
    throw error;
  }
}

async function settleFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function unlessMissing<Value>(work: Promise<Value>): Promise<Value | null> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

async function told<Value>(path: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const code = codeOf(error);
    // What is not of the file system stays what it is: a row that would not load is thrown in the middle of a write.
    if (code === null) throw error;
    throw new ExporterError(fullCodes.includes(code) ? 'export_disk_full' : 'export_folder_unusable', path);
  }
}

/** The file system's own code, or null for any other error. */
function codeOf(error: unknown): string | null {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
