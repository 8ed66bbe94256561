import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasControlCharacter, loopUnitsMin, phraseTimesMin, phraseUnitsMax, repeatsOnePhrase, textsThat } from '../src/textRules.js';

describe('no-control-characters', () => {
  it.each([
    ['plain text', false],
    ['two\nlines and a\ttab', false],
    ['an emoji 🌊 and a soft\u00adhyphen', false],
    ['\frac{a}{b}', true],
    ['\beta', true],
    ['a\rb', true],
    ['a\u0000b', true],
    ['a\u007fb', true],
    ['a\u0085b', true],
  ])('%j: %s', (text, broken) => expect(hasControlCharacter(text)).toBe(broken));
});

describe('no-repetition-loop', () => {
  const phrase = 'the gauge rose. ';
  const times = Math.ceil(loopUnitsMin / phrase.length);
  it.each([
    ['a phrase over and over', phrase.repeat(times), true],
    ['one unit less', phrase.repeat(times).slice(0, loopUnitsMin - 1), false],
    ['after a beginning of its own, and cut off in the middle', `So it went: ${phrase.repeat(times)}the ga`, true],
    [
      'a long phrase, often',
      'x'
        .repeat(phraseUnitsMax - 4)
        .concat('abc ')
        .repeat(phraseTimesMin),
      true,
    ],
    [
      'a long phrase, one time less',
      'x'
        .repeat(phraseUnitsMax - 4)
        .concat('abc ')
        .repeat(phraseTimesMin - 1),
      false,
    ],
    [
      'a phrase past the longest',
      'x'
        .repeat(phraseUnitsMax - 3)
        .concat('abc ')
        .repeat(phraseTimesMin),
      false,
    ],
    ['a short list', 'yes, no, yes, no, yes, no', false],
    ['a drawn line', '-=+'.repeat(400), false],
    ['a column of zeros', '0, '.repeat(400), false],
    ['one letter as padding', 'w'.repeat(40_000), false],
    ['letters outside of ASCII', '潮位計は'.repeat(60), true],
    ['nothing', '', false],
  ])('%s', (_, text, broken) => expect(repeatsOnePhrase(text)).toBe(broken));

  it('a text that never repeats itself within the longest phrase is not a loop', () => {
    const counted = Array.from({ length: 5_000 }, (_, n) => `line ${n}`).join(' ');
    expect(repeatsOnePhrase(counted)).toBe(false);
  });

  it('what stands around a loop does not hide it', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 300 }), fc.string({ maxLength: 300 }), (before, after) => {
        expect(repeatsOnePhrase(before + phrase.repeat(times) + after)).toBe(true);
      }),
    );
  });
});

it('strings are found at any depth, with their pointers', () => {
  const value = { a: ['no', { 'b/c': 'yes' }], d: 'yes', e: 1, f: null };
  expect(textsThat((text) => text === 'yes')(value)).toEqual(['/a/1/b~1c', '/d']);
});
