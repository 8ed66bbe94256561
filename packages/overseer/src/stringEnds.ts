import type { Ahead, Role } from './ahead.js';
import { code } from './characters.js';
import type { OpenString } from './openString.js';
import type { Sheet } from './sheet.js';

const readingsMax = 8;

/** Ends a string at what closes it by all that follows, unless what stands in it gives the text another reading. */
export class StringEnds {
  readonly #sheet: Sheet;
  readonly #ahead: Ahead;

  constructor(sheet: Sheet, ahead: Ahead) {
    this.#sheet = sheet;
    this.#ahead = ahead;
  }

  /** The position after the closer at `at`; -1 where the string may end elsewhere. */
  close(string: OpenString, at: number): number {
    const { text, budget } = this.#sheet;
    const { open, inner, place } = string;
    budget.steps += at - open;
    if (this.#mixesDelimiters(string, at) || (string.controls && this.#maySpan(string, at))) {
      this.#sheet.fail('quote_in_doubt', at);
      return -1;
    }
    if (inner.length > 0 && place.role === 'element') return this.#closeElement(string, at);
    if (inner.length > 0 && (inner.length % 2 === 1 || !place.nameKnown || !this.#ahead.knownNext)) {
      this.#sheet.doubt('quote_in_doubt', at, 2);
      return -1;
    }
    if (text.charCodeAt(at) !== code.quote) this.#sheet.mark('quote_style', at, at + 1, '"');
    return at + 1;
  }

  /**
   * Two kinds of quotation marks at one end may be delimiters both, or one of them text: a curly opener with a straight closer, a double quote beside
   * another delimiter whose partner is missing, and any in a name.
   */
  #mixesDelimiters({ open, opener, foreignQuotes, place }: OpenString, at: number): boolean {
    const { text } = this.#sheet;
    const straight = (c: number): boolean => c === code.quote || c === code.apostrophe;
    if (straight(text.charCodeAt(at)) && !straight(opener)) return true;
    const touches = text.charCodeAt(open + 1) === code.quote || text.charCodeAt(at - 1) === code.quote;
    return foreignQuotes > 0 && (place.role === 'name' || (foreignQuotes % 2 === 1 && touches));
  }

  /** Over a line break, the string may be several: at an escaped quote that stands like a delimiter, or where the quotes of a separator are lost. */
  #maySpan({ open, escapedQuotes, place }: OpenString, at: number): boolean {
    const delimits = (escaped: number): boolean =>
      this.#ahead.besideStructure(open, escaped + 1) || this.#ahead.structure(escaped + 2) === code.comma;
    return (
      escapedQuotes.some(delimits) ||
      this.#spansSeparator(open, at, place.role) ||
      (place.role === 'element' && this.#spansElements(open, at))
    );
  }

  /** Where the string begins its line, a further line of it with the same indentation may be the next element. */
  #spansElements(open: number, at: number): boolean {
    const { text } = this.#sheet;
    const [, ...lines] = text.slice(open, at).split('\n');
    if (lines.length === 0) return false;
    const indentation = text.slice(text.lastIndexOf('\n', open) + 1, open);
    this.#sheet.budget.steps += at - open + indentation.length;
    if (/[^ \t]/.test(indentation)) return false;
    return lines.some((line) => line.startsWith(indentation) && /^\S/.test(line.slice(indentation.length)));
  }

  /**
   * Quotation marks may be lost where the string is a name, where it begins or ends like the space between two, or where a comma ends a line of it and
   * the next begins at once.
   */
  #spansSeparator(open: number, at: number, role: Role): boolean {
    const text = this.#sheet.text.slice(open + 1, at);
    this.#sheet.budget.steps += text.length;
    return role === 'name' || /^ *[\p{Cc},:\]}]|[\p{Cc},:[{] *$/u.test(beginAndEnd(text)) || /, *\r?\n[ \t]*\S/.test(text);
  }

  /** In an array every further closer is another reading, and so are the string before and a mark inside with a comma behind it. */
  #closeElement({ inner, place }: OpenString, at: number): number {
    const { text } = this.#sheet;
    const last = this.#ahead.structure(this.#ahead.blank(at + 1)) === code.closeBracket;
    const delimits = (mark: number): boolean => this.#ahead.structure(this.#ahead.blank(mark + 1)) === code.comma;
    if (last && !place.afterString && inner.length % 2 === 0 && !inner.some(delimits)) return at + 1;
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
}

/** Enough of a long string to see how it begins and ends. */
const beginAndEnd = (text: string): string => (text.length < 128 ? text : `${text.slice(0, 64)}…${text.slice(-64)}`);
