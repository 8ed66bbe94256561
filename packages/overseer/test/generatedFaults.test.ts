import { canonicalText } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { faults } from '../../../test/support/faulty/faults.js';
import { makeSpecimen, type Specimen } from '../../../test/support/faulty/specimens.js';
import { decode } from '../src/index.js';

/** A share of the large suite (`npm run test:decoder`) that takes some seconds. Other seeds than there. */
const seeds = Array.from({ length: 1_500 }, (_, at) => 9_000_000 + at);

const read = (specimen: Specimen) => decode(specimen.text, { schema: specimen.schema, finishReason: 'stop' });

describe('one fault or two in a valid document', () => {
  const specimens = seeds.map((seed) => makeSpecimen(seed, seed % 50 === 0 ? undefined : 700));
  const decoded = specimens.map(read);

  it('a value that comes out is the one that went in', () => {
    const wrong = specimens.filter((specimen, at) => {
      const result = decoded[at];
      const value = result?.status === 'exact' || result?.status === 'repaired' ? result.value : specimen.original;
      return canonicalText(value) !== canonicalText(specimen.original);
    });
    expect(wrong.map(({ seed, faults: names }) => [seed, ...names])).toEqual([]);
  });

  it('most of what is lossless comes out', () => {
    expect(decoded.filter(({ status }) => status === 'repaired').length).toBeGreaterThan(seeds.length / 4);
  });

  it('every fault of the list was drawn', () => {
    const drawn = new Set(specimens.flatMap((specimen) => specimen.faults));
    expect(faults.map(({ name }) => name).filter((name) => !drawn.has(name))).toEqual([]);
  });

  it('without a word that we know, nothing but the outside is edited', () => {
    const outside = new Set([
      'invisible_removed',
      'thought_removed',
      'control_token_removed',
      'tag_removed',
      'fence_removed',
      'prose_removed',
    ]);
    for (const specimen of specimens) {
      const result = decode(specimen.text, { schema: specimen.schema });
      if (result.status !== 'repaired') continue;
      expect(result.edits.map(({ code }) => code).filter((code) => !outside.has(code))).toEqual([]);
      expect(canonicalText(result.value)).toBe(canonicalText(specimen.original));
    }
  });
});
