import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import ts from 'typescript';
import { serverBinary } from './serverBinary.js';

interface Line {
  readonly said: string;
  readonly [key: string]: unknown;
}

/** Processes that take a store, each a real one: what two of them do at one moment shows in no single process. */
export class Starters {
  private constructor(readonly folder: string) {}

  /** The sources as JavaScript, below `node_modules` so that dependencies resolve and nothing is left in the tree. */
  static async build(): Promise<Starters> {
    const packageFolder = join(import.meta.dirname, '..');
    await mkdir(join(packageFolder, 'node_modules'), { recursive: true });
    const folder = await mkdtemp(join(packageFolder, 'node_modules', '.child-'));
    await cp(join(packageFolder, 'src'), folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, verbatimModuleSyntax: true };
    for (const file of await readdir(folder, { recursive: true })) {
      if (!file.endsWith('.ts')) continue;
      const source = await readFile(join(folder, file), 'utf8');
      await writeFile(join(folder, file.replace(/\.ts$/, '.js')), ts.transpileModule(source, { compilerOptions }).outputText);
    }
    return new Starters(folder);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  /** So many at the same moment; `got` is `held` or the code of the error. */
  async race(storeDir: string, count: number): Promise<{ readonly got: unknown; readonly end: () => Promise<void> }[]> {
    const children = Array.from({ length: count }, () => this.#start(['race', storeDir]));
    await Promise.all(children.map(({ said }) => said('ready')));
    for (const { tell } of children) tell();
    return Promise.all(children.map(async ({ said, end }) => ({ got: (await said('done'))['got'], end })));
  }

  /** A server with its starter, which is the first of a process group and lives on when it is interrupted. */
  async serve({ ownGroup }: { readonly ownGroup: boolean }): Promise<{
    readonly url: string;
    readonly serverPid: number;
    readonly said: (what: string) => Promise<Line>;
    readonly interruptGroup: () => void;
    readonly end: () => Promise<void>;
  }> {
    const binary = await serverBinary();
    const storeDir = await mkdtemp(join(tmpdir(), 'emend-group-'));
    const { child, said, end } = this.#start(['serve', storeDir, binary, String(ownGroup)]);
    const ready = await said('ready');
    return {
      url: String(ready['url']),
      serverPid: Number(ready['pid']),
      said,
      interruptGroup: () => void process.kill(-(child.pid ?? 0), 'SIGINT'),
      end: async () => {
        await end();
        await rm(storeDir, { recursive: true });
      },
    };
  }

  #start(args: readonly string[]) {
    const script = join(import.meta.dirname, 'child', 'starter.mjs');
    const child: ChildProcess = spawn(process.execPath, [script, this.folder, ...args], {
      detached: true,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines: Line[] = [];
    const looking = new Set<() => void>();
    if (child.stdout !== null) {
      createInterface({ input: child.stdout }).on('line', (line) => {
        lines.push(JSON.parse(line) as Line);
        for (const look of looking) look();
      });
    }
    const ended = once(child, 'close');
    const said = (what: string): Promise<Line> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const line = lines.find((l) => l.said === what);
          if (line !== undefined) resolve(line);
        };
        looking.add(look);
        look();
        ended.then(() => reject(new Error(`it ended before it said ${what}`)), reject);
      });
    const tell = (): void => void child.stdin?.write('\n');
    return {
      child,
      said,
      tell,
      end: async () => {
        tell();
        await ended;
      },
    };
  }
}
