import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalBytes, canonicalHash, canonicalText, hashToken, jsonDepthMax, sha256 } from '../src/index.js';

const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
const surrogate = String.fromCharCode(0xdc00);

describe('canonical text', () => {
  it.each([
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    // Names are sorted by UTF-16 code units, as RFC 8785 asks, not by code points.
    [{ '\u{1f30a}': 1, '\ufb33': 2, a: 3 }, '{"a":3,"\u{1f30a}":1,"\ufb33":2}'],
    [[1e21, 1e20, 1e-7, 0.1, -0, 5e-324], '[1e+21,100000000000000000000,1e-7,0.1,0,5e-324]'],
    ['\u0000\b\t\n\f\r\u001f"\\/é€', '"\\u0000\\b\\t\\n\\f\\r\\u001f\\"\\\\/é€"'],
    [{ a: undefined, b: null }, '{"b":null}'],
    [JSON.parse('{"__proto__":1,"constructor":2}'), '{"__proto__":1,"constructor":2}'],
    [{}, '{}'],
    [null, 'null'],
  ])('%o is written as %s', (value, text) => {
    expect(canonicalText(value)).toBe(text);
    expect(new TextDecoder().decode(canonicalBytes(value))).toBe(text);
  });

  it.each([
    ['a lone surrogate in a text', [surrogate], 'json_not_canonical'],
    ['a lone surrogate in a name', { [surrogate]: 1 }, 'json_not_canonical'],
    ['not a number', { a: Number.NaN }, 'json_not_canonical'],
    ['infinity', -Infinity, 'json_not_canonical'],
    ['undefined', undefined, 'json_not_canonical'],
    ['a function', () => 1, 'json_not_canonical'],
    ['a big integer', 10n, 'json_not_canonical'],
    ['nesting past the bound', nested(jsonDepthMax + 1), 'json_too_deep'],
    ['nesting that no call stack survives', nested(100_000), 'json_too_deep'],
  ])('%s is refused', (_, value, code) => {
    expect(() => canonicalText(value)).toThrow(code);
  });

  it('a value that contains itself is refused', () => {
    const round: unknown[] = [];
    round.push(round);
    expect(() => canonicalText(round)).toThrow('json_too_deep');
  });

  it('nesting up to the bound is written', () => {
    expect(canonicalText(nested(jsonDepthMax))).toHaveLength(2 * jsonDepthMax);
  });

  it('a refusal quotes nothing of what it met', () => {
    expect(() => canonicalText({ CANARY: `CANARY${surrogate}` })).toThrow(/^(?!.*CANARY)/);
  });

  it('is a fixed point, and equal values have equal text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalText(value);
        expect(canonicalText(JSON.parse(text))).toBe(text);
        expect(canonicalHash(JSON.parse(text))).toBe(sha256(text));
      }),
    );
  });
});

it('a hash token is the first 128 bits of SHA-256, in base64url', () => {
  expect(hashToken('abc')).toBe(Buffer.from(sha256('abc'), 'hex').subarray(0, 16).toString('base64url'));
  fc.assert(fc.property(fc.string(), (text) => /^[A-Za-z0-9_-]{22}$/.test(hashToken(text))));
});
