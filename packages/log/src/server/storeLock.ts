import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../backoff.js';
import { LogError } from '../errors.js';
import { identityOf, isStillAlive, type ProcessIdentity } from './processIdentity.js';

const LOCK_FILE = /^emend-server.*\.json$/;
/** Two that start at the same moment both step back, and try again at different moments. */
const TRIES_MAX = 20;
const STEP_BACK_MS_MAX = 50;

interface Lock {
  /** The process that starts the server, and the server once it runs. */
  readonly starter: ProcessIdentity;
  readonly server: ProcessIdentity | null;
}

interface Holder {
  readonly file: string;
  /** Null for a file that nobody can read: it holds too, for it may be anybody's. */
  readonly pid: number | null;
  readonly isStarting: boolean;
}

/**
 * Keeps a second server off a store: two servers on one directory destroy it. Each starter writes a file of its own that
 * names processes, and only then looks for others: of two at the same moment at least one sees the other. So nothing is
 * ever taken over, a file left behind by a crash holds nobody up, and removing one cannot hit a lock that was just taken.
 */
export class StoreLock {
  readonly #path: string;

  private constructor(path: string) {
    this.#path = path;
  }

  /** Throws `store_in_use` with the process that holds it. */
  static async take(storeDir: string): Promise<StoreLock> {
    for (let tries = 1; ; tries++) {
      const lock = new StoreLock(join(storeDir, `emend-server-${randomUUID()}.json`));
      try {
        lock.#write({ starter: identityOf(process.pid), server: null });
      } catch (error) {
        throw cannotLock(storeDir, (error as NodeJS.ErrnoException).code ?? 'unknown');
      }
      const holder = holderOf(storeDir, lock.#path);
      if (holder === null) return lock;
      lock.release();
      if (!holder.isStarting || tries === TRIES_MAX) throw inUse(storeDir, holder);
      await pause(Math.random() * STEP_BACK_MS_MAX);
    }
  }

  /** From here on the server itself holds the store, even if its starter dies. */
  holdFor(serverPid: number): void {
    this.#write({ starter: identityOf(process.pid), server: identityOf(serverPid) });
  }

  release(): void {
    rmSync(this.#path, { force: true });
  }

  /** Whole or not at all: nobody ever reads half of it, nor nothing. */
  #write(lock: Lock): void {
    const whole = `${this.#path}.whole`;
    try {
      writeFileSync(whole, JSON.stringify(lock), { flush: true });
      renameSync(whole, this.#path);
    } catch (error) {
      rmSync(whole, { force: true });
      throw error;
    }
  }
}

/** Throws `store_in_use` where a living server or its starter holds the store. Changes nothing. */
export function requireFreeStore(storeDir: string): void {
  const holder = holderOf(storeDir);
  if (holder !== null) throw inUse(storeDir, holder);
}

/** Who holds the store, one's own file aside. With one's own file the locks of processes that have ended are removed. */
function holderOf(storeDir: string, own?: string): Holder | null {
  for (const file of lockFiles(storeDir)) {
    if (file === own) continue;
    const text = textOf(file);
    // Released meanwhile.
    if (text === null) continue;
    const lock = lockFrom(text);
    if (lock === null) return { file, pid: null, isStarting: false };
    const process = lock.server ?? lock.starter;
    if (isStillAlive(process)) return { file, pid: process.pid, isStarting: lock.server === null };
    if (own !== undefined) rmSync(file, { force: true });
  }
  return null;
}

function lockFiles(storeDir: string): string[] {
  try {
    return readdirSync(storeDir)
      .filter((name) => LOCK_FILE.test(name))
      .map((name) => join(storeDir, name));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
    if (code === 'ENOENT') return [];
    throw cannotLock(storeDir, code);
  }
}

/** Null where the file is gone; what is there and cannot be read is empty text, which is no lock. */
function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : '';
  }
}

function lockFrom(text: string): Lock | null {
  try {
    const { starter, server } = JSON.parse(text) as Partial<Lock>;
    return isIdentity(starter) && (server === null || isIdentity(server)) ? { starter, server } : null;
  } catch {
    return null;
  }
}

function isIdentity(value: ProcessIdentity | null | undefined): value is ProcessIdentity {
  return Number.isInteger(value?.pid) && (typeof value?.start === 'string' || value?.start === null);
}

function cannotLock(storeDir: string, code: string): LogError {
  return new LogError('server_failed', `cannot lock ${storeDir} (${code})`, [storeDir, code]);
}

function inUse(storeDir: string, { file, pid }: Holder): LogError {
  if (pid !== null)
    return new LogError('store_in_use', `process ${pid} already runs a server on ${storeDir}: stop it or use another folder`, [
      storeDir,
      String(pid),
    ]);
  return new LogError('store_in_use', `the lock ${file} cannot be read: remove it if no server runs on ${storeDir}`, [storeDir, file]);
}
