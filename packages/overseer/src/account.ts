import { code, isWordCharacter } from './characters.js';
import type { Mark } from './edits.js';

/**
 * The accounting check: every letter and digit of the source is in the rewritten text, in order, and no other is. It knows four things that an
 * edit may do to letters: drop a remark, translate a Python literal, spell a control character, keep a stray backslash. It looks at the two texts
 * and not at what the scanner believed.
 */
export function accountsFor(source: string, offset: number, marks: readonly Mark[], rewritten: string): boolean {
  const theirs = new Letters(rewritten);
  let markAt = 0;
  for (let at = 0; at < source.length; at += 1) {
    while ((marks[markAt]?.from ?? Infinity) < at + offset) markAt += 1;
    const c = source.charCodeAt(at);
    const mark = marks[markAt]?.from === at + offset ? marks[markAt] : undefined;
    if (mark?.code === 'comment_removed' || mark?.code === 'python_literal') {
      for (const letter of mark.text) if (theirs.next() !== letter.charCodeAt(0)) return false;
      at = mark.to - offset - 1;
    } else if (c === code.backslash && mark?.code !== 'backslash_kept') at += escapeLength(source, at) - 1;
    else if (isWordCharacter(c) && theirs.next() !== c) return false;
  }
  return theirs.next() === -1;
}

/** The letters and digits of a JSON text, one after the other; escapes are passed over. */
class Letters {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next one, or -1 at the end. */
  next(): number {
    while (this.#at < this.#text.length) {
      const c = this.#text.charCodeAt(this.#at);
      this.#at += c === code.backslash ? escapeLength(this.#text, this.#at) : 1;
      if (c !== code.backslash && isWordCharacter(c)) return c;
    }
    return -1;
  }
}

const escapeLength = (text: string, at: number): number => (text.charAt(at + 1) === 'u' ? 6 : 2);
