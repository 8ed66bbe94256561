import { readFileSync } from 'node:fs';

/** One process for good: a number alone is used again. `start` is null where the system does not tell. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly start: string | null;
}

export function identityOf(pid: number): ProcessIdentity {
  return { pid, start: statusOf(pid)?.start ?? null };
}

/** Where the system does not tell when a process began, the number is believed. */
export function isStillAlive({ pid, start }: ProcessIdentity): boolean {
  if (!hasProcess(pid)) return false;
  const status = statusOf(pid);
  if (status === null) return true;
  return !status.hasEnded && (start === null || status.start === start);
}

function hasProcess(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Fields behind the name in parentheses, which may hold anything: the state, and when it began in ticks since the boot. */
const STATE = 0;
const START = 19;

function statusOf(pid: number): { readonly hasEnded: boolean; readonly start: string } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // A zombie holds nothing any more, though its number stays until somebody asks for its end.
    return { hasEnded: ['Z', 'X'].includes(fields[STATE] ?? ''), start: fields[START] ?? '' };
  } catch {
    return null;
  }
}
