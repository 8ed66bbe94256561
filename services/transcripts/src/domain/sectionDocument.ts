import type { Applied } from '@emend/revision';
import { countOf } from './checks/protection.js';
import type { Correction } from './correction.js';
import { placeOf } from './place.js';
import type { Section } from './sections.js';

interface AppliedEdit {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

interface EditedSegment {
  /** As the stage found it: places refer to it, so that no edit moves another. */
  readonly before: string;
  readonly edits: readonly AppliedEdit[];
  readonly after: string;
}

/** The segments of one section in one stage, by their references, with what was applied. Immutable. */
export interface SectionDocument {
  readonly segments: ReadonlyMap<number, EditedSegment>;
  readonly protectedTerms: readonly string[];
}

export const sectionDocument = ({ segments }: Section, protectedTerms: readonly string[]): SectionDocument => ({
  segments: new Map(segments.map(({ ref, segment }) => [ref, { before: segment.text, edits: [], after: segment.text }])),
  protectedTerms,
});

/** Applies one correction, or says why not: first whether its place is there, then whether it is free, then what it takes away (A38). */
export function applyCorrection(document: SectionDocument, correction: Correction): Applied<SectionDocument> {
  const segment = document.segments.get(correction.segment);
  const place = segment && placeOf(segment.before, correction.original);
  if (segment === undefined || place?.kind !== 'found') return { kind: 'refused', reason: 'stale' };
  const edit = { start: place.start, end: place.end, replacement: correction.replacement };
  if (segment.edits.some((other) => other.start < edit.end && edit.start < other.end)) return { kind: 'refused', reason: 'conflict' };
  const edits = [...segment.edits, edit].toSorted((a, b) => a.start - b.start);
  const after = tidied(rendered(segment.before, edits));
  if (document.protectedTerms.some((term) => countOf(after, term) < countOf(segment.after, term)))
    return { kind: 'refused', reason: 'protected' };
  return {
    kind: 'applied',
    document: { ...document, segments: new Map(document.segments).set(correction.segment, { ...segment, edits, after }) },
  };
}

function rendered(before: string, edits: readonly AppliedEdit[]): string {
  let at = 0;
  let text = '';
  for (const { start, end, replacement } of edits) {
    text += before.slice(at, start) + replacement;
    at = end;
  }
  return text + before.slice(at);
}

/** What a deletion leaves behind: two blanks in a row, or one at an end. */
const tidied = (text: string): string => text.replaceAll(/ {2,}/g, ' ').trim();
