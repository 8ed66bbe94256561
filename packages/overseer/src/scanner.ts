import { Ahead } from './ahead.js';
import { code, isDigit, isInvisible, isNameStart, isQuote, isSpace, plainStructure } from './characters.js';
import type { ContractView, PathStep } from './contractView.js';
import { endOfRemark, isPureRemark } from './remarks.js';
import type { Sheet } from './sheet.js';
import { StringReader } from './strings.js';
import { TokenReader } from './bareTokens.js';

/** An open array or object. */
interface Container {
  readonly isObject: boolean;
  /** Of the member in hand: its name, and whether the contract knows it. */
  name: string;
  nameKnown: boolean;
  /** Once true, they stay so. */
  sawUnknownName: boolean;
  sawDoubt: boolean;
  afterString: boolean;
}

/** What is due next. */
type Due = 'value' | 'name' | 'colon' | 'separator';

/** Closers of an object inside an object that another member follows; more than this are not remembered. */
const seamsMax = 8;

/**
 * Reads one array or object that need not be strict JSON, in one pass with a stack of its own. It marks on the sheet what has to change;
 * what it cannot read in exactly one way stops it. Nothing open is ever closed.
 */
export class Scanner {
  readonly #sheet: Sheet;
  readonly #view: ContractView;
  readonly #levelsMax: number;
  readonly #ahead: Ahead;
  readonly #strings: StringReader;
  readonly #tokens: TokenReader;
  readonly #open: Container[] = [];
  #due: Due = 'value';
  #at = 0;
  /** Where the last value ended, and the comma after it; -1 for none. */
  #valueEnd = 0;
  #commaAt = -1;
  /** Nothing stood yet in the container that was opened last. */
  #fresh = false;
  #openedAt = 0;
  /** A comma was read, two members of an array stood without a blank between them, and a number of an array had more than one character. */
  #sawComma = false;
  #touchingAt = -1;
  #sawLongNumber = false;
  /** Places where the object that just closed might have gone on. */
  readonly seams: number[] = [];
  tooManySeams = false;

  constructor(sheet: Sheet, view: ContractView, levelsMax: number) {
    this.#sheet = sheet;
    this.#view = view;
    this.#levelsMax = levelsMax;
    this.#ahead = new Ahead(sheet, view.names);
    this.#strings = new StringReader(sheet, this.#ahead);
    this.#tokens = new TokenReader(sheet, this.#ahead);
  }

  /** The position after the root that opens at `start`; -1 where `sheet.failure` says why there is none. */
  scan(start: number): number {
    const { text, budget } = this.#sheet;
    this.#at = start;
    do {
      this.#skipBlank();
      if (this.#sheet.failure !== null) return -1;
      if (this.#at >= text.length) this.#sheet.failure = { kind: 'open' };
      else this.#step(this.#structure());
      budget.steps += 1;
      if (budget.spent) this.#sheet.fail('steps', this.#at);
      if (this.#sheet.failure !== null) return -1;
    } while (this.#open.length > 0);
    return this.#at;
  }

  /** The character in hand; a full-width one is marked and read as what it stands for. */
  #structure(): number {
    const c = this.#sheet.text.charCodeAt(this.#at);
    const plain = plainStructure(c);
    if (plain !== c) this.#sheet.mark('full_width', this.#at, this.#at + 1, String.fromCharCode(plain));
    return plain;
  }

  #step(c: number): void {
    const top = this.#open.at(-1);
    if (this.#due === 'colon') this.#colon(c);
    else if (top !== undefined && (c === code.closeBrace || c === code.closeBracket)) this.#close(c, top);
    else if (this.#due === 'name' && top !== undefined) this.#name(c, top);
    else if (this.#due === 'separator' && top !== undefined) this.#separator(c, top);
    else this.#value(c, top);
  }

  #value(c: number, top: Container | undefined): void {
    if (c === code.openBrace || c === code.openBracket) this.#openContainer(c === code.openBrace);
    else if (isQuote(c) && top !== undefined) {
      const role = top.isObject ? 'member' : 'element';
      const end = this.#strings.read(this.#at, { role, nameKnown: top.nameKnown, afterString: top.afterString });
      top.afterString = true;
      top.sawDoubt ||= this.#strings.doubted;
      this.#ended(end);
    } else if (top !== undefined && (isDigit(c) || c === code.minus || c === code.plus)) {
      const end = this.#tokens.number(this.#at, this.#text);
      this.#sawLongNumber ||= !top.isObject && end > this.#at + 1;
      this.#ended(end);
    } else if (top !== undefined && isNameStart(c)) this.#ended(this.#tokens.word(this.#at, this.#text));
    else this.#sheet.fail('value', this.#at);
  }

  readonly #text = (): { readonly kind: 'text' | 'listed' | 'no'; readonly inObject: boolean } => ({
    kind: this.#view.textAt(this.#open.map((container): PathStep => (container.isObject ? container.name : null))),
    inObject: this.#open.at(-1)?.isObject === true,
  });

  #ended(end: number): void {
    if (end === -1) return;
    this.#at = end;
    this.#valueEnd = end;
    this.#commaAt = -1;
    this.#fresh = false;
    this.#due = 'separator';
  }

  #openContainer(isObject: boolean): void {
    if (this.#open.length === this.#levelsMax) {
      this.#sheet.failure = { kind: 'too_deep' };
      return;
    }
    this.#open.push({ isObject, name: '', nameKnown: false, sawUnknownName: false, sawDoubt: false, afterString: false });
    this.#at += 1;
    this.#commaAt = -1;
    this.#fresh = true;
    this.#openedAt = this.#at;
    this.#due = isObject ? 'name' : 'value';
  }

