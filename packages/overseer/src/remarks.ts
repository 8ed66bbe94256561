import { code, isInvisible, isSpace } from './characters.js';

/** Characters of a remark that lookahead passes over. */
const remarkMax = 256;

/** The end of the remark that begins at `at`, -1 where none begins, and the length of the text where it has no end. */
export function endOfRemark(text: string, at: number): number {
  const first = text.charCodeAt(at);
  const second = text.charCodeAt(at + 1);
  if (first === code.slash && second === code.star) {
    const end = text.indexOf('*/', at + 2);
    return end === -1 ? text.length : end + 2;
  }
  if (first !== code.hash && !(first === code.slash && second === code.slash)) return -1;
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

/** Where the blank and the short remarks from `at` on end. */
export function endOfBlank(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const c = text.charCodeAt(at);
    if (isSpace(c) || isInvisible(c)) at += 1;
    else if (c === code.slash || c === code.hash) {
      const end = endOfRemark(text.slice(at, at + remarkMax), 0);
      if (end === -1 || end === remarkMax) return at;
      at += end;
    } else return at;
  }
  return at;
}

const plainWords = /^[\p{L}\s.,;!?()'*/#-]*$/u;
const omission =
  /\.\.|…|\b(more|rest|remaining|remainder|etc|omit\w*|truncat\w*|same|contin\w*|others?|additional|similar|repeat\w*|snip\w*|abbreviat\w*|shorten\w*|skip\w*|elided|likewise|so on|and on|until|left|further|add|fill|your|here|previous|above|below|unchanged|existing|items?|rows?|entries)\b/i;

/**
 * Whether a remark says nothing that could be data. Names, digits, quotes and brackets could, and so could a word that stands for members
 * left out.
 */
export const isPureRemark = (remark: string): boolean => remark.length <= remarkMax && plainWords.test(remark) && !omission.test(remark);
