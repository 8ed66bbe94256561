import { code, isDigit, isNamePart, isNameStart, isQuote, isSpace, closesQuote, plainStructure } from './characters.js';
import { endOfBlank } from './remarks.js';
import type { Sheet } from './sheet.js';
import { mayBeSwapped } from './swappedBrackets.js';

/** Where a string stands. */
export type Role = 'name' | 'member' | 'element';

/** Characters of a name or token that lookahead reads. */
const tokenMax = 256;

/** Looks past a quotation mark: could the string end here? Looks at one token, never further. */
export class Ahead {
  readonly #sheet: Sheet;
  readonly #names: ReadonlySet<string>;
  /** After a positive answer for a member: whether what follows is a closer or a name of the contract. */
  knownNext = false;

  constructor(sheet: Sheet, names: ReadonlySet<string>) {
    this.#sheet = sheet;
    this.#names = names;
  }

  /** Whether a string in this role may have ended before `at`. */
  follows(at: number, role: Role): boolean {
    this.knownNext = false;
    const next = this.blank(at);
    const c = this.structure(next);
    if (role === 'name') return c === code.colon;
    if (next >= this.#sheet.text.length) return true;
    if (role === 'member') return this.#afterMember(at, next, c);
    if (c === code.closeBracket) return true;
    if (c === code.comma) return this.#elementFollows(this.blank(next + 1));
    return this.elementWithoutComma(at, next);
  }

  /** The comma that is missing between two strings may be at the end of one or at the beginning of the other. */
  #commaInside(end: number, start: number): boolean {
    const { text } = this.#sheet;
    // Two strings side by side are written alike, or one of the marks is a stray.
    if (
      this.#closesString(end) &&
      isQuote(text.charCodeAt(start)) &&
      (text.charCodeAt(end - 1) === code.quote) !== (text.charCodeAt(start) === code.quote)
    ) {
      return true;
    }
    let last = end - 2;
    while (isSpace(text.charCodeAt(last))) last -= 1;
    let first = start + 1;
    while (isSpace(text.charCodeAt(first))) first += 1;
    this.#sheet.budget.steps += end - last + first - start;
    const inLast = this.#closesString(end) && plainStructure(text.charCodeAt(last)) === code.comma;
    return inLast || (isQuote(text.charCodeAt(start)) && plainStructure(text.charCodeAt(first)) === code.comma);
  }

  #closesString(end: number): boolean {
    const c = this.#sheet.text.charCodeAt(end - 1);
    return isQuote(c) || closesQuote(0x201c, c) || closesQuote(0x2018, c);
  }

  #afterMember(at: number, next: number, c: number): boolean {
    if (c === code.closeBrace) return this.#known(true);
    if (c !== code.comma) return this.memberWithoutComma(at, next);
    const name = this.blank(next + 1);
    if (name >= this.#sheet.text.length) return true;
    return this.structure(name) === code.closeBrace ? this.#known(true) : this.nameAt(name);
  }

  /** A member of an object that stands beside the one that ended at `end`. */
  memberWithoutComma(end: number, start: number): boolean {
    return isQuote(this.structure(start)) && !this.#commaInside(end, start) && this.nameAt(start);
  }

  /** A name with its colon, quoted or bare. */
  nameAt(at: number): boolean {
    const { text } = this.#sheet;
    const opener = text.charCodeAt(at);
    const quoted = isQuote(opener);
    if (!quoted && !isNameStart(opener)) return false;
    const limit = Math.min(text.length, at + tokenMax);
    let end = at + 1;
    if (quoted) while (end < limit && !closesQuote(opener, text.charCodeAt(end))) end += text.charCodeAt(end) === code.backslash ? 2 : 1;
    else while (end < limit && isNamePart(text.charCodeAt(end))) end += 1;
    this.#sheet.budget.steps += end - at;
    if (this.structure(this.blank(quoted ? end + 1 : end)) !== code.colon) return false;
    return this.#known(this.#names.has(quoted ? text.slice(at + 1, end) : text.slice(at, end)));
  }

  /** What may begin a member of an array after a comma. */
  #elementFollows(at: number): boolean {
    const { text } = this.#sheet;
    if (at >= text.length) return true;
    const c = this.structure(at);
    if (c === code.closeBracket || c === code.openBrace || c === code.openBracket || isQuote(c)) return true;
    return this.#tokenEndsWell(at);
  }

  /** A bare token or number that is followed by a comma or the end of the array. */
  #tokenEndsWell(at: number): boolean {
    const { text } = this.#sheet;
    let end = at;
    while (end < text.length && end < at + tokenMax && (isNamePart(text.charCodeAt(end)) || '+.'.includes(text.charAt(end)))) end += 1;
    this.#sheet.budget.steps += end - at;
    if (end === at) return false;
    const c = this.structure(this.blank(end));
    return c === code.comma || c === code.closeBracket;
  }

  /** Two members of an array side by side: the second begins at `next`, and the first ended at `at`. */
  elementWithoutComma(at: number, next: number): boolean {
    const { text } = this.#sheet;
    const c = this.structure(next);
    if (this.#commaInside(at, next)) return false;
    if (mayBeSwapped(text, at, next)) return false;
    if (c === code.openBrace || c === code.openBracket) return true;
    if (!isQuote(c)) return (isDigit(c) || isNameStart(c) || c === code.minus) && this.#tokenEndsWell(next);
    // Without a blank, two quotation marks may be one of the text, doubled as in CSV or SQL.
    if (at === next) return false;
    if (text.slice(at, next).includes('\n')) return true;
    let end = next + 1;
    while (end < text.length && end < next + tokenMax && !closesQuote(c, text.charCodeAt(end)))
      end += text.charCodeAt(end) === code.backslash ? 2 : 1;
    this.#sheet.budget.steps += end - next;
    const after = this.structure(this.blank(end + 1));
    return end > next + 1 && (after === code.comma || after === code.closeBracket || isQuote(after));
  }

  /** Whether a quotation mark inside the string that opens at `open` has a bracket, comma or colon beside it. */
  besideStructure(open: number, at: number): boolean {
    const { text } = this.#sheet;
    let back = at - 1;
    while (back > open && isSpace(text.charCodeAt(back))) back -= 1;
    this.#sheet.budget.steps += at - back;
    return (back > open && '[{,'.includes(text.charAt(back))) || ':]}'.includes(text.charAt(this.blank(at + 1)) || '?');
  }

  blank(at: number): number {
    const end = endOfBlank(this.#sheet.text, at);
    this.#sheet.budget.steps += end - at + 1;
    return end;
  }

  structure(at: number): number {
    return plainStructure(this.#sheet.text.charCodeAt(at));
  }

  #known(known: boolean): boolean {
    this.knownNext = known;
    return true;
  }
}
