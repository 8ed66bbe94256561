import { readdirSync, readFileSync } from 'node:fs';

/** A process that cannot be taken for a later one of the same number. */
export interface ProcessSeen {
  readonly pid: number;
  /** In clock ticks since the machine started. */
  readonly startedAt: string;
}

interface StatLine extends ProcessSeen {
  readonly state: string;
  readonly parent: number;
}

/** Everything that a process has started, and what those have. */
export function descendantsOf(pid: number): readonly ProcessSeen[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat !== null);
  const found: StatLine[] = [];
  for (let parents = [pid]; parents.length > 0; ) {
    const children = all.filter(({ parent }) => parents.includes(parent));
    found.push(...children);
    parents = children.map((child) => child.pid);
  }
  return found.map((one) => ({ pid: one.pid, startedAt: one.startedAt }));
}

/** A zombie has ended: nobody has asked for its exit code yet. */
export function isAlive({ pid, startedAt }: ProcessSeen): boolean {
  const now = statOf(pid);
  return now?.startedAt === startedAt && now.state !== 'Z';
}

/** The line of /proc; null where the process is gone. Its name stands in brackets and may hold anything. */
function statOf(pid: number): StatLine | null {
  try {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    return { pid, state: fields[0] ?? '', parent: Number(fields[1]), startedAt: fields[19] ?? '' };
  } catch {
    return null;
  }
}
