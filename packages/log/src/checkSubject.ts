import { LogError } from './errors.js';
import { SUBJECT_BYTES_MAX } from './limits.js';
import { isConcreteSubject, isSubjectPattern } from './subject.js';

/** What every client can spell: the broker itself would take more. */
const KEY = /^[-/=.\w]+$/;
const KEY_PATTERN = /^[-/=.>*\w]+$/;

/**
 * What goes into a question is checked here and not by whoever answers it: a broker cuts a line at a space, and a client
 * that was refused waits for an answer that never comes. The text is not repeated in the error: it may be anything.
 */
export function requirePlace(subject: string): void {
  if (!isConcreteSubject(subject)) throw invalid(`a subject of tokens without spaces or wildcards, at most ${SUBJECT_BYTES_MAX} bytes`);
}

/** A subject, or a pattern of subjects. */
export function requirePattern(pattern: string): void {
  if (!isSubjectPattern(pattern)) throw invalid('a subject, with `*` as a whole token or `>` as the last one');
}

/** A key of a bucket. */
export function requireKey(key: string): void {
  if (!isConcreteSubject(key) || !KEY.test(key)) throw invalid('a key of A-Z a-z 0-9 _ - / = with single dots between');
}

/** A key of a bucket, or a pattern of keys. */
export function requireKeyPattern(pattern: string): void {
  if (!isSubjectPattern(pattern) || !KEY_PATTERN.test(pattern)) throw invalid('a key, with `*` as a whole token or `>` as the last one');
}

function invalid(wanted: string): LogError {
  return new LogError('subject_invalid', `not valid, wanted is ${wanted}`);
}
