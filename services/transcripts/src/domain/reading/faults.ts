/** Why a place in a transcript file cannot be read; never reused for another meaning. */
export const readingFaults = {
  empty: 'a transcript with at least one segment',
  too_many_segments: 'at most 20000 segments',
  text_too_long: 'at most 4000 characters in one segment',
  text_unreadable: 'text without control characters',
  timing_missing: 'a line `start --> end` above the text',
  timing_invalid: 'two times such as 00:01:02,345 --> 00:01:05,000',
  ends_before_start: 'an end that is not before its start',
  cue_empty: 'text below the timing',
  header_missing: 'WEBVTT as the first word of the file',
  not_json: 'one JSON document',
  segments_missing: 'a list named segments',
  segment_invalid: 'start and end in seconds, and text',
} as const;

export type ReadingFaultCode = keyof typeof readingFaults;

/** One place that cannot be read: a line from 1, or a member such as `segments[3].start`. Never what stands there. */
export interface ReadingFault {
  readonly code: ReadingFaultCode;
  readonly place: string;
}

export const faultAt = (code: ReadingFaultCode, place: number | string): ReadingFault => ({
  code,
  place: typeof place === 'number' ? `line ${place}` : place,
});
