import type { Ahead, Role } from './ahead.js';
import { closesQuote, code, isApostrophe, isHex, isSpace, isWordCharacter } from './characters.js';
import type { Sheet } from './sheet.js';

/** What the reader of strings must know of the place: what stood before in the same container. */
export interface Surroundings {
  readonly role: Role;
  /** The member's own name is one of the contract's. */
  readonly nameKnown: boolean;
  /** The array holds a string already. */
  readonly afterString: boolean;
}

const readingsMax = 8;

/** Reads one string and marks what has to change in it. It never guesses: a quotation mark in doubt has one reading or stops the scan. */
export class StringReader {
  readonly #sheet: Sheet;
  readonly #ahead: Ahead;
  /** Positions of quotation marks that were taken for text. */
  #inner: number[] = [];
  #escapedQuotes: number[] = [];
  #strays = 0;
  #escapedBefore = false;
  #controls = false;
  /** Double quotes as they are, in a string of other quotes. */
  #foreignQuotes = 0;
  /** An escape was seen in the text, how many backslashes were none, and where the first of those was. */
  escaped = false;
  strayBackslashes = 0;
  strayBackslashAt = -1;
  /** A string opened with a double quote was seen, and where in a string of other quotes one stood like structure. */
  doubleQuoted = false;
  structureInsideAt = -1;
  /** The last string had quotation marks inside. */
  doubted = false;

  constructor(sheet: Sheet, ahead: Ahead) {
    this.#sheet = sheet;
    this.#ahead = ahead;
  }

  /** The position after the string that opens at `open`; -1 where the sheet says why not. */
  read(open: number, place: Surroundings): number {
    const { text } = this.#sheet;
    const opener = text.charCodeAt(open);
    this.#inner = [];
    this.#escapedQuotes = [];
    this.#strays = 0;
    this.#foreignQuotes = 0;
    this.#controls = false;
    this.#escapedBefore = this.escaped;
    this.doubted = false;
    if (opener === code.quote) this.doubleQuoted = true;
    else this.#sheet.mark('quote_style', open, open + 1, '"');
    for (let at = open + 1; at < text.length; at += 1) {
      const c = text.charCodeAt(at);
      if (c === code.backslash) {
        at = this.#escape(opener, at);
        if (at < 0) return -1;
      } else if (closesQuote(opener, c)) {
        if (this.#ahead.follows(at + 1, place.role)) return this.#close(open, at, place);
        const end = this.#inside(open, at, place);
        if (end !== 0) return end;
      } else if (c < 32) {
        this.#controls = true;
        this.#sheet.mark('control_escaped', at, at + 1, controlEscape(c));
      } else if (c === code.quote) {
        this.#foreignQuotes += 1;
        this.#sheet.mark('quote_style', at, at + 1, '\\"');
        if (this.#besideStructure(open, at)) this.structureInsideAt = at;
      }
    }
    this.#sheet.budget.steps += text.length - open;
    this.#sheet.failure ??= { kind: 'open' };
    return -1;
  }

  /** A closer that cannot be one. 0 to read on, the end of the string where it ended before, -1 to stop. */
  #inside(open: number, at: number, place: Surroundings): number {
    const { text } = this.#sheet;
    const opener = text.charCodeAt(open);
    if (isApostrophe(text.charCodeAt(at)) && isWordCharacter(text.charCodeAt(at - 1)) && isWordCharacter(text.charCodeAt(at + 1))) {
      this.#sheet.mark('apostrophe', at, at + 1, text.charAt(at));
      return 0;
    }
    if (opener === code.quote && place.role !== 'name') {
      if (this.#inner.length === 0) {
        const end = this.#endedBefore(open, at, place);
        if (end !== 0) return end;
      }
      if (this.#looksLikeText(open, at)) {
        this.#sheet.mark('inner_quote', at, at + 1, '\\"');
        return 0;
      }
    }
    this.#sheet.fail('quote_in_doubt', at);
    return -1;
  }

  /** The string may have ended at a curly quote, or at a backslash that was the last character of a path. */
  #endedBefore(open: number, at: number, place: Surroundings): number {
    if (place.role !== 'member' || !place.nameKnown) return 0;
    const { text } = this.#sheet;
    const curly = text.lastIndexOf('”', at);
    this.#sheet.budget.steps += at - open;
    // After a digit it may be a measure.
    if (curly > open && !/[“„«]|[0-9]$/.test(text.slice(open, curly)) && text.indexOf('”', open) === curly && this.#endsKnown(curly + 1)) {
      this.#sheet.takeBack(curly);
      this.#sheet.mark('quote_style', curly, curly + 1, '"');
      return curly + 1;
    }
    const [escaped, second] = this.#escapedQuotes;
    if (escaped !== undefined && second === undefined && this.#strays > 0 && this.#endsKnown(escaped + 2)) {
      this.#sheet.takeBack(escaped);
      this.#sheet.mark('backslash_kept', escaped, escaped + 1, '\\\\');
      this.strayBackslashes += 1;
      this.escaped = this.#escapedBefore;
      return escaped + 2;
    }
    return 0;
  }

