import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LogError } from '../errors.js';

const LOCK_FILE = 'emend-server.json';

interface Holder {
  /** The process that starts the server, and the server once it runs. */
  readonly starter: number;
  readonly server: number | null;
}

/**
 * Keeps a second server off a store: two servers on one directory destroy it. The lock is a file that names processes,
 * so one that was left behind by a crash holds nobody up.
 */
export class StoreLock {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Throws `store_in_use` with the process that holds it. */
  static take(storeDir: string): StoreLock {
    const path = join(storeDir, LOCK_FILE);
    const mine = JSON.stringify({ starter: process.pid, server: null } satisfies Holder);
    for (const isLastTry of [false, true]) {
      try {
        writeFileSync(path, mine, { flag: 'wx' });
        return new StoreLock(path);
      } catch (error) {
        const holder = holderPid(path);
        if (holder !== null || isLastTry) throw inUse(storeDir, holder, error);
        rmSync(path, { force: true });
      }
    }
    throw inUse(storeDir, null, null);
  }

  /** From here on the server itself holds the store, even if its starter dies. */
  holdFor(serverPid: number): void {
    writeFileSync(this.#path, JSON.stringify({ starter: process.pid, server: serverPid } satisfies Holder));
  }

  release(): void {
    rmSync(this.#path, { force: true });
  }
}

/** The living process that holds the lock, if there is one. */
function holderPid(path: string): number | null {
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8')) as Holder;
    const pid = holder.server ?? holder.starter;
    return isAlive(pid) && (holder.server === null || isNatsServer(pid)) ? pid : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Process numbers are used again. Where the system does not tell, the number is believed. */
function isNatsServer(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('nats-server');
  } catch {
    return process.platform !== 'linux';
  }
}

function inUse(storeDir: string, pid: number | null, cause: unknown): LogError {
  const code = (cause as NodeJS.ErrnoException | null)?.code;
  if (code !== undefined && code !== 'EEXIST') return new LogError('server_failed', `cannot lock ${storeDir} (${code})`, [storeDir, code]);
  const by = pid === null ? 'another process' : `process ${pid}`;
  return new LogError('store_in_use', `${by} already runs a server on ${storeDir}: stop it or use another folder`, [storeDir, String(pid)]);
}

/** Throws `store_in_use` where a living server or its starter holds the store. Changes nothing. */
export function requireFreeStore(storeDir: string): void {
  const holder = holderPid(join(storeDir, LOCK_FILE));
  if (holder !== null) throw inUse(storeDir, holder, null);
}
