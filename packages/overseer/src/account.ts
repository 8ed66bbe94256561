import { code, isWordCharacter } from './characters.js';
import type { Mark } from './edits.js';

/**
 * The accounting check: every letter and digit of the source is in the rewritten text, in order, and no other is. It knows four things that an
 * edit may do to letters: drop a remark, translate a Python literal, spell a control character, keep a stray backslash. It looks at the two texts
 * and not at what the scanner believed.
 */
export function accountsFor(source: string, offset: number, marks: readonly Mark[], rewritten: string): boolean {
  const theirs = new Letters(rewritten);
  const placeOf = (index: number): number => (marks[index]?.from ?? offset + source.length) - offset;
  let [index, marked] = [0, placeOf(0)];
  for (let at = 0; ; at += 1) {
    while (marked < at && index < marks.length) marked = placeOf((index += 1));
    at = theirs.along(source, at, marked);
    if (at >= source.length) return theirs.next() === -1;
    const mark = marked === at ? marks[index] : undefined;
    const c = source.charCodeAt(at);
    if (mark?.code === 'comment_removed' || mark?.code === 'python_literal') {
      for (const letter of mark.text) if (theirs.next() !== letter.charCodeAt(0)) return false;
      at = mark.to - offset - 1;
    } else if (c === code.backslash && mark?.code !== 'backslash_kept') at += escapeLength(source, at) - 1;
    else if (isWordCharacter(c) && theirs.next() !== c) return false;
  }
}

/** The letters and digits of a JSON text, one after the other; escapes are passed over. */
class Letters {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where `source` stops saying the same as this text, from `at` on: at a difference, before an escape, or at `end`. */
  along(source: string, at: number, end: number): number {
    let [theirs, ours] = [this.#at, at];
    for (; ours < end; ours += 1, theirs += 1) {
      const c = source.charCodeAt(ours);
      if (c === code.backslash || this.#text.charCodeAt(theirs) !== c) break;
    }
    this.#at = theirs;
    return ours;
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

const escapeLength = (text: string, at: number): number => (text.charCodeAt(at + 1) === 117 ? 6 : 2);