  #endsKnown(at: number): boolean {
    return this.#ahead.follows(at, 'member') && this.#ahead.knownNext;
  }

  /** By its neighbours, this mark belongs to a quoted word: opening and closing in turn, and never beside a structure. */
  #looksLikeText(open: number, at: number): boolean {
    const { text } = this.#sheet;
    const before = text.charCodeAt(at - 1);
    const after = text.charCodeAt(at + 1);
    if (before === code.backslash || this.#besideStructure(open, at)) return false;
    const closing = !isSpace(before) && at - 1 > open && !isWordCharacter(after) && after !== code.quote && !text.startsWith('\\"', at + 1);
    const partner = this.#inner.at(-1) ?? open;
    if (this.#inner.length % 2 === 1) return closing && this.#hasWord(partner, at) && this.#inner.push(at) > 0;
    const opening =
      !isSpace(after) && after !== code.quote && (at - 1 === open || isSpace(before) || '([=:-–—/>'.includes(text.charAt(at - 1)));
    if (opening) return this.#inner.push(at) > 0;
    return closing && this.#closesLowQuote(open, at) && this.#inner.push(at, at) > 0;
  }

  /** What stands between two strings has no word in it. */
  #hasWord(from: number, to: number): boolean {
    this.#sheet.budget.steps += to - from;
    return /[\p{L}\p{N}]/u.test(this.#sheet.text.slice(from, to));
  }

  #besideStructure(open: number, at: number): boolean {
    const { text } = this.#sheet;
    let back = at - 1;
    while (back > open && isSpace(text.charCodeAt(back))) back -= 1;
    this.#sheet.budget.steps += at - back;
    return (back > open && '[{,'.includes(text.charAt(back))) || ':]}'.includes(text.charAt(this.#ahead.blank(at + 1)) || '?');
  }

  /** A low opening quote of German, Czech or Romanian text, closed by an ASCII one. */
  #closesLowQuote(open: number, at: number): boolean {
    const { text } = this.#sheet;
    const low = text.lastIndexOf('„', at);
    this.#sheet.budget.steps += at - Math.max(low, open);
    return low > open && !/[“”"]/.test(text.slice(low, at));
  }

  #close(open: number, at: number, place: Surroundings): number {
    const { text, budget } = this.#sheet;
    budget.steps += at - open;
    if (this.#mixesDelimiters(open, at, place.role)) {
      this.#sheet.fail('quote_in_doubt', at);
      return -1;
    }
    // Over a line break, an escaped quote that stands like a delimiter may be one.
    if (
      this.#controls &&
      this.#escapedQuotes.some((escaped) => this.#besideStructure(open, escaped + 1) || this.#ahead.structure(escaped + 2) === code.comma)
    ) {
      this.#sheet.fail('quote_in_doubt', at);
      return -1;
    }
    if (this.#controls && this.#spansSeparator(open, at, place.role)) {
      this.#sheet.fail('quote_in_doubt', at);
      return -1;
    }
    if (this.#inner.length > 0) {
      if (place.role === 'element') return this.#closeElement(at, place);
      if (this.#inner.length % 2 === 1 || !place.nameKnown || !this.#ahead.knownNext) {
        this.#sheet.doubt('quote_in_doubt', at, 2);
        return -1;
      }
      this.doubted = true;
    }
    if (text.charCodeAt(at) !== code.quote) this.#sheet.mark('quote_style', at, at + 1, '"');
    return at + 1;
  }

  /**
   * Two kinds of quotation marks at one end may be delimiters both, or one of them text: a curly opener with a straight closer, a double quote beside
   * another delimiter whose partner is missing, and any in a name.
   */
  #mixesDelimiters(open: number, at: number, role: Role): boolean {
    const { text } = this.#sheet;
    const opener = text.charCodeAt(open);
    const straight = (c: number): boolean => c === code.quote || c === code.apostrophe;
    if (straight(text.charCodeAt(at)) && !straight(opener)) return true;
    const touches = text.charCodeAt(open + 1) === code.quote || text.charCodeAt(at - 1) === code.quote;
    return this.#foreignQuotes > 0 && (role === 'name' || (this.#foreignQuotes % 2 === 1 && touches));
  }

  /**
   * Over a line break, a string may be several whose quotation marks are lost: where it is a name, where it begins or ends like the space between
   * two, or where a comma ends a line of it and the next begins at once.
   */
  #spansSeparator(open: number, at: number, role: Role): boolean {
    const text = this.#sheet.text.slice(open + 1, at);
    this.#sheet.budget.steps += text.length;
    return role === 'name' || /^ *[\p{Cc},:\]}]|[\p{Cc},:[{] *$/u.test(beginAndEnd(text)) || /, *\r?\n[ \t]*\S/.test(text);
  }

  /** In an array every further closer is another reading, and so is the string before. */
  #closeElement(at: number, place: Surroundings): number {
    const { text } = this.#sheet;
    const last = this.#ahead.structure(this.#ahead.blank(at + 1)) === code.closeBracket;
    if (last && !place.afterString && this.#inner.length % 2 === 0) return at + 1;
    let readings = place.afterString ? 2 : 1;
    let from = at;
    for (let next = at + 1; next < text.length && readings < readingsMax && !this.#sheet.budget.spent; next += 1) {
      const c = text.charCodeAt(next);
      if (c === code.backslash) next += 1;
      else if (c === code.quote && this.#ahead.follows(next + 1, 'element')) {
        readings += 1;
        if (this.#ahead.structure(this.#ahead.blank(next + 1)) === code.closeBracket) break;
      }
      from = next;
    }
    this.#sheet.budget.steps += from - at;
    this.#sheet.doubt('quote_in_doubt', at, Math.max(2, readings));
    return -1;
  }

  /** The last position of the escape at `at`; -1 where it may be an escape or text. */
  #escape(opener: number, at: number): number {
    const { text } = this.#sheet;
    const next = text.charAt(at + 1);
    if (next === '') return at;
    if (next === '"') this.#escapedQuotes.push(at);
    if (next === '"' || next === '\\' || next === '/') {
      this.escaped = true;
      return at + 1;
    }
    if (next === "'") {
      this.#sheet.mark('apostrophe', at, at + 2, "'");
      return at + 1;
    }
    if ('bfnrt'.includes(next)) {
      this.escaped = true;
      return at + 1;
    }
    if (next === 'u' && isHex(text.charCodeAt(at + 2))) {
      if (![3, 4, 5].every((offset) => isHex(text.charCodeAt(at + offset)))) return this.#escapeInDoubt(at);
      this.escaped = true;
      return at + 5;
    }
    // Before a letter the backslash is text: a path, a formula, a pattern. Before a sign it may be needless, and where strings are written
    // as in a program it may be one of that language's escapes.
    const ofAnotherLanguage = opener !== code.quote || /^x[0-9A-Fa-f]{2}|^U[0-9A-Fa-f]{8}|^N\{/.test(text.slice(at + 1, at + 10));
    if (ofAnotherLanguage || !/[A-Za-z]/.test(next)) return this.#escapeInDoubt(at);
    this.#sheet.mark('backslash_kept', at, at + 1, '\\\\');
    this.#strays += 1;
    this.strayBackslashes += 1;
    if (this.strayBackslashAt === -1) this.strayBackslashAt = at;
    return at + 1;
  }

  #escapeInDoubt(at: number): number {
    // A text that ends inside the escape is cut, not in doubt.
    if (at + 6 > this.#sheet.text.length) this.#sheet.failure ??= { kind: 'open' };
    this.#sheet.doubt('escape_in_doubt', at, 2);
    return -1;
  }
}

/** Enough of a long string to see how it begins and ends. */
const beginAndEnd = (text: string): string => (text.length < 128 ? text : `${text.slice(0, 64)}…${text.slice(-64)}`);

function controlEscape(c: number): string {
  const short = { 8: '\\b', 9: '\\t', 10: '\\n', 12: '\\f', 13: '\\r' }[c];
  return short ?? `\\u${c.toString(16).padStart(4, '0')}`;
}
