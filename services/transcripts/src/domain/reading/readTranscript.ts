import { identified, type Segment, segmentsMax, type Spoken } from '../segments.js';
import { checkSpoken, speakerOf } from './checkSpoken.js';
import { type LinesRead, readSrt, readVtt } from './cues.js';
import { faultAt, type ReadingFault } from './faults.js';
import { readWhisperX } from './whisperx.js';

export const transcriptFormats = ['whisperx', 'srt', 'vtt', 'text'] as const;
export type TranscriptFormat = (typeof transcriptFormats)[number];

export type TranscriptRead =
  | { readonly kind: 'read'; readonly segments: readonly Segment[]; readonly language: string | null }
  /** Every place that cannot be read. Nothing is left out in silence: a transcript is read whole or not at all. */
  | { readonly kind: 'refused'; readonly faults: readonly ReadingFault[] };

/** By the end of a file's name; a name that says nothing is plain text. */
export function formatOfName(name: string): TranscriptFormat {
  const ending = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase();
  return ending === 'json' ? 'whisperx' : ending === 'srt' || ending === 'vtt' ? ending : 'text';
}

/** Reads a transcript of one of the four formats, with the place of each fault. Pure. */
export function readTranscript(text: string, format: TranscriptFormat): TranscriptRead {
  const read = readers[format](text);
  const faults = [
    ...read.faults,
    ...(read.spoken.length > segmentsMax ? [faultAt('too_many_segments', 'the file')] : []),
    ...(read.spoken.length + read.faults.length === 0 ? [faultAt('empty', 'the file')] : []),
  ];
  if (faults.length > 0) return { kind: 'refused', faults };
  return { kind: 'read', segments: identified(read.spoken), language: read.language ?? null };
}

const readers: Readonly<Record<TranscriptFormat, (text: string) => LinesRead & { readonly language?: string | null }>> = {
  whisperx: readWhisperX,
  srt: readSrt,
  vtt: readVtt,
  text: readPlain,
};

/** One segment a line; empty lines are read past. */
function readPlain(text: string): LinesRead {
  const spoken: Spoken[] = [];
  const faults: ReadingFault[] = [];
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const one = checkSpoken({ ...speakerOf(line), startMs: null, endMs: null }, index + 1);
    if (one.kind === 'spoken') spoken.push(one.spoken);
    else faults.push(one.fault);
  }
  return { spoken, faults };
}
