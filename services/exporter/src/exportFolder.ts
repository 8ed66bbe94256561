import { join } from 'node:path';
import { sha256 } from '@emend/contracts';
import { readManifest } from './manifestFile.js';
import type { ManifestBase } from './domain/manifest.js';
import { ExporterError } from './errors.js';
import type { Disk } from './ports.js';

const POSITION_DIGITS = 12;
const exportName = /^(\d{12})(?:-(\d{1,6}))?$/;
const draftName = /^\.writing-(.+)-(\d+)-\d+$/;

export const manifestName = 'manifest.json';
export const latestName = 'latest.json';

/** One whole export in the folder. A second one of the same position, under other settings, is revision 2. */
export interface KeptExport {
  readonly name: string;
  readonly position: number;
  readonly revision: number;
  readonly manifest: ManifestBase;
  readonly manifestText: string;
}

/** Who writes: a draft that its writer left behind is recognised by it. */
export interface Writer {
  readonly host: string;
  readonly pid: number;
  /** Whether a process of this host is there. */
  readonly isAlive: (pid: number) => boolean;
}

export interface ExportFolderOptions {
  readonly disk: Disk;
  readonly root: string;
  readonly writer: Writer;
}

/** The folder of all exports. Each is a folder of its own that appears whole, by one rename, and never changes. */
export class ExportFolder {
  #drafts = 0;

  constructor(private readonly options: ExportFolderOptions) {}

  get root(): string {
    return this.options.root;
  }

  /** The newest export, or the newest before another. @throws ExporterError `export_manifest_unreadable` */
  async newest(before?: KeptExport): Promise<KeptExport | null> {
    const { disk, root } = this.options;
    const names = (await disk.foldersIn(root)).filter((name) => exportName.test(name)).sort(byAge);
    const older = before === undefined ? names : names.filter((name) => byAge(name, before.name) < 0);
    const name = older.at(-1);
    if (name === undefined) return null;
    const path = join(root, name, manifestName);
    const text = await disk.read(path);
    const manifest = text === null ? null : readManifest(text);
    if (text === null || manifest === null) throw new ExporterError('export_manifest_unreadable', path);
    return { name, ...partsOf(name), manifest, manifestText: text };
  }

  /** A folder for a draft that nobody else writes to. */
  async begin(): Promise<string> {
    const { disk, root, writer } = this.options;
    await disk.makeFolder(root);
    await this.#sweep();
    this.#drafts += 1;
    const draft = join(root, `.writing-${writer.host}-${writer.pid}-${this.#drafts}`);
    await disk.makeFolder(draft);
    return draft;
  }

  /** Puts a whole draft in its place. `taken`: somebody else was faster. */
  async publish(draft: string, as: { readonly position: number; readonly revision: number }): Promise<'published' | 'taken'> {
    const { disk, root } = this.options;
    await disk.settle(draft);
    if ((await disk.rename(draft, join(root, nameOf(as)))) === 'taken') return 'taken';
    await disk.settle(root);
    return 'published';
  }

  /** Lets `latest.json` name the newest export; where it does so already nothing is written. */
  async point(): Promise<void> {
    const { disk, root } = this.options;
    const newest = await this.newest();
    if (newest === null) return;
    const path = join(root, latestName);
    const pointer = { directory: newest.name, position: newest.position, manifest: sha256(newest.manifestText) };
    const text = `${JSON.stringify(pointer, null, 2)}\n`;
    if ((await disk.read(path)) === text) return;
    const draft = await this.begin();
    try {
      await disk.write(join(draft, latestName), [text]);
      await disk.rename(join(draft, latestName), path);
      await disk.settle(root);
    } finally {
      await this.discard(draft).catch(() => undefined);
    }
  }

  write(path: string, chunks: Iterable<string>): Promise<void> {
    return this.options.disk.write(path, chunks);
  }

  discard(draft: string): Promise<void> {
    return this.options.disk.remove(draft);
  }

  /** Removes drafts of writers that are gone. Those of another host may still be written. */
  async #sweep(): Promise<void> {
    const { disk, root, writer } = this.options;
    for (const name of await disk.foldersIn(root)) {
      const [, host, pid] = draftName.exec(name) ?? [];
      if (host !== writer.host || pid === undefined) continue;
      // Ours from this life is being written or was discarded; with our own number it is of a life before.
      const isLeftBehind = Number(pid) === writer.pid ? this.#drafts === 0 : !writer.isAlive(Number(pid));
      if (isLeftBehind) await disk.remove(join(root, name));
    }
  }
}

export function nameOf({ position, revision }: { readonly position: number; readonly revision: number }): string {
  const padded = String(position).padStart(POSITION_DIGITS, '0');
  return revision === 1 ? padded : `${padded}-${revision}`;
}

function partsOf(name: string): { readonly position: number; readonly revision: number } {
  const [, position = '0', revision = '1'] = exportName.exec(name) ?? [];
  return { position: Number(position), revision: Number(revision) };
}

function byAge(a: string, b: string): number {
  const [one, other] = [partsOf(a), partsOf(b)];
  return one.position - other.position || one.revision - other.revision;
}
