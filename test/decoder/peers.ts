import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = path.resolve(fileURLToPath(import.meta.url), '../../../bench/peers');

/** By the name of a library, what it made of a text; undefined where it gave no value. */
export type Answer = Readonly<Record<string, unknown>>;

/** The libraries of bench/peers, in a process of their own. */
export class Peers {
  readonly #child: ChildProcess;

  constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** Null where they are not installed: `npm ci --ignore-scripts` in bench/peers does it, and so does `npm run bench -- decoder`. */
  static start(): Peers | null {
    if (!existsSync(path.join(folder, 'node_modules'))) return null;
    return new Peers(fork(path.join(folder, 'read.mjs'), { execArgv: [], env: {}, serialization: 'advanced' }));
  }

  async read(texts: readonly string[]): Promise<readonly Answer[]> {
    const answered = once(this.#child, 'message');
    this.#child.send(texts);
    const [answers] = (await answered) as [readonly Answer[]];
    return answers;
  }

  stop(): void {
    this.#child.kill();
  }
}
