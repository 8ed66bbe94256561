import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sectionsOf } from '../src/domain/sections.js';
import { segmentOf } from './stageOn.js';

it('a transcript is partitioned in order, without a gap or an overlap, within the limits of a section (A11)', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 50 }), { maxLength: 60 }),
      fc.integer({ min: 1, max: 9 }),
      fc.integer({ min: 1, max: 120 }),
      (texts, segmentsMax, charactersMax) => {
        const segments = texts.map((text, index) => segmentOf(`s${index + 1}`, text));
        const sections = sectionsOf(segments, { segmentsMax, charactersMax });
        expect(sections.flatMap((section) => section.segments.map(({ segment }) => segment))).toEqual(segments);
        expect(sections.map(({ number }) => number)).toEqual(sections.map((_, index) => index + 1));
        for (const section of sections) {
          const characters = section.segments.reduce((sum, { segment }) => sum + segment.text.length, 0);
          expect(section.segments.map(({ ref }) => ref)).toEqual(section.segments.map((_, index) => index + 1));
          expect(section.segments.length).toBeLessThanOrEqual(segmentsMax);
          expect(section.segments.length === 1 || characters <= charactersMax).toBe(true);
        }
      },
    ),
  );
});
