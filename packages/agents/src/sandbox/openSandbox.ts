import { createHash } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { access, readFile, realpath, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import type { SandboxDigests } from '@emend/contracts';
import type { UnavailableCode } from '../failureCodes.js';
import { bundleBytesMax } from '../limits.js';
import type { Launcher, WorkerBundle } from './launcher.js';
import { builtinFiles } from './builtinFiles.js';
import { faultName } from './faultName.js';
import { bubblewrapArgs, commandLine, cpuSecondsDefault, type NestedNamespaces, type SandboxPaths } from './sandboxCommand.js';
import { seccompFilter } from './seccompFilter.js';
import { selfTest } from './selfTest.js';
import { sharedLibraries } from './sharedLibraries.js';
import { spawnWorker } from './spawnWorker.js';
import { architectures } from './systemCalls.js';

export interface Sandbox extends Launcher {
  /** What every run of this sandbox is made of: part of a run's claim. */
  readonly digests: SandboxDigests;
}

export interface Unavailable {
  readonly kind: 'unavailable';
  readonly code: UnavailableCode;
  readonly misses: readonly string[];
  /** What bubblewrap said to the canary, or the system to us, for an operator. */
  readonly said: string;
}

export type OpenedSandbox = { readonly kind: 'ready'; readonly sandbox: Sandbox } | Unavailable;

export interface SandboxOptions {
  readonly nestedNamespaces?: NestedNamespaces;
  /** Folders that programs are looked for in; PATH is not asked. */
  readonly programFolders?: readonly string[];
  /** Another worker than the one of this package: the adversaries of the tests. */
  readonly workerFile?: string;
  readonly cpuSeconds?: number;
  readonly platform?: string;
  readonly architecture?: string;
}

const ownFile = (name: string): string => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));

const unavailable = (code: UnavailableCode, misses: readonly string[] = [], said = ''): Unavailable => ({
  kind: 'unavailable',
  code,
  misses,
  said,
});

/**
 * A sandbox that has just proven itself, or the reason why there is none. There is no third way: nothing in this package starts a
 * worker outside of one.
 */
export async function openSandbox(options: SandboxOptions = {}): Promise<OpenedSandbox> {
  const { platform = process.platform, architecture = process.arch, nestedNamespaces: nested = 'disabled' } = options;
  if (platform !== 'linux') return unavailable('platform_unsupported');
  // A worker dies with the thread that spawned it, and not with its process.
  if (!isMainThread) return unavailable('thread_unsupported');
  const table = architectures[architecture];
  if (table === undefined) return unavailable('architecture_unsupported');
  const found = await findPaths(options.programFolders ?? ['/usr/bin', '/bin', '/usr/local/bin']);
  if ('code' in found) return unavailable(found.code, [], found.said);
  const worker = await readBundle(options.workerFile ?? ownFile('worker.cjs'));
  const canary = await readBundle(ownFile('canary.cjs'));
  if (typeof worker === 'string') return unavailable(worker);
  if (typeof canary === 'string') return unavailable(canary);
  const filter = seccompFilter(table);
  const ground = { paths: found, filter, nested, cpuSeconds: options.cpuSeconds ?? cpuSecondsDefault };
  const proof = await selfTest(
    (onSaid) => spawnWorker({ ...ground, bundle: canary, guard: 'kernel_only', onSaid }),
    fileURLToPath(import.meta.url),
  );
  if (!proof.ok) return unavailable(proof.code, proof.misses, proof.said);
  const node = await fileDigest(found.node).catch((error: unknown) => ({ said: faultName(error) }));
  if (typeof node !== 'string') return unavailable('node_unreadable', [], node.said);
  const command = commandLine(found, { guard: 'permission_model', cpuSeconds: ground.cpuSeconds, nodeVersion: process.versions.node });
  return {
    kind: 'ready',
    sandbox: {
      digests: {
        command: digest([...command, bubblewrapArgs(found, nested).toString()].join('\n')),
        filter: digest(filter),
        node,
        worker: worker.digest,
      },
      launch: () => spawnWorker({ ...ground, bundle: worker, guard: 'permission_model' }),
    },
  };
}

interface NotFound {
  readonly code: UnavailableCode;
  readonly said: string;
}

const notFound = (code: UnavailableCode, error?: unknown): NotFound => ({ code, said: error === undefined ? '' : faultName(error) });

async function findPaths(folders: readonly string[]): Promise<SandboxPaths | NotFound> {
  const bubblewrap = await findProgram('bwrap', folders);
  if (bubblewrap === null) return notFound('bubblewrap_missing');
  if (await isSetuid(bubblewrap)) return notFound('bubblewrap_setuid');
  const prlimit = await findProgram('prlimit', folders);
  if (prlimit === null) return notFound('prlimit_missing');
  const node = await realpath(process.execPath).catch((error: unknown) => notFound('node_unreadable', error));
  if (typeof node !== 'string') return node;
  const libraries = await sharedLibraries(node);
  if (libraries === null) return notFound('libraries_unreadable');
  const more = await builtinFiles(libraries).catch((error: unknown) => notFound('libraries_unreadable', error));
  return 'code' in more ? more : { prlimit, bubblewrap, node, libraries: [...libraries, ...more] };
}

const setuidBit = 0o4000;

/** One that is gone by now is met by the canary. */
const isSetuid = (file: string): Promise<boolean> =>
  stat(file).then(
    ({ mode }) => (mode & setuidBit) !== 0,
    () => false,
  );

async function findProgram(name: string, folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    const file = `${folder}/${name}`;
    const there = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (there) return file;
  }
  return null;
}

async function readBundle(file: string): Promise<WorkerBundle | UnavailableCode> {
  const bytes = await readFile(file).catch(() => null);
  if (bytes === null || bytes.length === 0) return 'bundle_missing';
  return bytes.length > bundleBytesMax ? 'bundle_unfit' : { bytes, digest: digest(bytes) };
}

const digest = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

const pieceBytes = 1024 * 1024;

/** Read in pieces: a Node binary has a hundred megabytes. */
async function fileDigest(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of createReadStream(file, { highWaterMark: pieceBytes })) hash.update(piece as Buffer);
  return hash.digest('hex');
}
