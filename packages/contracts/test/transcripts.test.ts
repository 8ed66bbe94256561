import { describe, expect, it } from 'vitest';
import {
  type CapturedTranscript,
  compileContract,
  encodeEvent,
  readEvent,
  segmentsMax,
  termsMax,
  transcriptCorrection,
  transcriptOutputSchema,
} from '../src/index.js';
import { capturedBeside, capturedInline, correctedBeside, correctedInline, drafts, transcriptCaptured } from './controls.js';

const contract = compileContract(transcriptCorrection);
const segment = { speaker: null, startMs: 0, endMs: 10, text: 'a' };
const object = 'object' in capturedBeside.body ? capturedBeside.body.object : null;

const readWith = (transcript: unknown) => {
  const { subject, bytes } = encodeEvent(transcriptCaptured);
  const body = JSON.parse(new TextDecoder().decode(bytes)) as { data: object };
  return readEvent({ subject, bytes: new TextEncoder().encode(JSON.stringify({ ...body, data: { ...body.data, transcript } })) });
};

describe('a source that is a transcript', () => {
  it.each([
    ['in the event', capturedInline],
    ['beside it', capturedBeside],
    ['without a language or terms', { body: { segments: [segment] } }],
  ] as const)('keeps its segments %s', (_, transcript) => {
    const draft = { ...transcriptCaptured, data: { ...transcriptCaptured.data, transcript: transcript as CapturedTranscript } };
    expect(readEvent(encodeEvent(draft))).toMatchObject({ kind: 'event', event: { data: { transcript } } });
  });

  it('is a source like any other to a reader that does not know the member: the bytes are those of the rest', () => {
    const { transcript: _, ...plain } = transcriptCaptured.data;
    const text = new TextDecoder().decode(encodeEvent(transcriptCaptured).bytes);
    const without = new TextDecoder().decode(encodeEvent({ ...transcriptCaptured, data: plain }).bytes);
    expect(JSON.parse(text)).toEqual({ ...JSON.parse(without), data: { ...plain, transcript: capturedInline } });
    expect(readEvent(encodeEvent(drafts.sourceCaptured))).toMatchObject({ event: { data: drafts.sourceCaptured.data } });
  });

  it.each<[string, unknown]>([
    ['no body', {}],
    ['no segment', { body: { segments: [] } }],
    ['too many segments', { body: { object, segments: segmentsMax + 1 } }],
    ['a segment without words', { body: { segments: [{ ...segment, text: '' }] } }],
    ['a segment that is too long', { body: { segments: [{ ...segment, text: 'a'.repeat(4_001) }] } }],
    ['a time before the start', { body: { segments: [{ ...segment, startMs: -1 }] } }],
    ['half a millisecond', { body: { segments: [{ ...segment, endMs: 0.5 }] } }],
    ['a speaker without a name', { body: { segments: [{ ...segment, speaker: '' }] } }],
    ['an object without a hash', { body: { object: { ...object, hash: undefined }, segments: 1 } }],
    ['an object under a name of another kind', { body: { object: { ...object, name: '../x' }, segments: 1 } }],
    ['an empty term', { ...capturedInline, glossary: [''] }],
    ['too many terms', { ...capturedInline, protectedTerms: Array.from({ length: termsMax + 1 }, (_, index) => `t${index}`) }],
    ['a language that is none', { ...capturedInline, language: 'x'.repeat(36) }],
    ['null', null],
  ])('is void with %s', (_, transcript) => {
    expect(readWith(transcript)).toEqual({ kind: 'void', code: 'data_invalid' });
  });
});

describe('transcript-correction@1', () => {
  const both = [
    ['in the event', correctedInline],
    ['beside it', correctedBeside],
  ] as const;

  it.each(both)('passes a result %s, and the reader reads the same', (_, output) => {
    expect(contract.check(output)).toMatchObject({ kind: 'valid' });
    expect(transcriptOutputSchema.parse(output)).toEqual(output);
  });

  const members = both.flatMap(([where, output]) => leaves(output).map((path) => [path.join('.'), where, output, path] as const));
  it.each(members)('the contract and the reader refuse another type at %s, %s', (_, _where, output, path) => {
    const wrong = at(structuredClone(output), path);
    expect(contract.check(wrong).kind).toBe('invalid');
    expect(transcriptOutputSchema.safeParse(wrong).success).toBe(false);
  });

  it('takes no member of another name, and so no text beside the report', () => {
    expect(contract.check({ ...correctedInline, note: 'x' }).kind).toBe('invalid');
    expect(contract.check({ ...correctedInline, report: { ...correctedInline.report, explanation: 'x' } }).kind).toBe('invalid');
  });
});

type Path = readonly (string | number)[];

/** The way to every value of a document that has no members. */
function leaves(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, Array.isArray(value) ? Number(name) : name]));
}

/** The document with a list of lists there: no member of ours is one. */
function at(document: unknown, path: Path): unknown {
  const [name = '', ...rest] = path;
  const members = document as Record<string | number, unknown>;
  members[name] = rest.length === 0 ? [[]] : at(members[name], rest);
  return document;
}
