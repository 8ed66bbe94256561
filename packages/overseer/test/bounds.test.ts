import { createHash } from 'node:crypto';
import type { JsonObject } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { Chance } from '../../../test/support/faulty/chance.js';
import { makeDocument } from '../../../test/support/faulty/documents.js';
import { makeSpecimen } from '../../../test/support/faulty/specimens.js';
import { type Decoded, decode, decoder, defaultLimits } from '../src/index.js';
import { fieldCases, rawOf } from './field.js';

const text = { type: 'string' } as const;
const open: JsonObject = { type: 'object', properties: { a: text, b: { type: 'array', items: text }, c: {} } };
const list: JsonObject = { type: 'array' };

/** What hostile texts are made of: one of these, over and over. */
const units = [
  '[',
  ']',
  '{',
  '}',
  '"',
  '\\',
  "'",
  '“',
  '”',
  '„',
  ':',
  ',',
  '：',
  '，',
  '/',
  '#',
  '\n',
  ' ',
  '\u200b',
  '-',
  '箱',
  '🌊',
  '\ud83c',
  '[]',
  '{}',
  '[1]',
  '{a}',
  '{"a":1} ',
  '{"a":',
  '["',
  '[1,',
  '{"a":"',
  '",',
  '":',
  '" "',
  '" , "',
  '\\"',
  '"b"c ',
  '{"a":"x","a":"y",',
  '/*',
  '//',
  '//"',
  '"//',
  ' /*x*/ ',
  '<think>',
  '</think>',
  '<a',
  '```',
  '```json\n',
  '<|a|>',
  '<|channel|>final<|message|>',
  '&quot;',
  '{\\"a\\":',
  '+1',
  '1',
  'tru',
  'true ',
  'None,',
  'a ',
  '"„" ',
  '“"',
  '\\u',
  '\\u00',
  '\\x',
  "it's ",
  '"\n',
  '\n\n"',
  'json ',
] as const;
const frames = [
  ['', ''],
  ['{"a":"', '"}'],
  ['{"b":["', '"]}'],
  ['{"a":', ' }'],
  ['[', ']'],
  ['{"a":"x",', '}'],
  ['Text: ', '{"a":"x"}'],
  ['{"a":"x"}', '}'],
] as const;

/** `unit` in `frame`, of exactly `bytes` or just less. */
function hostile(unit: string, [before, after]: readonly [string, string], bytes: number): string {
  const room = bytes - Buffer.byteLength(before + after);
  return before + unit.repeat(Math.floor(room / Buffer.byteLength(unit))) + after;
}

const mostSteps = ({ bytes }: Decoded): number => defaultLimits.stepsPerByte * bytes + 1_000;

describe('hostile texts', () => {
  it.each(units)('%j, over and over: never a throw, and the steps are bounded by the bytes', (unit) => {
    for (const frame of frames) {
      for (const [schema, bytes] of [
        [open, 65_536],
        [list, 8_192],
        [open, 65_540],
      ] as const) {
        const decoded = decode(hostile(unit, frame, bytes), { schema, finishReason: 'stop' });
        expect(decoded.steps).toBeLessThanOrEqual(mostSteps(decoded));
        if (decoded.bytes > 65_536) expect(decoded.status).toBe('too_large');
      }
    }
  });

  it('a text of the size of the limit that needs one edit at its end is read', () => {
    const exactly = `{"a":"${'x'.repeat(65_536 - 9)}",}`;
    expect(decode(exactly, { schema: open, finishReason: 'stop' })).toMatchObject({ status: 'repaired', bytes: 65_536 });
    expect(decode(` ${exactly}`, { schema: open, finishReason: 'stop' })).toMatchObject({ status: 'too_large' });
  });
});

describe('a cut text', () => {
  const documents = Array.from({ length: 200 }, (_, seed) => makeDocument(new Chance(seed), 200 + 9 * seed));

  it('there are 200 documents of at most 2 KiB', () => {
    expect(documents).toHaveLength(200);
    expect(Math.max(...documents.map((one) => Buffer.byteLength(one.text)))).toBeLessThanOrEqual(2_048);
  });

  it.each(['length', undefined])('after %s, no cut of any document is accepted', (finishReason) => {
    let cuts = 0;
    for (const document of documents) {
      const { decode: read } = decoder({ schema: document.schema });
      for (let at = 0; at < document.text.length; at += 1) {
        cuts += 1;
        const { status } = read(document.text.slice(0, at), finishReason);
        if (status === 'exact' || status === 'repaired') expect([document.text.slice(0, at), status]).toBe('no value');
      }
    }
    expect(cuts).toBeGreaterThan(90_000);
  });

  it('after a clean stop, no cut is closed: a value comes only from a document that is whole', () => {
    for (const document of documents.slice(0, 40)) {
      const { decode: read } = decoder({ schema: document.schema });
      for (let at = 0; at < document.text.length; at += 1) {
        const { status } = read(document.text.slice(0, at), 'stop');
        if (status === 'exact' || status === 'repaired') expect([document.text.slice(0, at), status]).toBe('no value');
      }
    }
  });
});

describe('the same text', () => {
  const specimens = [
    ...fieldCases.filter((one) => rawOf(one).length < 200).map((one) => ({ text: rawOf(one), schema: one.schema })),
    ...Array.from({ length: 10 }, (_, at) => makeSpecimen(500_000 + at, 300)),
  ];
  const hashOf = (decoded: readonly Decoded[]): string => createHash('sha256').update(JSON.stringify(decoded)).digest('hex');

  it('read a thousand times gives one hash', () => {
    const decoders = specimens.map(({ text: raw, schema }) => ({ raw, one: decoder({ schema }) }));
    const hashes = new Set(Array.from({ length: 1_000 }, () => hashOf(decoders.map(({ raw, one }) => one.decode(raw, 'stop')))));
    expect(hashes.size).toBe(1);
    // A hundred thousand texts take their time on a busy machine.
  }, 300_000);
});
