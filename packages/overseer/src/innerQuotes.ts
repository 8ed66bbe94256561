import type { Ahead } from './ahead.js';
import { code, isApostrophe, isSpace, isWordCharacter } from './characters.js';
import type { Escapes } from './escapes.js';
import type { OpenString } from './openString.js';
import type { Sheet } from './sheet.js';

/** Says of a quotation mark that cannot be the closer whether it is text. */
export class InnerQuotes {
  readonly #sheet: Sheet;
  readonly #ahead: Ahead;
  readonly #escapes: Escapes;

  constructor(sheet: Sheet, ahead: Ahead, escapes: Escapes) {
    this.#sheet = sheet;
    this.#ahead = ahead;
    this.#escapes = escapes;
  }

  /** 0 where it is text and the string goes on, the end of the string where it ended before, -1 to stop. */
  read(string: OpenString, at: number): number {
    const { text } = this.#sheet;
    if (isApostrophe(text.charCodeAt(at)) && isWordCharacter(text.charCodeAt(at - 1)) && isWordCharacter(text.charCodeAt(at + 1))) {
      this.#sheet.mark('apostrophe', at, at + 1, text.charAt(at));
      return 0;
    }
    if (string.opener === code.quote && string.place.role !== 'name') {
      const end = string.inner.length === 0 ? this.#endedBefore(string, at) : 0;
      if (end !== 0) return end;
      if (this.#looksLikeText(string, at)) {
        this.#sheet.mark('inner_quote', at, at + 1, '\\"');
        return 0;
      }
    }
    this.#sheet.fail('quote_in_doubt', at);
    return -1;
  }

  /** The string may have ended at a curly quote, or at a backslash that was the last character of a path. */
  #endedBefore(string: OpenString, at: number): number {
    if (string.place.role !== 'member' || !string.place.nameKnown) return 0;
    const { text } = this.#sheet;
    const { open } = string;
    const curly = text.lastIndexOf('”', at);
    this.#sheet.budget.steps += at - open;
    // After a digit it may be a measure.
    if (curly > open && !/[“„«]|[0-9]$/.test(text.slice(open, curly)) && text.indexOf('”', open) === curly && this.#endsKnown(curly + 1)) {
      this.#sheet.takeBack(curly);
      this.#sheet.mark('quote_style', curly, curly + 1, '"');
      return curly + 1;
    }
    const [escaped, second] = string.escapedQuotes;
    if (escaped === undefined || second !== undefined || string.strays === 0 || !this.#endsKnown(escaped + 2)) return 0;
    this.#escapes.takeForText(string, escaped);
    return escaped + 2;
  }

  #endsKnown(at: number): boolean {
    return this.#ahead.follows(at, 'member') && this.#ahead.knownNext;
  }

  /** By its neighbours, this mark belongs to a quoted word: opening and closing in turn, and never beside a structure. */
  #looksLikeText({ open, inner }: OpenString, at: number): boolean {
    const { text } = this.#sheet;
    const before = text.charCodeAt(at - 1);
    const after = text.charCodeAt(at + 1);
    if (before === code.backslash || this.#ahead.besideStructure(open, at)) return false;
    const closing = !isSpace(before) && at - 1 > open && !isWordCharacter(after) && after !== code.quote && !text.startsWith('\\"', at + 1);
    const partner = inner.at(-1) ?? open;
    if (inner.length % 2 === 1) return closing && this.#hasWord(partner, at) && inner.push(at) > 0;
    const opening =
      !isSpace(after) && after !== code.quote && (at - 1 === open || isSpace(before) || '([=:-–—/>'.includes(text.charAt(at - 1)));
    if (opening) return inner.push(at) > 0;
    return closing && this.#closesLowQuote(open, at) && inner.push(at, at) > 0;
  }

  /** What stands between two strings has no word in it. */
  #hasWord(from: number, to: number): boolean {
    this.#sheet.budget.steps += to - from;
    return /[\p{L}\p{N}]/u.test(this.#sheet.text.slice(from, to));
  }

  /** A low opening quote of German, Czech or Romanian text, closed by an ASCII one. */
  #closesLowQuote(open: number, at: number): boolean {
    const { text } = this.#sheet;
    const low = text.lastIndexOf('„', at);
    this.#sheet.budget.steps += at - Math.max(low, open);
    return low > open && !/[“”"]/.test(text.slice(low, at));
  }
}
