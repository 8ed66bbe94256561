import type { JsonObject } from '@emend/contracts';
import type { Fact } from './correction.js';
import { type FindingCode, findingCodes } from './findingCodes.js';

export const modelCheckNames = ['context', 'meaning', 'style'] as const;
export type ModelCheckName = (typeof modelCheckNames)[number];

interface ModelCheck {
  readonly remit: string;
  readonly sentence: string;
}

/** Checks that ask a model. Each speaks within its own remit, by codes of the table (A3, A78). */
export const modelChecks: Readonly<Record<ModelCheckName, ModelCheck>> = {
  context: { remit: 'homophone', sentence: 'The sentence needs the replacement and not the original.' },
  meaning: { remit: 'meaning', sentence: 'The segment says the same as before.' },
  style: { remit: 'style', sentence: 'The segment still sounds like its speaker.' },
};

/** A model is asked only about a change that there is: a place that is known, words of their own, and an effect. */
export const modelCheckNeeds: readonly Fact[] = ['segment', 'span', 'words', 'effect'];

export const codesOf = (name: ModelCheckName): readonly FindingCode[] =>
  (Object.keys(findingCodes) as FindingCode[]).filter(
    (code) => findingCodes[code].by === 'model' && findingCodes[code].remit === modelChecks[name].remit,
  );

/** Characters of a model's explanation. */
export const explanationMax = 400;

/** The contract of one decision: two shapes that share no value. */
export const decisionSchema = (name: ModelCheckName): JsonObject => ({
  anyOf: [
    { type: 'object', properties: { verdict: { const: 'approve' } }, required: ['verdict'], additionalProperties: false },
    {
      type: 'object',
      properties: {
        verdict: { const: 'reject' },
        code: { enum: [...codesOf(name)] },
        explanation: { type: 'string', minLength: 1, maxLength: explanationMax },
      },
      required: ['verdict', 'code', 'explanation'],
      additionalProperties: false,
    },
  ],
});
