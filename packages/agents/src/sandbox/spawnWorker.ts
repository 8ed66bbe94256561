import { spawn } from 'node:child_process';
import type { Duplex, Writable } from 'node:stream';
import { outputBytesMax } from '../limits.js';
import { faultName } from './faultName.js';
import type { RunningWorker, WorkerBundle, WorkerExit } from './launcher.js';
import { bubblewrapArgs, childFds, commandLine, type NestedNamespaces, type NodeGuard, type SandboxPaths } from './sandboxCommand.js';

/** A user of the host that owns nothing. Its number is nobody's, so that the process limit counts workers alone. */
export const droppedUser = 64_321;

/** Characters of what bubblewrap says that a self-test keeps. */
const saidMax = 400;

export interface SpawnOptions {
  readonly paths: SandboxPaths;
  readonly filter: Buffer;
  readonly bundle: WorkerBundle;
  readonly guard: NodeGuard;
  readonly nested: NestedNamespaces;
  readonly cpuSeconds: number;
  /** For the self-test, whose canary holds nothing to hide: the first characters of its stderr, again with each that comes. */
  readonly onSaid?: (text: string) => void;
}

/**
 * Starts one worker behind prlimit and bubblewrap. The parent's environment is not passed on, and root is given up first: with
 * bubblewrap as root the worker would be the host's root towards files. Filter, arguments and worker file go through pipes of
 * their own, new for each run, so no file lies about and none can be exchanged.
 * @throws what `spawn` throws: EPERM where root may not give itself up, EMFILE without a descriptor left.
 */
export function spawnWorker({ paths, filter, bundle, guard, nested, cpuSeconds, onSaid }: SpawnOptions): RunningWorker {
  const child = spawn(paths.prlimit, commandLine(paths, { guard, cpuSeconds, nodeVersion: process.versions.node }), {
    env: {},
    cwd: '/',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe', 'pipe'],
    ...(process.getuid?.() === 0 ? { uid: droppedUser, gid: droppedUser } : {}),
  });
  // Heard from here on: an error that nobody hears would end the process.
  const refused = new Promise<NodeJS.ErrnoException>((resolve) => child.once('error', resolve));
  // The type ends at the fifth, and does not know that there are none without a descriptor left.
  const stdio = child.stdio as readonly unknown[] | undefined;
  if (stdio === undefined) throw Object.assign(new Error('spawn'), { code: 'EMFILE', syscall: 'spawn' });
  if (onSaid !== undefined) void refused.then((error) => onSaid(faultName(error)));
  feed(stdio[childFds.filter], filter);
  feed(stdio[childFds.args], bubblewrapArgs(paths, nested));
  feed(stdio[childFds.bundle], bundle.bytes);
  const kill = () => void child.kill('SIGKILL');
  let outputBytes = 0;
  const flooded = new Promise<void>((resolve) => {
    const count = (chunk: Buffer) => {
      outputBytes += chunk.length;
      if (outputBytes <= outputBytesMax) return;
      kill();
      resolve();
    };
    child.stdout?.on('data', count);
    child.stderr?.on('data', count);
  });
  if (onSaid !== undefined) {
    let said = '';
    // One sentence of bubblewrap comes in several writes.
    child.stderr?.on('data', (chunk: Buffer) => onSaid((said = (said + chunk.toString('utf8')).slice(0, saidMax))));
  }
  const channel = stdio[childFds.channel] as Duplex;
  const ended = new Promise<WorkerExit>((resolve) => {
    void refused.then(() => resolve({ code: null, signal: null, outputBytes }));
    child.once('close', (code, signal) => resolve({ code, signal, outputBytes }));
  });
  // A child that could not be started, or that ends, leaves broken pipes: its exit says so already.
  channel.on('error', () => {});
  return { pid: child.pid, channel, ended, flooded, kill };
}

function feed(stream: unknown, bytes: Buffer): void {
  const pipe = stream as Writable | null | undefined;
  pipe?.on('error', () => {});
  pipe?.end(bytes);
}