  #close(c: number, top: Container): void {
    const { text } = this.#sheet;
    const fits = top.isObject === (c === code.closeBrace);
    // A value may be missing only where none began: at once, or after a comma.
    const complete = this.#due === 'separator' || this.#commaAt !== -1 || (this.#due === (top.isObject ? 'name' : 'value') && this.#fresh);
    if (!fits || !complete) {
      this.#sheet.fail(fits ? 'value' : 'bracket', this.#at);
      return;
    }
    // A character without a width may be a text whose delimiters are lost.
    if (this.#fresh && !top.isObject && /[^ \t\r\n]/.test(text.slice(this.#openedAt, this.#at))) this.#sheet.fail('value', this.#openedAt);
    if (this.#commaAt !== -1 && !top.isObject && this.#mayHaveLostElement()) this.#sheet.fail('separator', this.#commaAt);
    if (this.#commaAt !== -1) this.#sheet.mark('trailing_comma', this.#commaAt, this.#commaAt + 1, '');
    // Another reading lets the string go on over a member whose name nobody knows.
    if (top.sawDoubt && top.sawUnknownName) this.#sheet.doubt('quote_in_doubt', this.#at, 2);
    this.#open.pop();
    this.#ended(this.#at + 1);
    if (this.#open.length > 0) return;
    // Where every comma is lost, one number may be two.
    if (this.#touchingAt !== -1 && !this.#sawComma && this.#sawLongNumber) this.#sheet.fail('separator', this.#touchingAt);
    this.#strings.judgeWhole();
  }

  /** After the last comma of an array a digit or a pair of brackets may have stood, or anything on a line of its own. */
  #mayHaveLostElement(): boolean {
    const { text } = this.#sheet;
    const before = plainStructure(text.charCodeAt(this.#valueEnd - 1));
    const blank = text.slice(this.#commaAt + 1, Math.min(this.#at, this.#commaAt + 64));
    return isDigit(before) || before === code.closeBracket || (blank !== '' && !/^\r?\n[ \t]*$/.test(blank));
  }

  #name(c: number, top: Container): void {
    const { text } = this.#sheet;
    let end: number;
    if (isQuote(c)) {
      end = this.#strings.read(this.#at, { role: 'name', nameKnown: false, afterString: false });
      if (end === -1) return;
      top.name = text.slice(this.#at + 1, end - 1);
    } else {
      if (!this.#ahead.nameAt(this.#at) || !this.#ahead.knownNext) {
        this.#sheet.fail('name', this.#at);
        return;
      }
      end = this.#tokens.endOfName(this.#at);
      top.name = text.slice(this.#at, end);
      this.#sheet.mark('key_quoted', this.#at, end, JSON.stringify(top.name));
    }
    top.nameKnown = this.#view.names.has(top.name);
    top.sawUnknownName ||= !top.nameKnown;
    this.#at = end;
    this.#commaAt = -1;
    this.#fresh = false;
    this.#due = 'colon';
  }

  #colon(c: number): void {
    if (c !== code.colon) {
      this.#sheet.fail('colon', this.#at);
      return;
    }
    this.#at += 1;
    this.#due = 'value';
  }

  #separator(c: number, top: Container): void {
    if (c === code.comma) {
      this.#sawComma = true;
      this.#noteSeam(top);
      this.#commaAt = this.#at;
      this.#at += 1;
    } else {
      const beside = top.isObject ? this.#ahead.memberWithoutComma(this.#valueEnd, this.#at) : this.#besideInArray(c);
      if (!beside) {
        this.#sheet.fail('separator', this.#at);
        return;
      }
      this.#noteSeam(top);
      if (this.#valueEnd === this.#at) this.#touchingAt = this.#at;
      this.#sheet.mark('missing_comma', this.#valueEnd, this.#valueEnd, ',');
    }
    this.#due = top.isObject ? 'name' : 'value';
  }

  /** A number beside its neighbour may be a part of it, or a stray digit. */
  #besideInArray(c: number): boolean {
    if (isDigit(this.#sheet.text.charCodeAt(this.#valueEnd - 1)) || isDigit(c) || c === code.minus) return false;
    return this.#ahead.elementWithoutComma(this.#valueEnd, this.#at);
  }

  #noteSeam(top: Container): void {
    if (!top.isObject || this.#sheet.text.charCodeAt(this.#valueEnd - 1) !== code.closeBrace) return;
    if (this.seams.length === seamsMax) this.tooManySeams = true;
    else this.seams.push(this.#valueEnd - 1);
  }

  #skipBlank(): void {
    const { text, budget } = this.#sheet;
    const from = this.#at;
    while (this.#at < text.length) {
      const c = text.charCodeAt(this.#at);
      if (isSpace(c)) this.#at += 1;
      else if (isInvisible(c)) {
        this.#sheet.mark('invisible_removed', this.#at, this.#at + 1, '');
        this.#at += 1;
      } else if (c === code.slash || c === code.hash) {
        if (!this.#skipRemark()) break;
      } else break;
    }
    budget.steps += this.#at - from;
  }

  #skipRemark(): boolean {
    const { text } = this.#sheet;
    const end = endOfRemark(text, this.#at);
    if (end === -1) return false;
    if (end === text.length) this.#sheet.failure ??= { kind: 'open' };
    // In an array a remark may stand for members.
    const pure = this.#open.at(-1)?.isObject === true && isPureRemark(text.slice(this.#at, end));
    if (!pure) this.#sheet.fail('omission', this.#at);
    this.#sheet.mark('comment_removed', this.#at, end, '');
    this.#at = end;
    return this.#sheet.failure === null;
  }
}
