import { loadConfig } from '@emend/runtime';
import { describe, expect, it } from 'vitest';
import { exporterConfig } from '../src/config.js';

describe('the ways of coming to be valid that may leave', () => {
  it.each([
    [undefined, ['exact', 'repaired', 'overseen']],
    ['exact', ['exact']],
    ['exact,overseen', ['exact', 'overseen']],
  ])('are, of %j, %j', (text, ways) => expect(loadConfig(exporterConfig, { EMEND_EXPORT_COMPLETIONS: text }).completions).toEqual(ways));

  it.each(['Exact', 'exact,guessed', 'exact,', 'exact repaired'])('are not read from %j', (text) =>
    expect(() => loadConfig(exporterConfig, { EMEND_EXPORT_COMPLETIONS: text })).toThrow('EMEND_EXPORT_COMPLETIONS'),
  );
});
