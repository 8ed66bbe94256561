import { readdirSync, readFileSync } from 'node:fs';

export const openDescriptors = (): number => readdirSync('/proc/self/fd').length;

/** Processes by number and start, since numbers are used again. */
export class ProcessesSeen {
  readonly #seen = new Map<string, { readonly pid: number; readonly start: string }>();

  get count(): number {
    return this.#seen.size;
  }

  /** Notes a living process and those that it started. */
  note(pid: number): void {
    for (const one of [pid, ...childrenOf(pid)]) {
      const start = startOf(one);
      if (start !== null) this.#seen.set(`${one} ${start}`, { pid: one, start });
    }
  }

  /** How many of them are still in the process table, as zombies too. */
  left(): number {
    return [...this.#seen.values()].filter(({ pid, start }) => startOf(pid) === start).length;
  }
}

/** Children of a process, of whichever of its threads, zombies too; none where it is gone. */
export function childrenOf(pid: number): readonly number[] {
  return tasksOf(pid).flatMap((task) => numbersIn(`/proc/${pid}/task/${task}/children`));
}

function tasksOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Numbers in a file that may be gone: a thread ends while its process is looked at. */
function numbersIn(file: string): readonly number[] {
  try {
    return readFileSync(file, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** In ticks since the machine started; null where there is no such process. */
function startOf(pid: number): string | null {
  try {
    // The name in the second field may hold spaces and brackets, so fields are counted from its end.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[startField] ?? null;
  } catch {
    return null;
  }
}

/** The 22nd field of /proc/<pid>/stat, counted from the third. */
const startField = 19;
