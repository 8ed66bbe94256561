import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { nodeDisk } from '../src/adapters/nodeDisk.js';
import { type ExportPolicy } from '../src/domain/exportPolicy.js';
import { ExportFolder } from '../src/exportFolder.js';
import { planExport } from '../src/planExport.js';
import type { Disk, FoldedRuns } from '../src/ports.js';
import { type WriteOptions, type Written, writeExport } from '../src/writeExport.js';
import { policyOf } from './folded.js';

const base = mkdtempSync(join(tmpdir(), 'emend-exports-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

let folders = 0;
/** A path that nobody has used; nothing stands there yet. */
export const freshFolder = (): string => join(base, `export-${(folders += 1)}`);

export interface ExportOptions {
  readonly root: string;
  readonly disk?: Disk;
  readonly policy?: Partial<ExportPolicy>;
  readonly when?: WriteOptions['when'];
  /** Another process than the one before. */
  readonly pid?: number;
  /** Whether the other writers of this host still live. */
  readonly othersLive?: boolean;
}

/** One export of a folded log, as one process would make it. */
export async function exportTo(folded: FoldedRuns, options: ExportOptions): Promise<Written> {
  const { root, disk = nodeDisk, when = 'always', pid = 1 } = options;
  const policy = policyOf(folded, options.policy);
  const folder = new ExportFolder({ disk, root, writer: { host: 'here', pid, isAlive: () => options.othersLive ?? false } });
  return writeExport({ folded, policy, plan: await planExport(folded, policy), folder, when });
}

/** Every file under a folder with its text. */
export function filesUnder(folder: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    if (statSync(path).isFile()) found[name] = readFileSync(path, 'utf8');
  }
  return found;
}

export const fileOf = (root: string, name: string): string => readFileSync(join(root, name), 'utf8');
