import { describe, it } from 'vitest';
import { exampleRunner } from './exampleRunner.js';

describe('an example with a library, against a provider that writes one wrong type', () => {
  const run = exampleRunner();

  it.each(['openaiSdk.mjs', 'vercelAiSdk.mjs'])('%s', (file) => run(file));
});
