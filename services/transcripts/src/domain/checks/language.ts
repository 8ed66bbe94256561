import { functionWordsIn, isFiller, languageOf, languages } from '../lexicon/languages.js';
import { wordDifference } from '../words.js';
import type { Check, Found } from './check.js';

/** The language that was spoken stays, and a filler is one in that language. Says nothing where nobody knows the language. */
export const language: Check = {
  id: 'language',
  needs: ['segment'],
  sentence: 'The replacement is in the language spoken, and what is taken out as a filler is one in that language.',
  judge({ correction: { original, replacement }, segment }, { language: declared, module }) {
    const spoken = declared ?? languageOf(segment?.text ?? '');
    if (spoken === null) return [];
    const found: Found[] = [];
    if (isInAnother(replacement, spoken) && functionWordsIn(original, spoken) > 0)
      found.push({ code: 'language_changed', constraints: [spoken] });
    const { removed, added } = wordDifference(original, replacement);
    const fillersOnly =
      module === 'spoken_word' && removed.length > 0 && added.length === 0 && removed.every((word) => isFiller(word, null));
    const foreign = removed.filter((word) => !isFiller(word, spoken));
    if (fillersOnly && foreign.length > 0) found.push({ code: 'not_a_filler_in_language', evidence: foreign, constraints: [spoken] });
    return found;
  },
};

const isInAnother = (text: string, spoken: string): boolean =>
  functionWordsIn(text, spoken) === 0 && languages.some((one) => one !== spoken && functionWordsIn(text, one) > 0);
