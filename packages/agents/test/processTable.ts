import { openSync, readdirSync, readFileSync, readSync, closeSync } from 'node:fs';

/** The lines of /proc/<pid>/status that a test asks for; null where the process is gone. */
export function statusOf(pid: number): ReadonlyMap<string, string> | null {
  try {
    const lines = readFileSync(`/proc/${pid}/status`, 'utf8').split('\n');
    return new Map(lines.map((line) => [line.split(':')[0] ?? '', line.slice(line.indexOf(':') + 1).trim()]));
  } catch {
    return null;
  }
}

export const isAlive = (pid: number): boolean => {
  const state = statusOf(pid)?.get('State');
  return state !== undefined && !state.startsWith('Z');
};

/** Children of a process by their parent's number: zombies too. */
export function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => statusOf(one)?.get('PPid') === String(pid));
}

export const openDescriptors = (): number => readdirSync('/proc/self/fd').length;

/** How often bytes stand in the readable private memory of a process, read page run by page run. */
export function memoryHits(pid: number, needle: Buffer): number {
  const ranges = readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .filter((line) => / rw.p /.test(line) || line.endsWith('[stack]'))
    .map((line) => (line.split(' ')[0] ?? '').split('-').map((part) => Number.parseInt(part, 16)));
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  let hits = 0;
  for (const [from = 0, to = 0] of ranges) hits += hitsIn(memory, { from, to }, needle);
  closeSync(memory);
  return hits;
}

const pieceBytes = 4 * 1024 * 1024;

function hitsIn(memory: number, { from, to }: { readonly from: number; readonly to: number }, needle: Buffer): number {
  let hits = 0;
  for (let at = from; at < to; at += pieceBytes) {
    const piece = Buffer.alloc(Math.min(pieceBytes + needle.length, to - at));
    try {
      readSync(memory, piece, 0, piece.length, at);
    } catch {
      continue;
    }
    for (let found = piece.indexOf(needle); found >= 0; found = piece.indexOf(needle, found + 1)) hits += 1;
  }
  return hits;
}
