import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../src/server/index.js';

const OLD_SUITE = 'bookworm';
const FETCH_BOUND_MS = 60_000;

/** Debian 12's nats-server 2.9.10, the oldest we promise; null, with the reason printed, where it cannot be had. */
export function oldServerBinary(): string | null {
  const folder = join(workspaceRoot(), '.emend/nats-2.9.10');
  const binary = join(folder, 'usr/sbin/nats-server');
  if (existsSync(binary)) return binary;
  try {
    const script = join(workspaceRoot(), 'scripts/debian-package.sh');
    execFileSync('bash', [script, 'nats-server', OLD_SUITE, folder], { timeout: FETCH_BOUND_MS, stdio: 'pipe' });
    return binary;
  } catch (error) {
    const said = (error as { stderr?: Buffer }).stderr?.toString().trim().split('\n').at(-1);
    console.warn(`skipped on nats-server 2.9.10: ${said ?? 'its package cannot be fetched here'}`);
    return null;
  }
}
