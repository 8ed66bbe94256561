import { standsAlone, wordsOf } from './words.js';

/** Where a quoted text stands in a segment. */
export type Place =
  | { readonly kind: 'found'; readonly start: number; readonly end: number }
  /** Once, but as a part of another word, which is given whole. */
  | { readonly kind: 'inside_word'; readonly start: number; readonly end: number; readonly words: string }
  | { readonly kind: 'ambiguous' }
  | { readonly kind: 'not_found' };

/** The one place where `text` reads `original` as words of its own. An empty original is nowhere. */
export function placeOf(text: string, original: string): Place {
  const all = startsOf(text, original);
  const alone = all.filter((start) => standsAlone(text, start, start + original.length));
  const [start] = alone.length > 0 ? alone : all;
  if (start === undefined) return { kind: 'not_found' };
  const end = start + original.length;
  if (alone.length > 1) return { kind: 'ambiguous' };
  return alone.length === 1 ? { kind: 'found', start, end } : { kind: 'inside_word', start, end, words: wordsAround(text, start, end) };
}

function startsOf(text: string, original: string): readonly number[] {
  const starts: number[] = [];
  if (original === '') return starts;
  for (let at = text.indexOf(original); at >= 0; at = text.indexOf(original, at + 1)) starts.push(at);
  return starts;
}

function wordsAround(text: string, start: number, end: number): string {
  const touched = wordsOf(text).filter((word) => word.start < end && start < word.end);
  return text.slice(touched[0]?.start ?? start, touched.at(-1)?.end ?? end);
}
