import { LogError } from './errors.js';

/** The oldest server that keeps one event per subject for ever, and reads it directly. */
const OLDEST: Version = [2, 9, 0];
/** The oldest on which several replicas never accept two writers of one place. */
const OLDEST_REPLICATED: Version = [2, 10, 0];
/** These lose whole streams when they are killed (nats-server#6888). */
const LOSING_FROM: Version = [2, 10, 20];
const LOSING_TO: Version = [2, 10, 22];

type Version = readonly [number, number, number];

/** Throws `server_unsupported` for servers that break what the log promises. */
export function checkServerVersion(text: string, replicas = 1): void {
  const version = parseVersion(text);
  if (version === null || isOlder(version, OLDEST)) throw unsupported(text, 'needs 2.9.0 or newer');
  if (!isOlder(version, LOSING_FROM) && !isOlder(LOSING_TO, version)) throw unsupported(text, '2.10.20 to 2.10.22 lose streams');
  if (replicas > 1 && isOlder(version, OLDEST_REPLICATED)) throw unsupported(text, 'replicas need 2.10.0 or newer');
}

/** Whether `text` names at least `wanted`; false for what is not a version. */
export function isAtLeast(text: string, wanted: Version): boolean {
  const version = parseVersion(text);
  return version !== null && !isOlder(version, wanted);
}

function parseVersion(text: string): Version | null {
  const parts = /(\d+)\.(\d+)\.(\d+)/.exec(text);
  return parts === null ? null : [Number(parts[1]), Number(parts[2]), Number(parts[3])];
}

function isOlder(a: Version, b: Version): boolean {
  return a[0] !== b[0] ? a[0] < b[0] : a[1] !== b[1] ? a[1] < b[1] : a[2] < b[2];
}

function unsupported(version: string, why: string): LogError {
  return new LogError('server_unsupported', `nats-server ${version} cannot hold the log: ${why}`, [version]);
}
