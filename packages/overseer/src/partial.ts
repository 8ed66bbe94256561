import type { JsonValue } from '@emend/contracts';
import { isSpace } from './characters.js';

/** The beginning of a document that can be shown: up to `end`, with `closers` after it. */
interface Beginning {
  readonly end: number;
  readonly closers: string;
}

const scalar = /(?:true|false|null|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?=[\s,}\]])/y;

/**
 * The value of the first array or object of a text that is still coming: every member that is whole, and the text that is being written.
 * A number or literal counts once something follows it. One pass, no recursion; undefined where there is nothing to show.
 */
export function partialValue(text: string, levelsMax: number): JsonValue | undefined {
  const start = text.search(/[{[]/);
  const beginning = start === -1 ? null : new BeginningReader(text, start, levelsMax).read();
  if (beginning === null) return undefined;
  try {
    return JSON.parse(text.slice(start, beginning.end) + beginning.closers) as JsonValue;
  } catch {
    return undefined;
  }
}

class BeginningReader {
  readonly #text: string;
  readonly #levelsMax: number;
  readonly #closers: string[] = [];
  #at: number;
  #nameDue = false;
  /** Something may begin here: at the start, and after an opener, a comma or a colon. */
  #due = true;
  #shown: Beginning | null = null;

  constructor(text: string, start: number, levelsMax: number) {
    this.#text = text;
    this.#at = start;
    this.#levelsMax = levelsMax;
  }

  read(): Beginning | null {
    do {
      while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1;
    } while (this.#at < this.#text.length && this.#step(this.#text.charAt(this.#at)) && this.#closers.length > 0);
    return this.#shown;
  }

  /** False where reading ends: at the end of the text, or at something that is not strict JSON. */
  #step(character: string): boolean {
    if (!this.#due && !',:}]'.includes(character)) return false;
    switch (character) {
      case '{':
      case '[':
        if (this.#closers.length === this.#levelsMax) return false;
        this.#closers.push(character === '{' ? '}' : ']');
        this.#nameDue = character === '{';
        this.#whole(this.#at + 1);
        return this.#begin();
      case '}':
      case ']':
        return this.#closers.pop() === character && this.#whole(this.#at + 1);
      case ',':
        this.#nameDue = this.#closers.at(-1) === '}';
        this.#at += 1;
        return this.#begin();
      case ':':
        this.#nameDue = false;
        this.#at += 1;
        return this.#begin();
      case '"':
        return this.#string();
      default: {
        scalar.lastIndex = this.#at;
        const word = scalar.exec(this.#text)?.[0];
        return word !== undefined && this.#whole(this.#at + word.length);
      }
    }
  }

  #string(): boolean {
    let end = this.#at + 1;
    while (end < this.#text.length && this.#text.charAt(end) !== '"') end += this.#text.charAt(end) === '\\' ? 2 : 1;
    if (end < this.#text.length) {
      if (!this.#nameDue) return this.#whole(end + 1);
      this.#at = end + 1;
      this.#due = false;
      return true;
    }
    if (this.#nameDue) return false;
    // Half an escape, or half a character, is not shown.
    const half = /(?:\\(?:u[0-9A-Fa-f]{0,3})?|[\ud800-\udbff]|\\u[dD][89abAB][0-9A-Fa-f]{2}(?:\\(?:u[0-9A-Fa-f]{0,3})?)?)$/;
    const tail = this.#text.slice(Math.max(this.#at + 1, this.#text.length - 12));
    const cut = evenBackslashes(tail) ? tail.length : (half.exec(tail)?.index ?? tail.length);
    this.#shown = { end: this.#text.length - (tail.length - cut), closers: `"${this.#closers.toReversed().join('')}` };
    return false;
  }

  #begin(): true {
    this.#due = true;
    return true;
  }

  #whole(end: number): true {
    this.#at = end;
    this.#due = false;
    this.#shown = { end, closers: this.#closers.toReversed().join('') };
    return true;
  }
}

/** A run of backslashes at the end that are escaped in pairs. */
const evenBackslashes = (tail: string): boolean => {
  const run = /\\+$/.exec(tail)?.[0].length ?? 0;
  return run > 0 && run % 2 === 0;
};
