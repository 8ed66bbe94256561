import { plainWords, wordDifference } from '../words.js';
import type { Check } from './check.js';

/** A shorter span is too little to measure. */
export const spanWordsMin = 6;
/** Of the words of a span: at least this part stays. */
export const keptMin = 0.5;

/** A correction mends a fault and does not say it anew. A deletion is no rewriting; whether it loses something others judge. */
export const overEdit: Check = {
  id: 'over_edit',
  needs: [],
  sentence: `Of a span of ${spanWordsMin} words or more at least half stay, unless it is deleted.`,
  judge({ correction: { original, replacement } }) {
    const words = plainWords(original).length;
    if (words < spanWordsMin || plainWords(replacement).length === 0) return [];
    const kept = words - wordDifference(original, replacement).removed.length;
    return kept / words < keptMin ? [{ code: 'rewritten', evidence: [`${kept} of ${words} words stay`] }] : [];
  },
};
