import { copyFile, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LogError } from '../errors.js';
import { isAtLeast } from '../serverVersion.js';
import { isExecutable, onPath, runCommand, serverVersionOf } from './serverBinary.js';

export interface FindServerOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where a server may be put and found, say `.emend`. */
  readonly folder: string;
  /** Whether something may be fetched. Without it only what is here already counts. */
  readonly allowInstall: boolean;
  /** Told in one line why a way did not work, and what was found. */
  readonly say: (line: string) => void;
}

export interface FoundServer {
  readonly binary: string;
  readonly version: string;
  /** The way that worked, in words. */
  readonly how: string;
}

export type ResolvedServer = { readonly kind: 'url'; readonly url: string } | ({ readonly kind: 'binary' } & FoundServer);

/** The oldest server taken from the search path without a warning. */
const PATH_OLDEST = [2, 10, 27] as const;
const TESTING_SUITE = 'forky';
const GO_MODULE = 'github.com/nats-io/nats-server/v2@v2.15.2';
const FETCH_BOUND_MS = 120_000;
const COMPILE_BOUND_MS = 900_000;
const SYSTEM_COMMAND = 'apt-get install nats-server';

interface Way {
  readonly how: string;
  /** The path of a binary; throws with the reason why this way does not work here. */
  readonly find: (options: FindServerOptions) => Promise<string>;
}

/** In order: what the user named, what is here, what can be had without root, and last what is old. */
const WAYS: readonly Way[] = [
  { how: 'EMEND_NATS_SERVER', find: named },
  { how: 'the search path', find: onSearchPath },
  { how: 'an earlier start', find: fromFolder },
  { how: `the package of Debian's ${TESTING_SUITE}`, find: fromTestingSuite },
  { how: 'go install', find: fromGo },
  { how: "this system's own package", find: fromSystem },
];

/** Finds or fetches a nats-server. Throws `server_missing` with all that was tried and what would help. */
export async function findServer(options: FindServerOptions): Promise<FoundServer> {
  const reasons: string[] = [];
  for (const way of WAYS) {
    try {
      const binary = await way.find(options);
      const version = await serverVersionOf(binary);
      options.say(`nats-server ${version} from ${way.how}: ${binary}`);
      return { binary, version, how: way.how };
    } catch (error) {
      const reason = `${way.how}: ${error instanceof Error ? error.message : 'failed'}`;
      // What the user named is what the user wants: another server instead would be a surprise.
      if (way.find === named && options.env['EMEND_NATS_SERVER']) throw new LogError('server_missing', reason, [reason]);
      options.say(`no nats-server from ${reason}`);
      reasons.push(reason);
    }
  }
  throw new LogError('server_missing', `no nats-server found; ${await whatWouldHelp(options)}`, reasons);
}

/** The server to use: one that already runs (`EMEND_NATS_URL`), else a binary to start. */
export async function resolveServer(options: FindServerOptions): Promise<ResolvedServer> {
  const url = options.env['EMEND_NATS_URL'];
  if (url === undefined || url === '') return { kind: 'binary', ...(await findServer(options)) };
  options.say('using the running server of EMEND_NATS_URL');
  return { kind: 'url', url };
}

async function named({ env }: FindServerOptions): Promise<string> {
  const path = env['EMEND_NATS_SERVER'];
  if (path === undefined || path === '') throw new Error('not set');
  if (!(await isExecutable(path))) throw new Error(`cannot be run: ${path}`);
  return resolve(path);
}

async function onSearchPath({ env }: FindServerOptions): Promise<string> {
  const path = await onPath('nats-server', env);
  if (path === null) throw new Error('not there');
  const version = await serverVersionOf(path);
  if (!isAtLeast(version, PATH_OLDEST)) throw new Error(`${version} is older than ${PATH_OLDEST.join('.')}`);
  return path;
}

async function fromFolder({ folder }: FindServerOptions): Promise<string> {
  const path = inFolder(folder);
  if (!(await isExecutable(path))) throw new Error(`nothing at ${path}`);
  return path;
}

async function fromTestingSuite(options: FindServerOptions): Promise<string> {
  await mayInstall(options, ['apt-get', 'dpkg-deb', 'bash']);
  options.say(`fetching nats-server from Debian's ${TESTING_SUITE} into ${options.folder}`);
  await mkdir(join(options.folder, 'bin'), { recursive: true });
  const unpacked = await mkdtemp(join(resolve(options.folder), 'unpack-'));
  try {
    await runCommand({ file: 'bash', args: [packageScript(), 'nats-server', TESTING_SUITE, unpacked], boundMs: FETCH_BOUND_MS });
    // Beside the target first: another process must never see half a binary.
    const half = `${unpacked}.half`;
    await copyFile(join(unpacked, 'usr/sbin/nats-server'), half);
    await rename(half, inFolder(options.folder));
  } finally {
    await rm(unpacked, { recursive: true, force: true });
  }
  return inFolder(options.folder);
}

async function fromGo(options: FindServerOptions): Promise<string> {
  await mayInstall(options, ['go']);
  options.say(`compiling ${GO_MODULE} with go, this takes minutes`);
  const env = { GOBIN: resolve(options.folder, 'bin') };
  await runCommand({ file: 'go', args: ['install', GO_MODULE], env, boundMs: COMPILE_BOUND_MS });
  return inFolder(options.folder);
}

/** May be years old, so it comes last and with a warning: fine for one node on one machine, nothing else. */
async function fromSystem(options: FindServerOptions): Promise<string> {
  if ((await onPath('nats-server', options.env)) === null) await installSystemPackage(options);
  const path = await onPath('nats-server', options.env);
  if (path === null) throw new Error('still not on the search path');
  options.say(`warning: nats-server ${await serverVersionOf(path)} is out of support; use it for development only`);
  return path;
}

async function installSystemPackage(options: FindServerOptions): Promise<void> {
  await mayInstall(options, ['apt-get']);
  if (process.getuid?.() !== 0) throw new Error(`needs root: run 'sudo ${SYSTEM_COMMAND}'`);
  options.say(`running '${SYSTEM_COMMAND}' as root`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  await runCommand({ file: 'apt-get', args: ['install', '-y', '-qq', 'nats-server'], env, boundMs: FETCH_BOUND_MS });
}

async function mayInstall({ allowInstall, env }: FindServerOptions, tools: readonly string[]): Promise<void> {
  if (!allowInstall) throw new Error('nothing may be installed now');
  for (const tool of tools) {
    if ((await onPath(tool, env)) === null) throw new Error(`${tool} is not here`);
  }
}

async function whatWouldHelp({ env }: FindServerOptions): Promise<string> {
  if ((await onPath('apt-get', env)) !== null) return `run 'apt-get update' once as root and try again, or '${SYSTEM_COMMAND}'`;
  if (process.platform === 'darwin') return "run 'brew install nats-server', or set EMEND_NATS_SERVER to a binary";
  return 'install nats-server 2.14 or newer, or set EMEND_NATS_SERVER to a binary or EMEND_NATS_URL to a running server';
}

function inFolder(folder: string): string {
  return resolve(folder, 'bin', 'nats-server');
}

/** The repository's script; the same way up from `src/server` and from `dist/server`. */
function packageScript(): string {
  return fileURLToPath(new URL('../../../../scripts/debian-package.sh', import.meta.url));
}
