import type { EventData, EventOf, ObjectRef, SpokenSegment } from '@emend/contracts';
import type { TranscriptToCorrect } from './correctedTranscript.js';
import { objectsBucket } from './objectsBucket.js';
import { checkSpoken } from './reading/checkSpoken.js';
import { identified } from './segments.js';

/** Where the segments of a captured source are. */
export type SegmentsOf =
  | { readonly kind: 'inline'; readonly segments: readonly SpokenSegment[] }
  | { readonly kind: 'beside'; readonly object: ObjectRef; readonly count: number };

/** Null where the source is no transcript. */
export function segmentsOf({ transcript }: EventData<'sourceCaptured'>): SegmentsOf | null {
  if (transcript === undefined) return null;
  const { body } = transcript;
  return 'object' in body ? { kind: 'beside', object: body.object, count: body.segments } : { kind: 'inline', segments: body.segments };
}

/** Whether an object is the source's own. Another root may be more private than this one, and is erased apart from it. */
export const isOf = ({ bucket, name, hash }: ObjectRef, { rootId }: Pick<EventOf<'sourceCaptured'>, 'rootId'>): boolean =>
  bucket === objectsBucket && name === `${rootId}.${hash}`;

/**
 * What the stages correct, or null where a segment is not as the reading of a file would leave it: white space is one blank, there is
 * no control character, and nothing ends before it starts. A producer in another language may not know; a prompt would show it as more
 * lines than one.
 */
export function transcriptToCorrect(
  { transcript }: EventData<'sourceCaptured'>,
  segments: readonly SpokenSegment[],
): TranscriptToCorrect | null {
  if (!segments.every(isPlainlySpoken)) return null;
  const { language, glossary, protectedTerms } = transcript ?? {};
  return {
    segments: identified(segments),
    glossary: glossary ?? [],
    protectedTerms: protectedTerms ?? [],
    language: language ?? null,
  };
}

function isPlainlySpoken(segment: SpokenSegment, index: number): boolean {
  const read = checkSpoken(segment, index);
  return read.kind === 'spoken' && read.spoken.text === segment.text && read.spoken.speaker === segment.speaker;
}
