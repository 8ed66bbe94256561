import { canonicalText, type JsonValue } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { type Decoded, decode } from '../src/index.js';
import { type FieldCase, fieldCases, rawOf } from './field.js';

/** Cases whose expectation we do not follow, each with the reason. They stay red on purpose: what we return instead is written here. */
const disputed: Readonly<Record<string, { readonly class: string; readonly reason: string }>> = {
  D059: {
    class: 'contract_violation',
    reason:
      'An integer past 2^53 is valid JSON, but we hold numbers as doubles and refuse what they cannot hold (settled question 8, ADR 5).',
  },
};

const decodeCase = (one: FieldCase): Decoded => decode(rawOf(one), { schema: one.schema, finishReason: one.finish_reason });

/** The class of a case, in the words of the cases. `ok` and `semantic` differ in rules that are not the decoder's. */
function classOf(decoded: Decoded): string {
  switch (decoded.status) {
    case 'exact':
    case 'repaired':
      return 'value';
    case 'ambiguous':
      return 'invalid_json';
    case 'invalid':
      return decoded.class;
    case 'refused':
      return 'refusal';
    case 'truncated':
    case 'empty':
    case 'too_large':
      return decoded.status;
  }
}

const expectedClass = (one: FieldCase): string =>
  disputed[one.id]?.class ?? (['ok', 'semantic'].includes(one.expect.class) ? 'value' : one.expect.class);

/** What was read, also where the contract refused it. */
function valueOf(decoded: Decoded): JsonValue | undefined {
  if (decoded.status === 'exact' || decoded.status === 'repaired') return decoded.value;
  return decoded.status === 'invalid' ? decoded.rejected : undefined;
}

describe('answers from the field', () => {
  it('there are 118, and each that we dispute is one of them', () => {
    expect(fieldCases).toHaveLength(118);
    expect(Object.keys(disputed).filter((id) => !fieldCases.some((one) => one.id === id))).toEqual([]);
  });

  it.each(fieldCases.map((one) => [one.id, one.kind, one] as const))('%s, %s: the expected class and value', (_, __, one) => {
    const decoded = decodeCase(one);
    expect(classOf(decoded)).toBe(expectedClass(one));
    const value = valueOf(decoded);
    if (classOf(decoded) === 'value') expect(canonicalText(value)).toBe(canonicalText(one.expect.value));
    // A null of the cases also stands for a value that cannot be held exactly: then nothing was read.
    else if (value !== undefined) expect(canonicalText(value)).toBe(canonicalText(one.expect.value));
    else if (classOf(decoded) === 'contract_violation' && disputed[one.id] === undefined) expect(one.expect.value).toBeNull();
  });

  it('what is strict JSON is never touched', () => {
    for (const one of fieldCases) {
      const decoded = decodeCase(one);
      if (decoded.status === 'exact') expect(decoded.value).toEqual(JSON.parse(rawOf(one)));
      if (decoded.status === 'repaired') expect(() => JSON.parse(rawOf(one)) as unknown).toThrow();
    }
  });
});
