import type { Segment } from './segments.js';

/** One segment as a model sees it: under a reference that means something in this one request only. */
export interface SectionSegment {
  readonly ref: number;
  readonly segment: Segment;
}

/** The part of a transcript that one request is about. */
export interface Section {
  /** From 1. */
  readonly number: number;
  readonly segments: readonly SectionSegment[];
}

export interface SectionLimits {
  readonly segmentsMax: number;
  /** UTF-16 code units of all texts together; a single longer segment is a section of its own. */
  readonly charactersMax: number;
}

export const sectionLimits: SectionLimits = { segmentsMax: 25, charactersMax: 6_000 };

/** Partitions a transcript, once for all stages (A11): in order, without a gap or an overlap. */
export function sectionsOf(
  segments: readonly Segment[],
  { segmentsMax, charactersMax }: SectionLimits = sectionLimits,
): readonly Section[] {
  const parts: Segment[][] = [];
  let characters = 0;
  for (const segment of segments) {
    const part = parts.at(-1);
    const fits = part !== undefined && part.length < segmentsMax && characters + segment.text.length <= charactersMax;
    if (fits) part.push(segment);
    else parts.push([segment]);
    characters = segment.text.length + (fits ? characters : 0);
  }
  return parts.map((part, index) => sectionOf(index + 1, part));
}

/** The references of a request count from 1 (A15). */
export const sectionOf = (number: number, segments: readonly Segment[]): Section => ({
  number,
  segments: segments.map((segment, index) => ({ ref: index + 1, segment })),
});

export const segmentAt = ({ segments }: Section, ref: number): Segment | undefined => segments.find((one) => one.ref === ref)?.segment;
