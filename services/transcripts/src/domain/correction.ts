import { type Place, placeOf } from './place.js';
import { type Section, segmentAt } from './sections.js';
import type { Segment } from './segments.js';

/** What a model proposes: replace one place of one segment. An empty replacement deletes it. */
export interface Correction {
  /** The reference of this one request. */
  readonly segment: number;
  readonly original: string;
  readonly replacement: string;
  /** In the proposer's words; for people. */
  readonly reason: string;
}

/** What of a correction is known, and so which checks can say something of it (A129). */
export const facts = ['segment', 'span', 'words', 'effect'] as const;
export type Fact = (typeof facts)[number];

/** What each fact means; a check names the ones that it needs. */
export const factSentences: Readonly<Record<Fact, string>> = {
  segment: 'The reference is one of the section.',
  span: 'The original stands in that segment once.',
  words: 'It stands there as words of its own.',
  effect: 'The replacement differs from the original.',
};

/** A correction against the section it was made for. */
export interface Change {
  readonly correction: Correction;
  readonly segment: Segment | undefined;
  readonly place: Place | null;
  /** The whole segment as it would read; null where the place is not known. */
  readonly after: string | null;
}

export function changeOf(section: Section, correction: Correction): Change {
  const segment = segmentAt(section, correction.segment);
  if (segment === undefined) return { correction, segment, place: null, after: null };
  const place = placeOf(segment.text, correction.original);
  const known = place.kind === 'found' || place.kind === 'inside_word';
  return { correction, segment, place, after: known ? replaced(segment.text, place, correction.replacement) : null };
}

const replaced = (text: string, { start, end }: { readonly start: number; readonly end: number }, replacement: string): string =>
  text.slice(0, start) + replacement + text.slice(end);

export function factsOf({ correction, segment, place }: Change): readonly Fact[] {
  if (segment === undefined) return [];
  const found = place?.kind === 'found';
  return [
    'segment',
    ...(found || place?.kind === 'inside_word' ? (['span'] as const) : []),
    ...(found ? (['words'] as const) : []),
    ...(correction.original === correction.replacement ? [] : (['effect'] as const)),
  ];
}

/** What is left of a change when the words at both ends that stay are taken away. */
export function coreOf({ original, replacement }: Pick<Correction, 'original' | 'replacement'>): {
  readonly before: string;
  readonly after: string;
} {
  const [before, after] = [original, replacement].map((text) => text.trim().split(/\s+/)) as [string[], string[]];
  while (before.length > 0 && after.length > 0 && before[0] === after[0]) {
    before.shift();
    after.shift();
  }
  while (before.length > 0 && after.length > 0 && before.at(-1) === after.at(-1)) {
    before.pop();
    after.pop();
  }
  return { before: before.join(' '), after: after.join(' ') };
}
