import { distance } from 'fastest-levenshtein';
import { coreOf } from '../correction.js';
import { lettersOf } from '../words.js';
import type { Check, Found } from './check.js';

/** Edits for one letter of the longer spelling, at most: graphana is as far from Grafana as a heard form may be. */
export const soundDistanceMax = 0.25;
/** Terms that a finding names at most. */
const namedMax = 5;

/** The replacement is a listed term, written as listed, and what was heard is a form of that term and of no other. */
export const glossary: Check = {
  id: 'glossary',
  needs: ['span'],
  sentence:
    'The replacement is a listed term as listed, near to what was heard, nearer than any other, and what was heard is no ordinary word.',
  judge({ correction, place }, { glossary: terms, isWord }) {
    const { before, after } = coreOf(correction);
    const form = withoutPossessive(after);
    const term = terms.find((one) => one === form) ?? terms.find((one) => lettersOf(one) === lettersOf(form));
    const heard = withoutPossessive(before);
    if (term === undefined) return [{ code: 'term_not_in_glossary', evidence: [form], constraints: nearest(terms, heard) }];
    const casing: readonly Found[] = term === form ? [] : [{ code: 'casing_mismatch', evidence: [form], constraints: [term] }];
    // Inside another word there is only that word to hear, unless the letters are the term's own.
    const whole = place?.kind === 'inside_word' && lettersOf(heard) !== lettersOf(term) ? place.words : heard;
    return [...casing, ...soundFindings({ heard: whole, term, terms, isWord })];
  },
};

interface Heard {
  readonly heard: string;
  readonly term: string;
  readonly terms: readonly string[];
  readonly isWord: (word: string) => boolean;
}

function soundFindings({ heard, term, terms, isWord }: Heard): readonly Found[] {
  const own = distanceOf(heard, term);
  if (own === 0) return [];
  const rivals = terms.filter((one) => one !== term && distanceOf(heard, one) <= soundDistanceMax);
  const nearer = rivals.filter((one) => distanceOf(heard, one) < own);
  if (nearer.length > 0)
    return [
      { code: 'ambiguous_candidate', evidence: rivals.slice(0, namedMax) },
      { code: 'not_close_enough', evidence: [heard], constraints: nearer.slice(0, namedMax) },
    ];
  if (own > soundDistanceMax) return [{ code: 'not_a_listed_form', evidence: [heard, term] }];
  if (rivals.some((one) => distanceOf(heard, one) === own)) return [{ code: 'ambiguous_candidate', evidence: rivals.slice(0, namedMax) }];
  return /^\p{Ll}+$/u.test(heard) && isWord(heard) ? [{ code: 'common_word_replaced', evidence: [heard] }] : [];
}

/** Of the row of heard words that is nearest: a span may be wider than what was misheard. */
export function distanceOf(heard: string, term: string): number {
  const words = heard.split(/\s+/);
  const rows = words.flatMap((_, from) => words.slice(from).map((__, length) => words.slice(from, from + length + 1).join('')));
  const letters = lettersOf(term);
  return Math.min(...rows.map(lettersOf).map((row) => distance(row, letters) / Math.max(row.length, letters.length, 1)));
}

const nearest = (terms: readonly string[], heard: string): readonly string[] =>
  [...terms].sort((a, b) => distanceOf(heard, a) - distanceOf(heard, b)).slice(0, namedMax);

const withoutPossessive = (text: string): string => text.replace(/['’]s$/, '');

/** A possessive that was said is kept: the term changes, its ending does not. */
export const possessive: Check = {
  id: 'possessive',
  needs: ['span'],
  sentence: 'As many possessive endings as before.',
  judge({ correction }) {
    const count = (text: string): number => text.match(/['’]s(?![\p{L}\p{N}])/gu)?.length ?? 0;
    return count(correction.replacement) < count(correction.original) ? [{ code: 'possessive_lost' }] : [];
  },
};
