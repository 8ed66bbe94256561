import type { Ahead } from './ahead.js';
import { closesQuote, code } from './characters.js';
import { Escapes } from './escapes.js';
import { InnerQuotes } from './innerQuotes.js';
import { openString, type Surroundings } from './openString.js';
import type { Sheet } from './sheet.js';
import { StringEnds } from './stringEnds.js';

/** Reads one string and marks what has to change in it. It never guesses: a quotation mark in doubt has one reading or stops the scan. */
export class StringReader {
  readonly #sheet: Sheet;
  readonly #ahead: Ahead;
  readonly #escapes: Escapes;
  readonly #inner: InnerQuotes;
  readonly #ends: StringEnds;
  /** A string opened with a double quote was seen, and where in a string of other quotes one stood like structure. */
  #doubleQuoted = false;
  #structureInsideAt = -1;
  /** The last string was a member and had quotation marks inside. */
  doubted = false;

  constructor(sheet: Sheet, ahead: Ahead) {
    this.#sheet = sheet;
    this.#ahead = ahead;
    this.#escapes = new Escapes(sheet);
    this.#inner = new InnerQuotes(sheet, ahead, this.#escapes);
    this.#ends = new StringEnds(sheet, ahead);
  }

  /** The position after the string that opens at `open`; -1 where the sheet says why not. */
  read(open: number, place: Surroundings): number {
    const { text } = this.#sheet;
    const opener = text.charCodeAt(open);
    const string = openString(open, opener, place, this.#escapes.seen);
    this.doubted = false;
    if (opener === code.quote) this.#doubleQuoted = true;
    else this.#sheet.mark('quote_style', open, open + 1, '"');
    for (let at = open + 1; at < text.length; at += 1) {
      const c = text.charCodeAt(at);
      if (c === code.backslash) {
        at = this.#escapes.read(string, at);
        if (at < 0) return -1;
      } else if (closesQuote(opener, c)) {
        if (this.#ahead.follows(at + 1, place.role)) {
          this.doubted = string.inner.length > 0 && place.role !== 'element';
          return this.#ends.close(string, at);
        }
        const end = this.#inner.read(string, at);
        if (end !== 0) return end;
      } else if (c < 32) {
        string.controls = true;
        this.#sheet.mark('control_escaped', at, at + 1, controlEscape(c));
      } else if (c === code.quote) {
        string.foreignQuotes += 1;
        this.#sheet.mark('quote_style', at, at + 1, '\\"');
        if (this.#ahead.besideStructure(open, at)) this.#structureInsideAt = at;
      }
    }
    this.#sheet.budget.steps += text.length - open;
    this.#sheet.failure ??= { kind: 'open' };
    return -1;
  }

  /** What only the whole text can tell of its strings. */
  judgeWhole(): void {
    // A stray apostrophe may have opened a string that runs over several.
    if (this.#doubleQuoted && this.#structureInsideAt !== -1) this.#sheet.doubt('quote_in_doubt', this.#structureInsideAt, 2);
    this.#escapes.judgeWhole();
  }
}

function controlEscape(c: number): string {
  const short = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r' }[c];
  return short ?? `\\u${c.toString(16).padStart(4, '0')}`;
}
