import { isFiller } from '../lexicon/languages.js';
import { plainOf, wordsOf } from '../words.js';
import type { Check, Found } from './check.js';

/** Where the correction points: the segment is of the section, and the original stands there once, as words of its own. */
export const target: Check = {
  id: 'target',
  needs: [],
  sentence: 'The segment is one of the section, and the original stands there once, as words of its own.',
  judge({ correction, place }, { section }) {
    if (place === null) return [{ code: 'segment_not_in_section', constraints: section.segments.map(({ ref }) => String(ref)) }];
    switch (place.kind) {
      case 'found':
        return [];
      case 'inside_word':
        return [{ code: 'span_inside_word', evidence: [place.words] }];
      case 'ambiguous':
        return [{ code: 'span_ambiguous', evidence: [correction.original] }];
      case 'not_found':
        return [{ code: 'span_not_found', evidence: [correction.original] }];
    }
  },
};

export const effect: Check = {
  id: 'effect',
  needs: [],
  sentence: 'The replacement differs from the original.',
  judge: ({ correction }) => (correction.original === correction.replacement ? [{ code: 'no_effect' }] : []),
};

/** Each stage keeps to its own kind of fault. */
export const scope: Check = {
  id: 'scope',
  needs: ['segment'],
  sentence:
    'The change is of this stage’s kind: no punctuation and no capitals but in grammar, and no segment is emptied by the spoken-word stage.',
  judge({ correction, segment, place, after }, { module, language }) {
    const { original, replacement } = correction;
    const found: Found[] = [];
    const misquoted = place?.kind === 'not_found' && hasWordsOf(segment?.text ?? '', original);
    if (misquoted || (module === 'homophones' && changesSigns(original, replacement))) found.push({ code: 'out_of_module' });
    const empties = after !== null && wordsOf(after).length === 0;
    if (module === 'spoken_word' && empties && !wordsOf(original).every(({ plain }) => isFiller(plain, language)))
      found.push({ code: 'needs_audio' });
    return found;
  },
};

/** The same words in a row, but for capitals and signs. */
function hasWordsOf(text: string, original: string): boolean {
  const spoken = ` ${wordsOf(text)
    .map(({ plain }) => plain)
    .join(' ')} `;
  const quoted = wordsOf(original).map(({ plain }) => plain);
  return quoted.length > 0 && spoken.includes(` ${quoted.join(' ')} `);
}

/** Whether signs change, or the capitals of a word that stays. */
function changesSigns(original: string, replacement: string): boolean {
  const signs = (text: string): string => text.replaceAll(/[\p{L}\p{N}\s'’-]/gu, '');
  if (signs(original) !== signs(replacement)) return true;
  const [before, after] = [wordsOf(original), wordsOf(replacement)];
  return (
    before.length === after.length &&
    before.some(({ text, plain }, index) => plain === plainOf(after[index]?.text ?? '') && text !== after[index]?.text)
  );
}
