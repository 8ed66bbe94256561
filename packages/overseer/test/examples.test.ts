import { describe, it } from 'vitest';
import { exampleRunner } from './exampleRunner.js';

describe('an example against a provider that writes one wrong type', () => {
  const run = exampleRunner();

  it('with plain fetch', () => run('plainFetch.mjs'));
});
