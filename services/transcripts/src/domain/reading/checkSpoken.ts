import { segmentTextMax, type Spoken, speakerMax } from '../segments.js';
import { faultAt, type ReadingFault } from './faults.js';

export type SpokenRead = { readonly kind: 'spoken'; readonly spoken: Spoken } | { readonly kind: 'fault'; readonly fault: ReadingFault };

const controlCharacter = /\p{Cc}/u;

/** The rules that hold for a segment of every format. White space is one blank; a speaker's name is cut to its bound. */
export function checkSpoken({ speaker, startMs, endMs, text }: Spoken, place: number | string): SpokenRead {
  const fault = (code: ReadingFault['code']): SpokenRead => ({ kind: 'fault', fault: faultAt(code, place) });
  const plain = text.replaceAll(/\s+/gu, ' ').trim();
  if (plain === '') return fault('cue_empty');
  if (controlCharacter.test(plain) || !plain.isWellFormed()) return fault('text_unreadable');
  if (plain.length > segmentTextMax) return fault('text_too_long');
  if (startMs !== null && endMs !== null && endMs < startMs) return fault('ends_before_start');
  const name = speaker?.trim().slice(0, speakerMax) ?? '';
  return { kind: 'spoken', spoken: { speaker: name === '' ? null : name, startMs, endMs, text: plain } };
}

/** `[SPEAKER_00]: text`, as WhisperX writes it where a format has no word for who speaks. */
export function speakerOf(text: string): { readonly speaker: string | null; readonly text: string } {
  const named = /^\[([^\]]{1,64})\]:?\s+(.*)$/su.exec(text.trim());
  return named ? { speaker: named[1] ?? null, text: named[2] ?? '' } : { speaker: null, text };
}
