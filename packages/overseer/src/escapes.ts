import { code, isHex } from './characters.js';
import type { OpenString } from './openString.js';
import type { Sheet } from './sheet.js';

/** Says of each backslash whether it begins an escape or is text, and of the whole text whether that can be told at all. */
export class Escapes {
  readonly #sheet: Sheet;
  #strays = 0;
  #firstStrayAt = -1;
  /** An escape was seen in the text. */
  seen = false;

  constructor(sheet: Sheet) {
    this.#sheet = sheet;
  }

  /** The last position of the escape at `at`; -1 where it may be an escape or text. */
  read(string: OpenString, at: number): number {
    const { text } = this.#sheet;
    const next = text.charAt(at + 1);
    if (next === '') return at;
    if (next === '"') string.escapedQuotes.push(at);
    if ('"\\/bfnrt'.includes(next)) {
      this.seen = true;
      return at + 1;
    }
    if (next === "'") {
      this.#sheet.mark('apostrophe', at, at + 2, "'");
      return at + 1;
    }
    if (next === 'u' && isHex(text.charCodeAt(at + 2))) {
      if (![3, 4, 5].every((offset) => isHex(text.charCodeAt(at + offset)))) return this.#inDoubt(at);
      this.seen = true;
      return at + 5;
    }
    // Before a letter the backslash is text: a path, a formula, a pattern. Before a sign it may be needless, and where strings are written
    // as in a program it may be one of that language's escapes.
    const ofAnotherLanguage = string.opener !== code.quote || /^x[0-9A-Fa-f]{2}|^U[0-9A-Fa-f]{8}|^N\{/.test(text.slice(at + 1, at + 10));
    if (ofAnotherLanguage || !/[A-Za-z]/.test(next)) return this.#inDoubt(at);
    this.#sheet.mark('backslash_kept', at, at + 1, '\\\\');
    string.strays += 1;
    this.#strays += 1;
    if (this.#firstStrayAt === -1) this.#firstStrayAt = at;
    return at + 1;
  }

  /** The backslash at `at`, read as the escape of a quotation mark, was the last character of the string. */
  takeForText(string: OpenString, at: number): void {
    this.#sheet.takeBack(at);
    this.#sheet.mark('backslash_kept', at, at + 1, '\\\\');
    this.#strays += 1;
    this.seen = string.escapedBefore;
  }

  /** Who escapes elsewhere may have lost a character after a stray backslash, and so may who wrote one backslash. */
  judgeWhole(): void {
    if (this.#firstStrayAt !== -1 && (this.seen || this.#strays === 1)) this.#sheet.doubt('escape_in_doubt', this.#firstStrayAt, 2);
  }

  #inDoubt(at: number): number {
    // A text that ends inside the escape is cut, not in doubt.
    if (at + 6 > this.#sheet.text.length) this.#sheet.failure ??= { kind: 'open' };
    this.#sheet.doubt('escape_in_doubt', at, 2);
    return -1;
  }
}
