import { parseStrictJson } from '@emend/contracts';
import type { Spoken } from '../segments.js';
import { checkSpoken } from './checkSpoken.js';
import type { LinesRead } from './cues.js';
import { faultAt, type ReadingFault } from './faults.js';

export interface WhisperXRead extends LinesRead {
  readonly language: string | null;
}

/** The JSON of WhisperX: `{language, segments: [{start, end, text, speaker}]}`, times in seconds. What else it says is not read. */
export function readWhisperX(text: string): WhisperXRead {
  const parsed = parseStrictJson(text);
  if (parsed.kind === 'refused') return { spoken: [], faults: [faultAt('not_json', 'the file')], language: null };
  const document = isObject(parsed.value) ? parsed.value : {};
  const segments = document['segments'];
  const language = typeof document['language'] === 'string' ? document['language'] : null;
  if (!Array.isArray(segments)) return { spoken: [], faults: [faultAt('segments_missing', 'the file')], language };
  const spoken: Spoken[] = [];
  const faults: ReadingFault[] = [];
  for (const [index, segment] of segments.entries()) {
    const one = segmentOf(segment, `segments[${index}]`);
    if (one.kind === 'spoken') spoken.push(one.spoken);
    else faults.push(one.fault);
  }
  return { spoken, faults, language };
}

function segmentOf(segment: unknown, place: string): ReturnType<typeof checkSpoken> {
  const fault = (member: string): ReturnType<typeof checkSpoken> => ({
    kind: 'fault',
    fault: faultAt('segment_invalid', `${place}${member}`),
  });
  if (!isObject(segment)) return fault('');
  const { start, end, text, speaker } = segment;
  if (typeof text !== 'string') return fault('.text');
  const [startMs, endMs] = [msOf(start), msOf(end)];
  if (startMs === undefined) return fault('.start');
  if (endMs === undefined) return fault('.end');
  return checkSpoken({ startMs, endMs, text, speaker: typeof speaker === 'string' ? speaker : null }, place);
}

/** Null where there is no time, undefined where it is none. */
function msOf(seconds: unknown): number | null | undefined {
  if (seconds === undefined || seconds === null) return null;
  const ms = typeof seconds === 'number' ? Math.round(seconds * 1_000) : Number.NaN;
  return Number.isSafeInteger(ms) && ms >= 0 ? ms : undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
