import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlainlySpelled, quotesOf, tooDeep } from '../src/events/spelling.js';
import { jsonDepthMax, parseStrictJson } from '../src/index.js';

const isPlain = (text: string): boolean =>
  isPlainlySpelled(new TextEncoder().encode(text), quotesOf(JSON.parse(text) as unknown, jsonDepthMax));

describe('a plain spelling', () => {
  it.each([
    ['{"b":[1,"x",{"c":null}],"a":0.5}', true],
    ['{ "a" : 1 }', true],
    ['{"a":1,"a":1}', false],
    ['{"a":1,"a" :2}', false],
    ['{"a":{"b":1},"a":{"b":1}}', false],
    ['{"__proto__":1,"a":2}', true],
    ['{"a":"\\"","b":"c"}', false],
    ['{"\\u0061":1}', false],
    ['[9007199254740991]', true],
    ['[9007199254740993]', false],
    ['[100000000000000000000]', false],
    ['[1e400]', false],
    ['"x"', true],
  ])('%s: %s', (text, plain) => {
    expect(isPlain(text)).toBe(plain);
  });

  it('is one that the strict reader takes too', () => {
    fc.assert(
      fc.property(jsonTexts, (text) => {
        fc.pre(isPlain(text));
        expect(parseStrictJson(text, jsonDepthMax).kind).toBe('parsed');
      }),
      { numRuns: 500 },
    );
  });

  it('is what most JSON has, so that the slow look is rare', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('\\') && !/[0-9]{16}|e\+/.test(text));
        expect(isPlain(text)).toBe(true);
      }),
    );
  });

  it('is not asked of what nests too deep, whatever else is in it', () => {
    const deep = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
    expect(quotesOf(deep(jsonDepthMax), jsonDepthMax)).toBe(0);
    expect(quotesOf([2 ** 60, deep(jsonDepthMax)], jsonDepthMax)).toBe(tooDeep);
  });
});

/** JSON as a careless writer might spell it: few names, so that they come twice, and numbers of any length. */
const jsonTexts = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('1', '-0', '1.5', '1e3', '12345678901234567890', '9007199254740993', '1e-7', 'true', 'null'),
    fc.constantFrom('"a"', '"\\u0061"', '"\\ud800"', '":"', '"\\""', '"é"'),
    tie('object'),
    tie('array'),
  ),
  object: fc
    .array(fc.tuple(fc.constantFrom('"a"', '"b"', '"\\u0061"', '"__proto__"'), fc.constantFrom(':', ' : '), tie('value')), { maxLength: 4 })
    .map((members) => `{${members.map((member) => member.join('')).join(',')}}`),
  array: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(', ')}]`),
})).value;
