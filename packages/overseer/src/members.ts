import type { Ahead } from './ahead.js';
import { code, isDigit, plainStructure } from './characters.js';
import type { Sheet } from './sheet.js';

/** Closers of an object inside an object that another member follows; more than this are not remembered. */
const seamsMax = 8;

/** Where the member in hand stands: what ended before it, and whether a comma came. Says of commas too many and too few whether one reading is left. */
export class Members {
  readonly #sheet: Sheet;
  readonly #ahead: Ahead;
  /** Where the last value ended, and the comma after it; -1 for none. */
  #valueEnd = 0;
  #commaAt = -1;
  /** Where the container ended that lost its last comma, and what it was; -1 for none. */
  #trimmedEnd = -1;
  #trimmedIsObject = false;
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

  constructor(sheet: Sheet, ahead: Ahead) {
    this.#sheet = sheet;
    this.#ahead = ahead;
  }

  containerOpened(at: number): void {
    this.#commaAt = -1;
    this.#fresh = true;
    this.#openedAt = at;
  }

  nameEnded(): void {
    this.#commaAt = -1;
    this.#fresh = false;
  }

  valueEnded(end: number): void {
    this.#valueEnd = end;
    this.#commaAt = -1;
    this.#fresh = false;
  }

  numberRead(from: number, end: number, isObject: boolean): void {
    this.#sawLongNumber ||= !isObject && end > from + 1;
  }

  commaRead(at: number, isObject: boolean): void {
    this.#sawComma = true;
    this.#noteSeam(isObject);
    this.#commaAt = at;
  }

  /** Whether a member begins at `at`, with `c`, and only its comma is missing. */
  beginsWithoutComma(c: number, at: number, isObject: boolean): boolean {
    // The closer may have come too early, and the member be one of the container before.
    if (this.#valueEnd === this.#trimmedEnd && this.#trimmedIsObject === isObject) return false;
    const begins = isObject ? this.#ahead.memberWithoutComma(this.#valueEnd, at) : this.#elementBegins(c, at);
    if (!begins) return false;
    this.#noteSeam(isObject);
    if (this.#valueEnd === at) this.#touchingAt = at;
    this.#sheet.mark('missing_comma', this.#valueEnd, this.#valueEnd, ',');
    return true;
  }

  /** Whether no value is missing before a closer, though none has just ended: it stands at once after the opener, or after a comma. */
  get mayEndHere(): boolean {
    return this.#commaAt !== -1 || this.#fresh;
  }

  /** A closer at `at`: the comma before it goes, where nothing can have stood after it. */
  containerEnds(at: number, isObject: boolean): void {
    const { text } = this.#sheet;
    // A character without a width may be a text whose delimiters are lost.
    if (this.#fresh && !isObject && /[^ \t\r\n]/.test(text.slice(this.#openedAt, at))) this.#sheet.fail('value', this.#openedAt);
    if (this.#commaAt === -1) return;
    if (!isObject && this.#mayHaveLostElement(at)) this.#sheet.fail('separator', this.#commaAt);
    this.#sheet.mark('trailing_comma', this.#commaAt, this.#commaAt + 1, '');
    this.#trimmedEnd = at + 1;
    this.#trimmedIsObject = isObject;
  }

  /** Where every comma is lost, one number may be two. */
  judgeWhole(): void {
    if (this.#touchingAt !== -1 && !this.#sawComma && this.#sawLongNumber) this.#sheet.fail('separator', this.#touchingAt);
  }

  /** After the last comma of an array a digit or a pair of brackets may have stood, or anything on a line of its own. */
  #mayHaveLostElement(at: number): boolean {
    const { text } = this.#sheet;
    const before = plainStructure(text.charCodeAt(this.#valueEnd - 1));
    const blank = text.slice(this.#commaAt + 1, Math.min(at, this.#commaAt + 64));
    return isDigit(before) || before === code.closeBracket || (blank !== '' && !/^\r?\n[ \t]*$/.test(blank));
  }

  /** A number beside its neighbour may be a part of it, or a stray digit. */
  #elementBegins(c: number, at: number): boolean {
    if (isDigit(this.#sheet.text.charCodeAt(this.#valueEnd - 1)) || isDigit(c) || c === code.minus) return false;
    return this.#ahead.elementWithoutComma(this.#valueEnd, at);
  }

  #noteSeam(isObject: boolean): void {
    if (!isObject || this.#sheet.text.charCodeAt(this.#valueEnd - 1) !== code.closeBrace) return;
    if (this.seams.length === seamsMax) this.tooManySeams = true;
    else this.seams.push(this.#valueEnd - 1);
  }
}
