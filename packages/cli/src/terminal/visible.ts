/** What a terminal obeys or hides instead of showing it: controls, marks of direction and width, separators of lines, private use. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;
const hex = (code: number | undefined): string => (code ?? 0).toString(16);

/** A text that nobody vouches for, as it may be printed: every such character is spelled `\u{1b}`; newline and tab stay. */
export const visibleText = (text: string): string =>
  text.replace(unseen, (character) => (character === '\n' || character === '\t' ? character : `\\u{${hex(character.codePointAt(0))}}`));

/** One line of JSON that says the same value and holds no such character: inside strings they are JSON's own escapes. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value).replace(unseen, (character) =>
    Array.from({ length: character.length }, (_, at) => `\\u${hex(character.charCodeAt(at)).padStart(4, '0')}`).join(''),
  );
