import type { Applied } from './application.js';
import { RevisionError } from './errors.js';
import { locateSpan, type Span } from './span.js';

/** Replaces the one place in the text named `target` that reads `original`. An empty replacement deletes it. */
export interface SpanEdit {
  readonly target: string;
  readonly original: string;
  readonly replacement: string;
}

interface AppliedSpan extends Span {
  readonly replacement: string;
}

interface EditedText {
  /** As it was before any edit; spans refer to it, so that no edit moves another. */
  readonly before: string;
  /** Without overlaps, in the order of the text. */
  readonly edits: readonly AppliedSpan[];
  readonly after: string;
}

/** Named texts with the edits that were applied to them. Immutable. */
export interface SpanDocument {
  readonly texts: ReadonlyMap<string, EditedText>;
  readonly protectedTerms: readonly RegExp[];
}

/**
 * @param texts by target
 * @param protectedTerms spellings that no edit may remove, matched as whole words and exactly as written
 * @throws RevisionError `protected_term_empty`
 */
export function spanDocument(texts: Readonly<Record<string, string>>, protectedTerms: readonly string[] = []): SpanDocument {
  return {
    texts: new Map(Object.entries(texts).map(([target, text]) => [target, { before: text, edits: [], after: text }])),
    protectedTerms: protectedTerms.map(wholeTerm),
  };
}

/** The texts as they read now, by target. */
export const textsOf = ({ texts }: SpanDocument): ReadonlyMap<string, string> =>
  new Map([...texts].map(([target, { after }]) => [target, after]));

/** Applies one edit, or says why not: first whether its place is there, then whether it is free, then whether it is protected. */
export function applySpan(document: SpanDocument, edit: SpanEdit): Applied<SpanDocument> {
  const text = document.texts.get(edit.target);
  if (text === undefined) return { kind: 'refused', reason: 'stale' };
  const place = locateSpan(text.before, edit.original);
  if (place.kind !== 'found') return { kind: 'refused', reason: 'stale' };
  const span = { start: place.start, end: place.end, replacement: edit.replacement };
  if (text.edits.some((other) => overlap(other, span))) return { kind: 'refused', reason: 'conflict' };
  const edits = [...text.edits, span].toSorted((a, b) => a.start - b.start);
  const after = rendered(text.before, edits);
  if (document.protectedTerms.some((term) => countOf(term, after) < countOf(term, text.after)))
    return { kind: 'refused', reason: 'protected' };
  const texts = new Map(document.texts).set(edit.target, { before: text.before, edits, after });
  return { kind: 'applied', document: { ...document, texts } };
}

const overlap = (a: Span, b: Span): boolean => a.start < b.end && b.start < a.end;

function rendered(before: string, edits: readonly AppliedSpan[]): string {
  let at = 0;
  let text = '';
  for (const { start, end, replacement } of edits) {
    text += before.slice(at, start) + replacement;
    at = end;
  }
  return text + before.slice(at);
}

const countOf = (term: RegExp, text: string): number => text.match(term)?.length ?? 0;

/** Letters and digits beside a term make it another word; beside a sign they do not. */
function wholeTerm(term: string): RegExp {
  if (term === '') throw new RevisionError('protected_term_empty', 'at least one character in a protected term');
  const literal = term.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  const before = /^[\p{L}\p{N}]/u.test(term) ? '(?<![\\p{L}\\p{N}])' : '';
  const after = /[\p{L}\p{N}]$/u.test(term) ? '(?![\\p{L}\\p{N}])' : '';
  return new RegExp(`${before}${literal}${after}`, 'gu');
}
