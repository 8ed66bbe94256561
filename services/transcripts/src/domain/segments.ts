/** One stretch of speech. Times in milliseconds from the start of the recording; null where the file has none. */
export interface Segment {
  /** Its identity in this transcript: `s1` for the first. */
  readonly id: string;
  readonly speaker: string | null;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly text: string;
}

/** UTF-16 code units of one segment's text. */
export const segmentTextMax = 4_000;
/** Segments of one transcript: about twenty hours of speech. */
export const segmentsMax = 20_000;
/** UTF-16 code units of a speaker's name. */
export const speakerMax = 64;

/** What a file says, before its segments have identities. */
export type Spoken = Omit<Segment, 'id'>;

/** Identities by position: the same file gives the same ones. */
export const identified = (spoken: readonly Spoken[]): readonly Segment[] =>
  spoken.map((segment, index) => ({ id: `s${index + 1}`, ...segment }));
