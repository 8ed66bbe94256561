import { distance } from 'fastest-levenshtein';
import { coreOf } from '../correction.js';
import { soundAlike } from '../lexicon/homophones.js';
import { lettersOf, wordsOf } from '../words.js';
import type { Check } from './check.js';

/** Letters by which one word may differ from the same sounds written as two. */
const joinedDistanceMax = 1;

/** What goes in sounds like what goes out: a pair of the table, or one word heard as two. */
export const homophone: Check = {
  id: 'homophone',
  needs: ['effect'],
  sentence: 'Each changed word and its replacement stand in one group of the homophone table, or are one word heard as two.',
  judge({ correction }) {
    const core = coreOf(correction);
    const [before, after] = [wordsOf(core.before), wordsOf(core.after)].map((words) => words.map(({ plain }) => plain)) as [
      string[],
      string[],
    ];
    const pairs =
      before.length === after.length && before.every((word, index) => word === after[index] || soundAlike(word, after[index] ?? ''));
    return pairs || isOneAsTwo(before, after) ? [] : [{ code: 'not_a_homophone', evidence: [core.before, core.after] }];
  },
};

function isOneAsTwo(before: readonly string[], after: readonly string[]): boolean {
  if (before.length === after.length || Math.min(before.length, after.length) !== 1 || before.length + after.length > 4) return false;
  return distance(lettersOf(before.join('')), lettersOf(after.join(''))) <= joinedDistanceMax;
}
