import { describe, expect, it } from 'vitest';
import { formatOfName, readTranscript, type TranscriptFormat } from '../src/domain/reading/readTranscript.js';
import { segmentTextMax } from '../src/domain/segments.js';

const srt = `\uFEFF1\r\n00:00:01,000 --> 00:00:02,500\r\n[SPEAKER_00]: We met at\r\n<i>the north peer</i>\r\n\r\n2\r\n01:00:03.000 --> 01:00:04.000\r\nAt six.\r\n`;
const vtt = `WEBVTT - a title

NOTE
left out, --> and all

intro
00:01.000 --> 00:02.500 align:start
<v.loud Anna>We met at</v>
the north peer &amp; quay

01:00:03.000 --> 01:00:04.000
At six.
`;
const whisperx = JSON.stringify({
  language: 'en',
  segments: [
    { start: 1, end: 2.5, text: ' We met at the north peer', speaker: 'SPEAKER_00', words: [] },
    { start: 3603, end: 3604, text: 'At six.' },
  ],
});

const segments = (speaker: string | null, text: string) => [
  { id: 's1', speaker, startMs: 1_000, endMs: 2_500, text },
  { id: 's2', speaker: null, startMs: 3_603_000, endMs: 3_604_000, text: 'At six.' },
];

describe('reading a transcript', () => {
  it.each<[string, TranscriptFormat, string, unknown, string | null]>([
    ['SubRip', 'srt', srt, segments('SPEAKER_00', 'We met at the north peer'), null],
    ['WebVTT', 'vtt', vtt, segments('Anna', 'We met at the north peer & quay'), null],
    ['WhisperX', 'whisperx', whisperx, segments('SPEAKER_00', 'We met at the north peer'), 'en'],
    [
      'plain text',
      'text',
      '[Anna] We met.\n\n  At   six. \n',
      [
        { id: 's1', speaker: 'Anna', startMs: null, endMs: null, text: 'We met.' },
        { id: 's2', speaker: null, startMs: null, endMs: null, text: 'At six.' },
      ],
      null,
    ],
  ])('%s gives segments with identities', (_, format, text, expected, language) => {
    expect(readTranscript(text, format)).toEqual({ kind: 'read', segments: expected, language });
  });

  it.each<[string, TranscriptFormat, string, string]>([
    ['a broken time', 'srt', '1\n00:00:0x,000 --> 00:00:02,000\nx\n', 'timing_invalid at line 2'],
    ['three times', 'srt', '00:00:01,000 --> 00:00:02,000 --> 00:00:03,000\nx\n', 'timing_invalid at line 1'],
    ['an end before its start', 'srt', '1\n00:00:02,000 --> 00:00:01,000\nx\n', 'ends_before_start at line 2'],
    ['text without a timing', 'srt', '1\n00:00:01,000 --> 00:00:02,000\nx\n\nlost words\nmore\n', 'timing_missing at line 5'],
    ['a timing without text', 'vtt', 'WEBVTT\n\n00:01.000 --> 00:02.000\n\n', 'cue_empty at line 3'],
    ['no header', 'vtt', '00:01.000 --> 00:02.000\nx\n', 'header_missing at line 1'],
    ['a paragraph that is no cue', 'vtt', 'WEBVTT\n\ngarbage\nmore\n', 'timing_missing at line 3'],
    ['what is no JSON', 'whisperx', '{"segments": [', 'not_json at the file'],
    ['JSON without segments', 'whisperx', '{"words": []}', 'segments_missing at the file'],
    ['a segment without text', 'whisperx', '{"segments": [{"start": 0, "end": 1}]}', 'segment_invalid at segments[0].text'],
    ['a time that is none', 'whisperx', '{"segments": [{"start": "0", "end": 1, "text": "x"}]}', 'segment_invalid at segments[0].start'],
    ['a negative end', 'whisperx', '{"segments": [{"start": 0, "end": -1, "text": "x"}]}', 'segment_invalid at segments[0].end'],
    ['an empty file', 'text', ' \n\n', 'empty at the file'],
    ['a control character', 'text', 'fine\nno\u0007t\n', 'text_unreadable at line 2'],
    ['a segment too long', 'text', 'x'.repeat(segmentTextMax + 1), 'text_too_long at line 1'],
    ['too many segments', 'text', 'x\n'.repeat(20_001), 'too_many_segments at the file'],
  ])('refuses %s, with its place', (_, format, text, expected) => {
    const read = readTranscript(text, format);
    expect(read.kind === 'refused' && read.faults.map(({ code, place }) => `${code} at ${place}`)).toEqual([expected]);
  });

  it('names every bad line of a file, and reads none of it', () => {
    const read = readTranscript('1\nbad --> 00:00:01,000\nx\n\n2\n00:00:01,000 --> 00:00:02,000\ny\n\n3\nworse\nz\n', 'srt');
    expect(read).toMatchObject({ kind: 'refused', faults: [{ place: 'line 2' }, { place: 'line 9' }] });
  });

  it('tells a format by the end of a name', () => {
    expect(['a.JSON', 'b.srt', 'c.vtt', 'd.txt', 'e'].map(formatOfName)).toEqual(['whisperx', 'srt', 'vtt', 'text', 'text']);
  });
});
