import { describe, expect, it } from 'vitest';
import {
  canonicalBytes,
  eventBytesMax,
  eventIdOf,
  readCapturedSegments,
  readEvent,
  sha256,
  type SpokenSegment,
  subjects,
  type TranscriptCapture,
  writeTranscript,
} from '../src/index.js';

const segment = (text: string): SpokenSegment => ({ speaker: 'Anna', startMs: 0, endMs: 900, text });
const capture = (segments: readonly SpokenSegment[], more: Partial<TranscriptCapture> = {}): TranscriptCapture => ({
  producer: 'studio',
  capture: 'talk-1',
  time: '2026-01-02T03:04:05.678Z',
  segments,
  ...more,
});
const subject = subjects.source({ kind: 'transcript', producer: 'studio', capture: 'talk-1' });
const objectOf = (root: string, bytes: Uint8Array) => {
  const hash = sha256(bytes);
  return { bucket: 'transcripts', name: `${root}.${hash}`, hash, bytes: bytes.byteLength };
};
const sourceOf = (event: { readonly subject: string; readonly bytes: Uint8Array }) => {
  const read = readEvent(event);
  if (read.kind !== 'event' || read.event.name !== 'sourceCaptured') throw new Error(read.kind);
  return read.event;
};

describe('the source event of a transcript', () => {
  it('has its segments in it, and their text as the text of the source', () => {
    const segments = [segment('the tide fell'), segment('at nine')];
    const written = writeTranscript(capture(segments, { language: 'en', glossary: ['Tidewater'], protectedTerms: [] }));
    if (written.kind !== 'inline') throw new Error(written.kind);
    const source = sourceOf(written.event);
    expect(source).toMatchObject({ subject, privacy: 'private', sourceClass: 'restricted-source' });
    expect(source.data.text).toBe('the tide fell\nat nine');
    expect(source.data.transcript).toEqual({ language: 'en', glossary: ['Tidewater'], protectedTerms: [], body: { segments } });
  });

  it.each([
    ['too long for the text of a source', Array.from({ length: 2_000 }, (_, index) => segment(`sentence number ${index} of a talk`))],
    ['too large for an event beside its own text', Array.from({ length: 7 }, () => segment('箱'.repeat(2_000)))],
  ])('names an object where it is %s, and cuts nothing', (_, segments) => {
    const written = writeTranscript(capture(segments));
    if (written.kind !== 'beside') throw new Error(written.kind);
    expect(written.root).toBe(eventIdOf(subject));
    expect(written.bytes).toEqual(canonicalBytes(segments));
    expect(readCapturedSegments(written.bytes)).toEqual(segments);
    const object = objectOf(written.root, written.bytes);
    const source = sourceOf(written.eventWith(object));
    expect(source.data.text).toBe(`A transcript of ${segments.length} segments, in the object store.`);
    expect(source.data.transcript).toEqual({ body: { object, segments: segments.length } });
  });

  it('is in the event up to its very last byte', () => {
    const kinds = new Map<string, number>();
    for (let characters = 1_900; characters < 2_300; characters += 1) {
      const written = writeTranscript(capture(Array.from({ length: 5 }, () => segment('箱'.repeat(characters)))));
      if (written.kind === 'inline') expect(written.event.bytes.byteLength).toBeLessThanOrEqual(eventBytesMax);
      kinds.set(written.kind, (kinds.get(written.kind) ?? 0) + 1);
    }
    expect([...kinds.keys()].sort()).toEqual(['beside', 'inline']);
  });

  it.each<[string, string, Partial<TranscriptCapture>]>([
    ['a segment that is no segment', 'event_invalid', { segments: [segment('')] }],
    ['no segment', 'event_invalid', { segments: [] }],
    ['half a surrogate pair', 'json_not_canonical', { segments: [segment(String.fromCharCode(0xd800))] }],
    ['terms that fill the event', 'event_too_large', { glossary: Array.from({ length: 1_000 }, (_, at) => `${at}`.padEnd(100, 'x')) }],
  ])('is refused for %s', (_, code, change) => {
    const write = () => {
      const written = writeTranscript(capture([segment('a')], change));
      return written.kind === 'inline' ? written.event : written.eventWith(objectOf(written.root, written.bytes));
    };
    expect(write).toThrow(expect.objectContaining({ code }));
  });
});

describe('an object of segments', () => {
  it.each<[string, unknown]>([
    ['no list', {}],
    ['an empty list', []],
    ['a segment with another member missing', [{ speaker: null, startMs: null, text: 'a' }]],
    ['a segment that is too long', [segment('a'.repeat(4_001))]],
  ])('is not read where it holds %s', (_, value) => {
    expect(readCapturedSegments(canonicalBytes(value))).toBeNull();
  });

  it.each(['', '[', '[1', '\ufeff[]'])('is not read where it holds %j', (text) => {
    expect(readCapturedSegments(new TextEncoder().encode(text))).toBeNull();
  });
});
