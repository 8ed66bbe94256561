import type { Edit, EditCode, Mark } from './edits.js';

/** Sums marks up by code, in order of first place, with places in UTF-8 bytes. */
export function listEdits(text: string, bytes: number, marks: readonly Mark[]): readonly Edit[] {
  const sums = new Map<EditCode, { count: number; from: number; to: number }>();
  for (const { code, from, to } of marks) {
    const sum = sums.get(code);
    if (sum === undefined) sums.set(code, { count: 1, from, to });
    else {
      sum.count += 1;
      sum.from = Math.min(sum.from, from);
      sum.to = Math.max(sum.to, to);
    }
  }
  const offset = byteOffsets(text, bytes);
  return [...sums]
    .map(([code, { count, from, to }]): Edit => ({ code, count, bytes: { from: offset(from), to: offset(to) } }))
    .toSorted((a, b) => a.bytes.from - b.bytes.from);
}

/** From UTF-16 positions of a text to UTF-8 bytes. */
export const byteOffsets = (text: string, bytes: number): ((at: number) => number) =>
  bytes === text.length ? (at) => at : (at) => Buffer.byteLength(text.slice(0, at), 'utf8');
