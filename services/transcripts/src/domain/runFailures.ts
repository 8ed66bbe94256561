import { type DiagnosticClass, diagnosticClasses } from '@emend/contracts';
import { type FailureRow, modelFailedCodes, modelNotGeneratedCodes } from '@emend/model/decisions';

/** What ends a run of a transcript by a word of this service. */
export const ownFailures = {
  object_foreign: { class: 'configuration', sentence: 'The source names an object of another root, or of another bucket.' },
  object_missing: { class: 'configuration', sentence: 'The source names an object that is not in the object store.' },
  object_damaged: { class: 'configuration', sentence: 'The object is not the one that the source names, by its length or its hash.' },
  object_too_large: { class: 'too_large', sentence: 'The source names an object that is larger than one may be.' },
  object_unreadable: { class: 'configuration', sentence: 'The object is no list of segments, or of another count than the source says.' },
  segment_unusable: {
    class: 'configuration',
    sentence: 'A segment has white space or characters that no line of a prompt has, or ends before it starts.',
  },
  result_too_large: { class: 'too_large', sentence: 'What came of it is larger than an object may be.' },
  result_refused: { class: 'process', sentence: 'What came of it does not fit its own contract: a bug, or a text past its bound.' },
  work_threw: { class: 'process', sentence: 'The work threw: a bug.' },
  given_up: {
    class: 'abandoned',
    sentence: 'The process was stopped, and its drain ended before the work did. The next delivery makes the next attempt.',
  },
} as const satisfies Readonly<Record<string, FailureRow>>;

/** A reply that was cut off, refused, or a call of a tool: the word behind it is the class. */
const answerPrefix = 'answer_';

const rows: Readonly<Record<string, FailureRow>> = { ...modelNotGeneratedCodes, ...modelFailedCodes, ...ownFailures };
const isClass = (word: string): word is DiagnosticClass => (diagnosticClasses as readonly string[]).includes(word);

/**
 * The class of what ended a run: of a call of a stage, by the model's own table; of a reply that was no list of corrections, the
 * class that the contract gave it. A code that nobody knows is a bug of ours.
 */
export function classOfFailure(code: string): DiagnosticClass {
  const row = Object.hasOwn(rows, code) ? rows[code] : undefined;
  if (row !== undefined) return row.class;
  const word = code.startsWith(answerPrefix) ? code.slice(answerPrefix.length) : code;
  return isClass(word) ? word : 'process';
}
