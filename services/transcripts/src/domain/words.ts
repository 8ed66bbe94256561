/** One word of a text, where it stands, and how it compares. */
export interface Word {
  readonly text: string;
  /** In UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  /** Lower case, with one kind of apostrophe. */
  readonly plain: string;
}

const wordPattern = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu;

export const wordsOf = (text: string): readonly Word[] =>
  [...text.matchAll(wordPattern)].map(({ 0: word, index }) => ({
    text: word,
    start: index,
    end: index + word.length,
    plain: plainOf(word),
  }));

export const plainOf = (text: string): string => text.toLowerCase().replaceAll('’', "'");

export const plainWords = (text: string): readonly string[] => wordsOf(text).map(({ plain }) => plain);

/** Letters and digits alone, in lower case: what is left of a spelling when spaces, hyphens and signs go. */
export const lettersOf = (text: string): string => plainOf(text).replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Whether the words of a phrase stand in a row somewhere. */
export function hasPhrase(words: readonly string[], phrase: string): boolean {
  const wanted = phrase.split(' ');
  return words.some((_, at) => wanted.every((word, index) => words[at + index] === word));
}

const isWordCharacter = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}]/u.test(character);

/** Whether a text begins and ends between words at this place, and not inside one. */
export function standsAlone(text: string, start: number, end: number): boolean {
  const cutsLeft = isWordCharacter(text[start]) && isWordCharacter(text[start - 1]);
  const cutsRight = isWordCharacter(text[end - 1]) && isWordCharacter(text[end]);
  return !cutsLeft && !cutsRight;
}

/** The words that were taken out and put in, as a difference of two bags: an order that changed shows in neither. */
export function wordDifference(before: string, after: string): { readonly removed: readonly string[]; readonly added: readonly string[] } {
  return { removed: without(plainWords(before), plainWords(after)), added: without(plainWords(after), plainWords(before)) };
}

function without(words: readonly string[], others: readonly string[]): readonly string[] {
  const left = [...others];
  return words.filter((word) => {
    const at = left.indexOf(word);
    if (at < 0) return true;
    left.splice(at, 1);
    return false;
  });
}
