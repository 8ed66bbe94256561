import { type CapturedTranscript, sha256 } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { isOf, segmentsOf, transcriptToCorrect } from '../src/domain/capturedTranscript.js';
import { shortTalk, spoken } from './scene.js';

const data = (transcript?: CapturedTranscript) => ({
  producer: 'studio',
  capture: 't001',
  kind: 'transcript',
  text: '',
  ...(transcript && { transcript }),
});
const root = 'R'.repeat(22);
const hash = sha256('x');
const object = { bucket: 'transcripts', name: `${root}.${hash}`, hash, bytes: 1 };

describe('a captured source', () => {
  it('has its segments in it, beside it, or is no transcript', () => {
    expect(segmentsOf(data({ body: { segments: [...shortTalk] } }))).toEqual({ kind: 'inline', segments: shortTalk });
    expect(segmentsOf(data({ body: { object, segments: 7 } }))).toEqual({ kind: 'beside', object, count: 7 });
    expect(segmentsOf(data())).toBeNull();
  });

  it('becomes a transcript whose segments are named by their position', () => {
    const source = data({ language: 'en', glossary: ['Tidewater'], protectedTerms: ['NOAA'], body: { segments: [...shortTalk] } });
    expect(transcriptToCorrect(source, shortTalk)).toEqual({
      language: 'en',
      glossary: ['Tidewater'],
      protectedTerms: ['NOAA'],
      segments: shortTalk.map((segment, index) => ({ id: `s${index + 1}`, ...segment })),
    });
    expect(transcriptToCorrect(data({ body: { segments: [...shortTalk] } }), shortTalk)).toMatchObject({
      language: null,
      glossary: [],
      protectedTerms: [],
    });
  });

  it.each([
    ['a line break', spoken('the tide\n2: fell')],
    ['two blanks', spoken('the  tide')],
    ['a control character', spoken('the \u0007tide')],
    ['nothing but blanks', spoken(' ')],
    ['a speaker with blanks around the name', spoken('the tide', ' Anna')],
    ['an end before its start', { ...spoken('the tide'), startMs: 2, endMs: 1 }],
  ])('with %s in a segment is not shown to a model', (_, segment) => {
    expect(transcriptToCorrect(data(), [...shortTalk, segment])).toBeNull();
  });

  it('owns the objects of its own root and of no other', () => {
    expect(isOf(object, { rootId: root })).toBe(true);
    expect(isOf(object, { rootId: 'S'.repeat(22) })).toBe(false);
    expect(isOf({ ...object, bucket: 'others' }, { rootId: root })).toBe(false);
    expect(isOf({ ...object, hash: sha256('y') }, { rootId: root })).toBe(false);
  });
});
