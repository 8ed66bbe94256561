import { ExporterError } from '../src/errors.js';
import type { Disk } from '../src/ports.js';

/** What happens at a step: the disk refuses it once, or the process dies there and never takes another step. */
export type Mishap = 'disk_full' | 'killed' | 'killed_halfway';

export class Killed extends Error {
  override readonly name = 'Killed';
}

/** A disk on which exactly one step goes wrong. `steps` counts all that were asked for. */
export class FailingDisk implements Disk {
  steps = 0;
  #isDead = false;

  constructor(
    private readonly disk: Disk,
    private readonly at: number = Number.POSITIVE_INFINITY,
    private readonly mishap: Mishap = 'killed',
  ) {}

  makeFolder = (path: string) => this.#step(path, () => this.disk.makeFolder(path));
  foldersIn = (path: string) => this.#step(path, () => this.disk.foldersIn(path));
  read = (path: string) => this.#step(path, () => this.disk.read(path));
  write = (path: string, chunks: Iterable<string> | AsyncIterable<string>) =>
    this.#step(
      path,
      () => this.disk.write(path, chunks),
      async () => this.disk.write(path, [(await gathered(chunks)).slice(0, 7)]),
    );
  settle = (folder: string) => this.#step(folder, () => this.disk.settle(folder));
  rename = (from: string, to: string) => this.#step(to, () => this.disk.rename(from, to));
  remove = (path: string) => this.#step(path, () => this.disk.remove(path));

  async #step<Value>(path: string, whole: () => Promise<Value>, half?: () => Promise<unknown>): Promise<Value> {
    if (this.#isDead) throw new Killed();
    this.steps += 1;
    if (this.steps !== this.at) return whole();
    if (this.mishap === 'disk_full') throw new ExporterError('export_disk_full', path);
    this.#isDead = true;
    if (this.mishap === 'killed_halfway') await half?.();
    throw new Killed();
  }
}

async function gathered(chunks: Iterable<string> | AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}
