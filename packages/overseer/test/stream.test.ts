import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decoder } from '../src/index.js';
import { fieldCases, rawOf } from './field.js';

const schema = { type: 'object', properties: { title: { type: 'string' }, tags: { type: 'array', items: { type: 'string' } } } } as const;
const samples = fieldCases.filter((one) => rawOf(one).length <= 300);

describe('an answer in pieces', () => {
  it.each(samples.map((one) => [one.id, one] as const))('%s: cut in two anywhere, the end is the same', (_, one) => {
    const whole = decoder({ schema: one.schema });
    const text = rawOf(one);
    const expected = whole.decode(text, one.finish_reason);
    for (let at = 0; at <= text.length; at += 1) {
      const stream = whole.stream();
      stream.push(text.slice(0, at));
      stream.push(text.slice(at));
      expect(stream.end(one.finish_reason)).toEqual(expected);
    }
  });

  it('cut anywhere, as text or as bytes, the end is the same', () => {
    const chunked = fc.record({
      one: fc.constantFrom(...samples),
      sizes: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      bytes: fc.boolean(),
    });
    fc.assert(
      fc.property(chunked, ({ one, sizes, bytes }) => {
        const whole = decoder({ schema: one.schema });
        const stream = whole.stream();
        const source = bytes ? new TextEncoder().encode(rawOf(one)) : rawOf(one);
        for (let at = 0, turn = 0; at < source.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 1;
          stream.push(source.slice(at, at + size));
          stream.partial();
          at += size;
        }
        expect(stream.end(one.finish_reason)).toEqual(whole.decode(rawOf(one), one.finish_reason));
      }),
    );
  });

  it('past the limit only the count goes on, and a half character is counted as one', () => {
    const small = decoder({ schema, limits: { bytesMax: 10 } });
    const text = `{"title":"${'🌊'.repeat(9)}"}`;
    for (const finishReason of ['stop', 'length', 'refusal', 'tool_calls', undefined]) {
      const stream = small.stream();
      for (const half of text.split('')) stream.push(half);
      expect(stream.partial()).toEqual({ final: false, bytes: Buffer.byteLength(text) });
      expect(stream.end(finishReason)).toEqual(small.decode(text, finishReason));
    }
  });

  it('bytes that are no UTF-8 are refused, never replaced', () => {
    const stream = decoder({ schema }).stream();
    stream.push(new Uint8Array([0x7b, 0xff, 0x7d]));
    expect(stream.end('stop')).toMatchObject({ status: 'invalid', class: 'invalid_json', fault: 'not_utf8' });
    const cut = decoder({ schema }).stream();
    cut.push(new Uint8Array([0x22, 0xe7]));
    expect(cut.end('stop')).toMatchObject({ status: 'invalid', fault: 'not_utf8' });
  });
});

describe('what can be shown of an answer that is coming', () => {
  const shown = (text: string): unknown => {
    const stream = decoder({ schema }).stream();
    stream.push(text);
    const partial = stream.partial();
    expect(partial.final).toBe(false);
    return partial.value;
  };

  it.each([
    ['', undefined],
    ['Here you go: ', undefined],
    ['{', {}],
    ['{"ti', {}],
    ['{"title"', {}],
    ['{"title":', {}],
    ['{"title":"', { title: '' }],
    ['{"title":"low ti', { title: 'low ti' }],
    ['{"title":"a\\', { title: 'a' }],
    ['{"title":"a\\\\', { title: 'a\\' }],
    ['{"title":"a\\u00', { title: 'a' }],
    ['{"title":"a\\ud83c', { title: 'a' }],
    ['{"title":"a\\ud83c\\udf', { title: 'a' }],
    ['{"title":"a\ud83c', { title: 'a' }],
    ['{"title":"a","tags":["x","y', { title: 'a', tags: ['x', 'y'] }],
    ['{"n":12', {}],
    ['{"n":12,', { n: 12 }],
    ['{"n":tru', {}],
    ['{"n":true}', { n: true }],
    ['```json\n{"n":[1,2', { n: [1] }],
    ['<think>maybe {"n":1}', undefined],
    ['<think>maybe {"n":1}</think>{"n":2,', { n: 2 }],
    ['{"n":1 "m"', { n: 1 }],
    ['{"n":1 "m":2', { n: 1 }],
    ['{"n":1,"m" 2', { n: 1 }],
  ])('of %j is %j', (text, value) => {
    expect(shown(text)).toEqual(value);
  });

  it('is never more than the whole says: every prefix of a valid document shows a part of it', () => {
    fc.assert(
      fc.property(fc.object({ maxDepth: 3 }), (value) => {
        const text = JSON.stringify(value);
        for (let at = 0; at <= text.length; at += 1) expect(isPartOf(shown(text.slice(0, at)), JSON.parse(text))).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

function isPartOf(part: unknown, whole: unknown): boolean {
  if (part === undefined) return true;
  if (typeof part === 'string') return typeof whole === 'string' && whole.startsWith(part);
  if (typeof part !== 'object' || part === null) return part === whole;
  if (typeof whole !== 'object' || whole === null || Array.isArray(part) !== Array.isArray(whole)) return false;
  return Object.entries(part).every(
    ([name, child]) => Object.hasOwn(whole, name) && isPartOf(child, (whole as Record<string, unknown>)[name]),
  );
}
