import type { Ahead } from './ahead.js';
import { code, isDigit, isNamePart, isNameStart, isQuote, isSpace, isWordCharacter } from './characters.js';
import type { Sheet } from './sheet.js';

/** What the contract says of the place where a token stands. Asked only where it matters. */
export type PlaceOfText = () => { readonly kind: 'text' | 'listed' | 'no'; readonly inObject: boolean };

/** Characters of a bare text. */
const bareTextMax = 200;

const strictNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;
const pythonLiterals: ReadonlyMap<string, string> = new Map([
  ['True', 'true'],
  ['False', 'false'],
  ['None', 'null'],
]);
/** Words that mean a value in some language are never read as text. */
const neverText = /^[+-]?(?:true|false|null|none|nil|nan|inf|infinity|undefined)$/i;

/** Reads what stands without quotation marks: numbers, literals, and text where nothing else can be meant. */
export class TokenReader {
  readonly #sheet: Sheet;
  readonly #ahead: Ahead;

  constructor(sheet: Sheet, ahead: Ahead) {
    this.#sheet = sheet;
    this.#ahead = ahead;
  }

  /** The position after the number at `start`, or after the text that begins like one. */
  number(start: number, place: PlaceOfText): number {
    const { text, budget } = this.#sheet;
    let end = start + 1;
    while (end < text.length && isNumberPart(text.charCodeAt(end))) end += 1;
    budget.steps += end - start;
    const word = text.slice(start, end);
    const plus = text.charCodeAt(start) === code.plus;
    const touchesWord = isWordCharacter(text.charCodeAt(end)) || text.charCodeAt(end) === 95;
    if (end === text.length) this.#sheet.failure = { kind: 'open' };
    else if (!touchesWord && strictNumber.test(plus ? word.slice(1) : word) && !word.startsWith('+-')) {
      if (plus) this.#sheet.mark('plus_sign', start, start + 1, '');
      return end;
    }
    return this.#sheet.failure === null ? this.#bareText(start, place, 'number') : -1;
  }

  /** The position after the literal at `start`, or after the text. */
  word(start: number, place: PlaceOfText): number {
    const { text } = this.#sheet;
    const end = this.endOfName(start);
    const word = text.slice(start, end);
    if (word === 'true' || word === 'false' || word === 'null') return end;
    const python = pythonLiterals.get(word);
    if (python !== undefined) {
      this.#sheet.mark('python_literal', start, end, python);
      return end;
    }
    return this.#bareText(start, place, 'value');
  }

  endOfName(start: number): number {
    const { text, budget } = this.#sheet;
    let end = start + 1;
    while (end < text.length && isNamePart(text.charCodeAt(end))) end += 1;
    budget.steps += end - start;
    return end;
  }

  #bareText(start: number, place: PlaceOfText, fault: 'number' | 'value'): number {
    const { text, budget } = this.#sheet;
    let end = start;
    while (end < text.length && end - start < bareTextMax && isBareText(text.charCodeAt(end))) end += 1;
    budget.steps += end - start;
    if (end === text.length) {
      this.#sheet.failure ??= { kind: 'open' };
      return -1;
    }
    const word = text.slice(start, end).trimEnd();
    if (neverText.test(word)) this.#sheet.fail('literal', start);
    else if (!this.#endsAsText(start, end, word, place())) this.#sheet.fail(fault, start);
    if (this.#sheet.failure !== null) return -1;
    this.#sheet.mark('text_quoted', start, start + word.length, JSON.stringify(word));
    return start + word.length;
  }

  #standsAlone(start: number, end: number, next: number): boolean {
    const { text, budget } = this.#sheet;
    let before = start - 1;
    while (isSpace(text.charCodeAt(before))) before -= 1;
    budget.steps += start - before + next - end;
    const c = this.#ahead.structure(before);
    return (c === code.colon || c === code.comma || c === code.openBracket) && plainBlank.test(text.slice(end, next));
  }

  /** The one reading: text and nothing else is due, and what follows is a closer or the next name of the contract. */
  #endsAsText(start: number, end: number, word: string, place: ReturnType<PlaceOfText>): boolean {
    const { text } = this.#sheet;
    const first = text.charCodeAt(start);
    if (
      place.kind === 'no' ||
      !/[\p{L}\p{N}]/u.test(word) ||
      !(isNameStart(first) || isDigit(first) || first === code.minus || first === code.plus)
    )
      return false;
    const next = this.#ahead.blank(end);
    const c = this.#ahead.structure(next);
    const closed = c === (place.inObject ? code.closeBrace : code.closeBracket);
    // A blank at the end may be part of the text, and so may a remark or a character without a width at either end.
    if (word.length !== end - start || !this.#standsAlone(start, end, next)) return false;
    // A comma before the closer may be the last character of the text.
    if (c === code.comma && this.#ahead.structure(this.#ahead.blank(next + 1)) === code.closeBrace) return false;
    if (place.inObject) return !isQuote(c) && this.#ahead.follows(end, 'member') && this.#ahead.knownNext;
    // In an array a text with a comma in it looks like two; a list of words has no such text.
    return place.kind === 'listed' && !/\s/.test(word) && (closed || c === code.comma);
  }
}

/** Between a token and the structure around it. */
const plainBlank = /^[ \t\r\n]*$/;

const isNumberPart = (c: number): boolean => isDigit(c) || c === 46 || c === code.plus || c === code.minus || c === 101 || c === 69;

/** Letters, digits, blanks on one line, and what cannot be part of a structure. */
const isBareText = (c: number): boolean => isWordCharacter(c) || c === 95 || c === 46 || c === code.minus || c === code.plus || c === 32;
