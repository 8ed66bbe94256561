import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalText, outputDepthMax, parseStrictJson, type StrictJson } from '../src/index.js';

const parsed = (value: unknown) => ({ kind: 'parsed', value });
const refused = (code: string) => ({ kind: 'refused', code });
const nested = (levels: number, inner = ''): string => '['.repeat(levels) + inner + ']'.repeat(levels);

/** JSON values without an integer past 2^53. */
const safeValue = fc
  .jsonValue({ maxDepth: 6, stringUnit: 'grapheme' })
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown)
  .filter((value) => numbersIn(value).every((number) => !Number.isInteger(number) || Number.isSafeInteger(number)));

function numbersIn(value: unknown): readonly number[] {
  const numbers: number[] = [];
  JSON.stringify(value, (_, member: unknown) => {
    if (typeof member === 'number') numbers.push(member);
    return member;
  });
  return numbers;
}

describe('strict JSON', () => {
  it.each([
    ['{"a":[1,"x",null,true,1.5e3]}', { a: [1, 'x', null, true, 1500] }],
    [' \n\t"x"\r ', 'x'],
    ['null', null],
    ['{}', {}],
    ['"\\ud83c\\udf0a"', '\u{1f30a}'],
    ['"\\u0000"', '\u0000'],
    ['{"":1}', { '': 1 }],
    ['{"a":"{\\"b\\":1,\\"b\\":2}"}', { a: '{"b":1,"b":2}' }],
    ['[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
    ['{"a":{"b":1},"c":{"b":2}}', { a: { b: 1 }, c: { b: 2 } }],
    ['9007199254740991', 9_007_199_254_740_991],
    ['-9007199254740991', -9_007_199_254_740_991],
    ['1e300', 1e300],
    ['0.1', 0.1],
  ])('%s is read', (text, value) => {
    expect(parseStrictJson(text)).toEqual(parsed(value));
  });

  it.each([
    ['', 'empty'],
    [' \n\t ', 'empty'],
    ['{"a":1,}', 'not_json'],
    ["{'a':1}", 'not_json'],
    ['{a:1}', 'not_json'],
    ['{"a":NaN}', 'not_json'],
    ['{"a":01}', 'not_json'],
    ['{"a":+1}', 'not_json'],
    ['{"a":.5}', 'not_json'],
    ['// x\n{}', 'not_json'],
    ['\ufeff{}', 'not_json'],
    ['\u00a0{}', 'not_json'],
    ['"a\nb"', 'not_json'],
    ['"\\x41"', 'not_json'],
    ['{"a":1', 'not_json'],
    ['{}{}', 'not_json'],
    ['{} {}', 'not_json'],
    ['```json\n{}\n```', 'not_json'],
    ['{"a":1}\n{"a":2}', 'several_documents'],
    ['{"a":1}\n\n{"a":1}\n', 'several_documents'],
    ['1\n2', 'several_documents'],
    ['{"a":1}\nand so on', 'not_json'],
    ['{"a":1,"a":2}', 'duplicate_name'],
    ['{"a":1,"\\u0061":2}', 'duplicate_name'],
    ['{"a":1,"b":0,"a":"1"}', 'duplicate_name'],
    ['{"a":null,"a":false}', 'duplicate_name'],
    ['[[{"x":{"a":[1],"a":[2]}}]]', 'duplicate_name'],
    ['{"__proto__":1,"__proto__":2}', 'duplicate_name'],
    ['{"a":1,"a":1,"a":2}', 'duplicate_name'],
    ['{"a":{"b":1},"a":{"b":1,"c":2}}', 'duplicate_name'],
    ['"\\ud83c"', 'lone_surrogate'],
    ['"\\udf0a\\ud83c"', 'lone_surrogate'],
    ['{"\\ud800":1}', 'lone_surrogate'],
    [`["${String.fromCharCode(0xd800)}"]`, 'lone_surrogate'],
    ['9007199254740992', 'number_unsafe'],
    ['[-9007199254740992]', 'number_unsafe'],
    ['{"id":1917043659912705297}', 'number_unsafe'],
    ['1e999', 'number_unsafe'],
    ['[-1e999]', 'number_unsafe'],
    ['9'.repeat(400), 'number_unsafe'],
    ['123456789012345678901234567890', 'number_unsafe'],
    // Written with a point or an exponent, and an integer past 2^53 all the same: its canonical form would be refused.
    ['9007199254740993.0', 'number_unsafe'],
    ['1e20', 'number_unsafe'],
    [nested(outputDepthMax + 1), 'too_deep'],
    [nested(20_000), 'too_deep'],
    [`${nested(20_000)},`, 'too_deep'],
    ['['.repeat(20_000), 'too_deep'],
    ['{"a":'.repeat(outputDepthMax + 1) + '1' + '}'.repeat(outputDepthMax + 1), 'too_deep'],
  ])('%.60s is refused as %s', (text, code) => {
    expect(parseStrictJson(text)).toEqual(refused(code));
  });

  it.each([
    ['{"a":1,"a":1}', { a: 1 }],
    ['{"a":1,"a":1.0}', { a: 1 }],
    ['{"a":{"x":1,"y":2},"a":{"y":2,"x":1}}', { a: { x: 1, y: 2 } }],
    ['{"a":"é","a":"\\u00e9"}', { a: 'é' }],
  ])('%s: a name given twice with one value loses nothing', (text, value) => {
    expect(parseStrictJson(text)).toEqual(parsed(value));
  });

  it('nesting up to the bound is read', () => {
    expect(parseStrictJson(nested(outputDepthMax)).kind).toBe('parsed');
  });
});

describe('laws of the strict reader', () => {
  it('what JSON writes it reads', () => {
    fc.assert(
      fc.property(safeValue, fc.constantFrom(0, 2), (value, indent) => {
        expect(parseStrictJson(JSON.stringify(value, null, indent))).toEqual(parsed(value));
      }),
    );
  });

  it('what it reads it reads again from the canonical form', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.double().map(String), fc.bigInt().map(String)), (text) => {
        const read = parseStrictJson(text);
        if (read.kind === 'parsed') expect(parseStrictJson(canonicalText(read.value)).kind).toBe('parsed');
      }),
    );
  });

  it('it never throws, and never reads what JSON.parse does not', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.nat(4), fc.string({ maxLength: 3 }))
      .map(([text, at, drop, put]) => text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + drop));
    const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), broken, fc.stringMatching(/^[[\]{}",:\\0-9eu.\- \n]*$/));
    fc.assert(
      fc.property(anything, (text) => {
        const read = parseStrictJson(text);
        if (read.kind === 'parsed') expect(JSON.parse(text)).toEqual(read.value);
      }),
      { numRuns: 2_000 },
    );
  });

  const half = 32_000;
  const hostile: readonly (readonly [string, string, StrictJson['kind']])[] = [
    ['quotes', '"'.repeat(65_536), 'refused'],
    ['backslashes', `"${'\\'.repeat(65_000)}"`, 'parsed'],
    ['escapes', `"${'\\u0061'.repeat(10_000)}"`, 'parsed'],
    ['open brackets', '['.repeat(65_536), 'refused'],
    ['closers', ']'.repeat(65_536), 'refused'],
    ['bracket pairs', nested(half), 'refused'],
    ['documents, one a line', '1\n'.repeat(half), 'refused'],
    ['open brackets, one a line', '[\n'.repeat(half), 'refused'],
    ['one name again and again', `{${'"a":1,'.repeat(10_000)}"a":1}`, 'parsed'],
    ['names', `{${Array.from({ length: 7_000 }, (_, n) => `"${n}":1`).join(',')}}`, 'parsed'],
    ['digits', `[${'1,'.repeat(half)}1]`, 'parsed'],
    ['one long number', `0.${'1'.repeat(65_000)}`, 'parsed'],
    ['duplicates inside duplicates', doubled(12), 'parsed'],
    ['duplicates that differ at the bottom', doubled(12).replace('0', '1'), 'refused'],
  ];
  it.each(hostile)('64 KiB of %s are done with', (_, text, kind) => {
    expect(parseStrictJson(text).kind).toBe(kind);
  });
});

/** An object that holds the same object twice under one name, and so on down. */
function doubled(levels: number): string {
  let text = '0';
  for (let level = 0; level < levels; level += 1) text = `{"a":${text},"a":${text}}`;
  return text;
}
