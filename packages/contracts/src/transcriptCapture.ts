import { canonicalBytes } from './canonical.js';
import { ContractsError } from './errors.js';
import { sourceTextMax } from './events/data.js';
import { type EncodedEvent, encodeEvent } from './events/write.js';
import { eventIdOf } from './identities.js';
import { subjects } from './places.js';
import type { Privacy, SourceClass } from './privacy.js';
import { parseStrictJson } from './strictJson.js';
import {
  type CapturedTranscript,
  capturedObjectBytesMax,
  type ObjectRef,
  type SpokenSegment,
  spokenSegmentsSchema,
} from './transcripts.js';

/** The kind of a source that is a transcript: a token of its place. */
export const transcriptKind = 'transcript';

/** A transcript as a producer has it. Without a word of privacy: `private` and `restricted-source`. */
export interface TranscriptCapture extends Omit<CapturedTranscript, 'body'> {
  readonly producer: string;
  readonly capture: string;
  /** ISO 8601 with milliseconds and Z. */
  readonly time: string;
  readonly privacy?: Privacy;
  readonly sourceClass?: SourceClass;
  readonly segments: readonly SpokenSegment[];
}

export type TranscriptWritten =
  | { readonly kind: 'inline'; readonly event: EncodedEvent }
  /** The segments are stored first, under this root; what is stored is named in the event. */
  | { readonly kind: 'beside'; readonly root: string; readonly bytes: Uint8Array; readonly eventWith: (object: ObjectRef) => EncodedEvent };

/**
 * The source event of a transcript: with its segments where they have room in it, else with the object that holds them.
 * @throws ContractsError `event_invalid`, `event_too_large` (the terms, or more than 32 MiB of segments), `json_not_canonical`
 */
export function writeTranscript(capture: TranscriptCapture): TranscriptWritten {
  const text = capture.segments.map((segment) => segment.text).join('\n');
  const inline = text.length > sourceTextMax ? null : orTooLarge(() => eventOf(capture, text, { segments: [...capture.segments] }));
  if (inline !== null) return { kind: 'inline', event: inline };
  const bytes = canonicalBytes(capture.segments);
  if (bytes.byteLength > capturedObjectBytesMax)
    throw new ContractsError('event_too_large', `at most ${capturedObjectBytesMax} bytes of segments`);
  const { length } = capture.segments;
  return {
    kind: 'beside',
    root: eventIdOf(subjects.source({ ...capture, kind: transcriptKind })),
    bytes,
    eventWith: (object) => eventOf(capture, `A transcript of ${length} segments, in the object store.`, { object, segments: length }),
  };
}

function eventOf(capture: TranscriptCapture, text: string, body: CapturedTranscript['body']): EncodedEvent {
  const { producer, capture: id, time, language, glossary, protectedTerms, privacy, sourceClass } = capture;
  return encodeEvent({
    name: 'sourceCaptured',
    source: producer,
    time,
    privacy: privacy ?? 'private',
    sourceClass: sourceClass ?? 'restricted-source',
    data: {
      producer,
      capture: id,
      kind: transcriptKind,
      text,
      transcript: {
        ...(language === undefined ? {} : { language }),
        ...(glossary === undefined ? {} : { glossary }),
        ...(protectedTerms === undefined ? {} : { protectedTerms }),
        body,
      },
    },
  });
}

function orTooLarge(encode: () => EncodedEvent): EncodedEvent | null {
  try {
    return encode();
  } catch (error) {
    if (error instanceof ContractsError && error.code === 'event_too_large') return null;
    throw error;
  }
}

/** The segments that an object holds; null where it holds anything else. */
export function readCapturedSegments(bytes: Uint8Array): readonly SpokenSegment[] | null {
  const parsed = parseStrictJson(new TextDecoder().decode(bytes));
  const read = parsed.kind === 'parsed' ? spokenSegmentsSchema.safeParse(parsed.value) : null;
  return read?.success ? read.data : null;
}
