/** What a terminal obeys or hides instead of showing it: controls, marks of direction and width, separators of lines, private use. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu;

/** A text that nobody vouches for, as it may be shown on one line: each such character is spelled `\u{1b}`. */
export const visible = (text: string): string =>
  text.replace(unseen, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
