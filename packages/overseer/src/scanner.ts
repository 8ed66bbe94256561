import { Ahead } from './ahead.js';
import { TokenReader } from './bareTokens.js';
import { skipBlank } from './blanks.js';
import { code, isDigit, isNameStart, isQuote, plainStructure } from './characters.js';
import type { ContractView, PathStep } from './contractView.js';
import { Members } from './members.js';
import type { Sheet } from './sheet.js';
import { StringReader } from './strings.js';

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
  readonly members: Members;

  constructor(sheet: Sheet, view: ContractView, levelsMax: number) {
    this.#sheet = sheet;
    this.#view = view;
    this.#levelsMax = levelsMax;
    this.#ahead = new Ahead(sheet, view.names);
    this.#strings = new StringReader(sheet, this.#ahead);
    this.#tokens = new TokenReader(sheet, this.#ahead);
    this.members = new Members(sheet, this.#ahead);
  }

  /** The position after the root that opens at `start`; -1 where `sheet.failure` says why there is none. */
  scan(start: number): number {
    const { text, budget } = this.#sheet;
    this.#at = start;
    do {
      this.#at = skipBlank(this.#sheet, this.#at, this.#open.at(-1)?.isObject === true);
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
      this.members.numberRead(this.#at, end, top.isObject);
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
    this.members.valueEnded(end);
    this.#due = 'separator';
  }

  #openContainer(isObject: boolean): void {
    if (this.#open.length === this.#levelsMax) {
      this.#sheet.failure = { kind: 'too_deep' };
      return;
    }
    this.#open.push({ isObject, name: '', nameKnown: false, sawUnknownName: false, sawDoubt: false, afterString: false });
    this.#at += 1;
    this.members.containerOpened(this.#at);
    this.#due = isObject ? 'name' : 'value';
  }

  #close(c: number, top: Container): void {
    const fits = top.isObject === (c === code.closeBrace);
    if (!fits || (this.#due !== 'separator' && !this.members.mayEndHere)) {
      this.#sheet.fail(fits ? 'value' : 'bracket', this.#at);
      return;
    }
    this.members.containerEnds(this.#at, top.isObject);
    // Another reading lets the string go on over a member whose name nobody knows.
    if (top.sawDoubt && top.sawUnknownName) this.#sheet.doubt('quote_in_doubt', this.#at, 2);
    this.#open.pop();
    this.#ended(this.#at + 1);
    if (this.#open.length > 0) return;
    this.members.judgeWhole();
    this.#strings.judgeWhole();
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
    this.members.nameEnded();
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
      this.members.commaRead(this.#at, top.isObject);
      this.#at += 1;
    } else if (!this.members.beginsWithoutComma(c, this.#at, top.isObject)) {
      this.#sheet.fail('separator', this.#at);
      return;
    }
    this.#due = top.isObject ? 'name' : 'value';
  }
}
