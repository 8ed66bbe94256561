import { SUBJECT_BYTES_MAX } from './limits.js';

/** Tokens of visible ASCII, one dot between two. One expression for all: this runs for every append. */
const TOKENS = /^[!-\-/-~]+(?:\.[!-\-/-~]+)*$/;

/** True for a subject that names one place: no empty token, no space, no wildcard. */
export function isConcreteSubject(subject: string): boolean {
  return isTokens(subject) && !/[*>]/.test(subject);
}

/** True for a subject or a pattern: `*` as a whole token, `>` as the last one. */
export function isSubjectPattern(pattern: string): boolean {
  if (!isTokens(pattern)) return false;
  const tokens = pattern.split('.');
  return tokens.every((token, i) => !/[*>]/.test(token) || token === '*' || (token === '>' && i === tokens.length - 1));
}

/** Whether a concrete subject falls under a pattern. */
export function matchesSubject(pattern: string, subject: string): boolean {
  const wanted = pattern.split('.');
  const given = subject.split('.');
  for (const [i, token] of wanted.entries()) {
    if (token === '>') return given.length > i;
    if (given.length <= i || (token !== '*' && token !== given[i])) return false;
  }
  return wanted.length === given.length;
}

function isTokens(subject: string): boolean {
  return subject.length <= SUBJECT_BYTES_MAX && TOKENS.test(subject);
}
