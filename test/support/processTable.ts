import { openSync, readFileSync, readSync, closeSync } from 'node:fs';
import { childrenOf } from '../../bench/src/sandbox/processes.js';

export { childrenOf, openDescriptors } from '../../bench/src/sandbox/processes.js';

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

/** Every process below one, itself left out. */
export function descendantsOf(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => [child, ...descendantsOf(child)]);
}

/** What a scan of one process found: how often each needle stands there, and how many bytes were read. */
export interface MemoryScan {
  readonly hits: readonly number[];
  readonly bytes: number;
}

/** Looks for needles in all memory of a process that can be read: private and shared, files included. Root may; another user may where the process is a descendant. */
export function scanMemory(pid: number, needles: readonly Buffer[]): MemoryScan {
  const ranges = readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .filter((line) => / r..[ps] /.test(line))
    .map((line) => (line.split(' ')[0] ?? '').split('-').map((part) => Number.parseInt(part, 16)));
  const memory = openSync(`/proc/${pid}/mem`, 'r');
  const hits = needles.map(() => 0);
  let bytes = 0;
  try {
    for (const [from = 0, to = 0] of ranges) {
      for (const piece of piecesOf(memory, { from, to }, Math.max(...needles.map(({ length }) => length)))) {
        bytes += piece.length;
        needles.forEach((needle, index) => (hits[index] = (hits[index] ?? 0) + occurrences(piece, needle)));
      }
    }
  } finally {
    closeSync(memory);
  }
  return { hits, bytes };
}

/** How often bytes stand in the readable memory of a process. */
export const memoryHits = (pid: number, needle: Buffer): number => scanMemory(pid, [needle]).hits[0] ?? 0;

const pieceBytes = 4 * 1024 * 1024;
const pageBytes = 4_096;

/** Pieces that overlap by the length of a needle. A page that cannot be read is left out, and no other. */
function* piecesOf(memory: number, { from, to }: { readonly from: number; readonly to: number }, overlap: number) {
  const piece = Buffer.allocUnsafeSlow(pieceBytes);
  for (let at = from; at < to; ) {
    const wanted = Math.min(pieceBytes, to - at);
    const read = readPiece(memory, piece.subarray(0, wanted), at);
    if (read > 0) yield piece.subarray(0, read);
    if (read === 0) at += pageBytes - (at % pageBytes);
    else at += at + read < to && read > overlap ? read - overlap : read;
  }
  // A scan of its own process would find what it read in its own piece.
  piece.fill(0);
}

function readPiece(memory: number, piece: Buffer, at: number): number {
  try {
    return readSync(memory, piece, 0, piece.length, at);
  } catch {
    return 0;
  }
}

function occurrences(piece: Buffer, needle: Buffer): number {
  let count = 0;
  for (let found = piece.indexOf(needle); found >= 0; found = piece.indexOf(needle, found + 1)) count += 1;
  return count;
}
