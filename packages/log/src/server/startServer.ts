import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../backoff.js';
import { LogError } from '../errors.js';
import { serverVersionOf } from './serverBinary.js';
import { StoreLock } from './storeLock.js';

export interface StartServerOptions {
  readonly binary: string;
  /** Streams, lock and configuration live here. */
  readonly storeDir: string;
  /** -1 takes a free one (default). */
  readonly port?: number;
  /** Text of a server configuration, for accounts and permissions. */
  readonly config?: string;
  /**
   * A process group of its own: an interrupt from the keyboard then reaches only this process, which can drain first. For a
   * process that handles its signals: one that just ends by a signal leaves such a server running.
   */
  readonly ownGroup?: boolean;
  readonly say?: (line: string) => void;
}

export interface RunningServer {
  readonly url: string;
  readonly pid: number;
  readonly version: string;
  /** Resolves when it has ended. May be called twice. */
  stop(): Promise<void>;
  /** The same without any goodbye. */
  kill9(): Promise<void>;
  /** Starts again on the same store and port after `stop` or `kill9`. */
  restart(): Promise<void>;
}

const START_BOUND_MS = 20_000;
const STOP_BOUND_MS = 10_000;
const LOOK_AGAIN_MS = 10;
const LAST_LINES = 5;

/**
 * Starts a server on the loopback and resolves when it takes connections. The server ends with this process where Node
 * still runs its exit handlers. After a kill -9 of this process it lives on and holds its store: the next start then
 * throws `store_in_use` and names it.
 */
export async function startServer(options: StartServerOptions): Promise<RunningServer> {
  mkdirSync(options.storeDir, { recursive: true });
  const version = await serverVersionOf(options.binary);
  let running = await launch(options, options.port ?? -1);
  options.say?.(`nats-server ${version} on ${running.url}`);
  const end = (signal: NodeJS.Signals): Promise<void> => endChild(running.child, signal);
  return {
    get url() {
      return running.url;
    },
    get pid() {
      return running.child.pid ?? 0;
    },
    version,
    stop: () => end('SIGTERM'),
    kill9: () => end('SIGKILL'),
    restart: async () => {
      await end('SIGTERM');
      running = await launch(options, Number(new URL(running.url).port));
    },
  };
}

interface Launched {
  readonly child: ChildProcess;
  readonly url: string;
}

async function launch(options: StartServerOptions, port: number): Promise<Launched> {
  const lock = await StoreLock.take(options.storeDir);
  const child = spawnHolding(lock, options, port);
  const lines = lastLines(child);
  const endWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithUs);
  // Listeners and not promises: the lock must be free before anybody who waits for the end goes on.
  const atEnd = (): void => {
    process.removeListener('exit', endWithUs);
    lock.release();
  };
  child.once('close', atEnd).once('error', atEnd);
  try {
    if (child.pid !== undefined) lock.holdFor(child.pid);
    return { child, url: await untilReady(child, options.storeDir) };
  } catch (error) {
    await endChild(child, 'SIGKILL');
    const why = error instanceof LogError ? error.message : 'it could not be run';
    throw new LogError('server_failed', `${options.binary} did not start: ${why}`, [options.binary, ...lines]);
  }
}

function spawnHolding(lock: StoreLock, options: StartServerOptions, port: number): ChildProcess {
  try {
    return spawn(options.binary, serverArguments(options, port), {
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: options.ownGroup ?? false,
    });
  } catch (error) {
    lock.release();
    throw error;
  }
}

function serverArguments(options: StartServerOptions, port: number): string[] {
  const { storeDir, config } = options;
  const base = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', storeDir, '--ports_file_dir', storeDir];
  if (config === undefined) return base;
  const path = join(storeDir, 'nats.conf');
  // It may hold passwords.
  writeFileSync(path, config, { mode: 0o600 });
  return [...base, '-c', path];
}

/** The server itself writes the address it took, so there is no race for a free port. */
async function untilReady(child: ChildProcess, storeDir: string): Promise<string> {
  const path = join(storeDir, `nats-server_${child.pid ?? 0}.ports`);
  const startedMs = performance.now();
  while (performance.now() - startedMs < START_BOUND_MS) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new LogError('server_failed', `it ended with ${child.exitCode ?? child.signalCode}`);
    const url = readUrl(path);
    if (url !== null) return url;
    await pause(LOOK_AGAIN_MS);
  }
  throw new LogError('server_failed', `it was not ready within ${START_BOUND_MS} ms`);
}

function readUrl(path: string): string | null {
  try {
    const ports = JSON.parse(readFileSync(path, 'utf8')) as { nats?: string[] };
    return ports.nats?.[0] ?? null;
  } catch {
    return null;
  }
}

/** Also takes the pipe's content away, for a full pipe would stop the server. Log lines carry no payload. */
function lastLines(child: ChildProcess): string[] {
  const lines: string[] = [];
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    lines.push(...text.split('\n').filter((line) => line !== ''));
    lines.splice(0, Math.max(0, lines.length - LAST_LINES));
  });
  return lines;
}

async function endChild(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill(signal);
  // A stopped process (SIGSTOP) takes no SIGTERM, and must still end.
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_BOUND_MS);
  await ended;
  clearTimeout(timer);
}
