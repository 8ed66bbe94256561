import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinPrivacy, joinSourceClass, type Privacy, privacyLevels, readPrivacy, readSourceClass, sourceClasses } from '../src/index.js';

const levels = fc.array(fc.constantFrom(...privacyLevels), { minLength: 1 });
const classes = fc.array(fc.constantFrom(...sourceClasses), { minLength: 1 });

describe('the join of privacy (T95, T116)', () => {
  it.each([
    [['public'], 'public'],
    [['public', 'sensitive'], 'sensitive'],
    [['private', 'public'], 'private'],
    [['sensitive', 'private', 'public'], 'private'],
    [[], 'private'],
  ] as const)('of %o is %s', (inputs, joined) => {
    expect(joinPrivacy(inputs)).toBe(joined);
  });

  it('is the closest of its inputs, whatever their order and number', () => {
    fc.assert(
      fc.property(levels, levels, (a, b) => {
        expect(joinPrivacy([...a, ...b])).toBe(joinPrivacy([...b, ...a]));
        expect(joinPrivacy([...a, ...a])).toBe(joinPrivacy(a));
        expect(joinPrivacy([joinPrivacy(a), joinPrivacy(b)])).toBe(joinPrivacy([...a, ...b]));
        expect(a).toContain(joinPrivacy(a));
        for (const level of a) expect(joinPrivacy([level, joinPrivacy(a)])).toBe(joinPrivacy(a));
      }),
    );
  });

  it('a word it does not know is private, beside others too', () => {
    expect(joinPrivacy(['public', 'secret' as Privacy])).toBe('private');
  });
});

describe('the join of source classes (T124)', () => {
  it('is public where every participant is, and nowhere else', () => {
    fc.assert(
      fc.property(classes, (all) => {
        expect(joinSourceClass(all) === 'public-source').toBe(!all.includes('restricted-source'));
      }),
    );
    expect(joinSourceClass([])).toBe('restricted-source');
  });
});

describe('reading a word', () => {
  it('knows its own words and takes every other for the closest', () => {
    for (const level of privacyLevels) expect(readPrivacy(level)).toBe(level);
    for (const word of sourceClasses) expect(readSourceClass(word)).toBe(word);
    fc.assert(
      fc.property(fc.anything(), (word) => {
        if (!privacyLevels.includes(word as never)) expect(readPrivacy(word)).toBe('private');
        if (!sourceClasses.includes(word as never)) expect(readSourceClass(word)).toBe('restricted-source');
      }),
    );
  });
});
