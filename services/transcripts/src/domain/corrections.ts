import { compileContract, type JsonObject, type OutputContract } from '@emend/contracts';
import type { Correction } from './correction.js';
import { segmentTextMax } from './segments.js';

/** Corrections that one reply may have. */
export const correctionsMax = 64;
/** Characters of a proposer's reason. */
export const reasonMax = 200;

/** Of one correction: what a proposal has and what a revision has to have (A69). */
export const correctionSchema: JsonObject = {
  type: 'object',
  properties: {
    segment: { type: 'integer', minimum: 0, maximum: 100_000 },
    original: { type: 'string', maxLength: segmentTextMax },
    replacement: { type: 'string', maxLength: segmentTextMax },
    reason: { type: 'string', maxLength: reasonMax },
  },
  required: ['segment', 'original', 'replacement', 'reason'],
  additionalProperties: false,
};

/** The contract of a proposal call: the whole set of one section and one stage (A14, A24). */
export const correctionSetContract: OutputContract = compileContract({
  id: 'stream.thought.output.transcript-correction-set',
  version: 1,
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { corrections: { type: 'array', items: correctionSchema, maxItems: correctionsMax } },
    required: ['corrections'],
    additionalProperties: false,
  },
  promptDescription: 'One JSON object with a list of corrections, each with segment, original, replacement and reason.',
});

/** The corrections of an output that the contract has passed. */
export const correctionsIn = (output: unknown): readonly Correction[] =>
  (output as { readonly corrections: readonly Correction[] }).corrections;
