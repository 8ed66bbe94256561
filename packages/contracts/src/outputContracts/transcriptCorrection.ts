import {
  correctedTextMax,
  correctionReasonMax,
  correctionsMax,
  languageMax,
  segmentsMax,
  segmentTextMax,
  speakerMax,
} from '../transcripts.js';
import type { JsonObject, OutputContractDefinition } from './definition.js';
import type { ContractRef } from './reference.js';

const object = (properties: JsonObject, optional: readonly string[] = []): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});
const list = (items: JsonObject, maxItems: number): JsonObject => ({ type: 'array', maxItems, items });
const count: JsonObject = { type: 'integer', minimum: 0 };
const fromOne: JsonObject = { type: 'integer', minimum: 1 };
const orNull = (type: string, rest: JsonObject): JsonObject => ({ anyOf: [{ type, ...rest }, { type: 'null' }] });
const word = { minLength: 1, maxLength: 64 };
const code: JsonObject = { type: 'string', ...word };
const workUnit = { stage: code, section: fromOne };
const segments = {
  ...list(
    object({
      speaker: orNull('string', { minLength: 1, maxLength: speakerMax }),
      startMs: orNull('integer', { minimum: 0 }),
      endMs: orNull('integer', { minimum: 0 }),
      text: { type: 'string', maxLength: correctedTextMax },
    }),
    segmentsMax,
  ),
  minItems: 1,
};
const correction = object({
  ...workUnit,
  proposal: code,
  version: fromOne,
  segment: { type: 'string', pattern: '^s[1-9][0-9]{0,5}$' },
  original: { type: 'string', maxLength: segmentTextMax },
  replacement: { type: 'string', maxLength: segmentTextMax },
  reason: { type: 'string', maxLength: correctionReasonMax },
});
const tokens = orNull('integer', { minimum: 0 });
const repairOutcome = object({
  ...workUnit,
  proposal: code,
  applied: { type: 'boolean' },
  disposition: code,
  code: orNull('string', word),
  attempts: count,
  structuralRepairs: count,
  transportRetries: count,
  usage: list(object({ promptTokens: tokens, completionTokens: tokens }), 64),
});
const tally = object({
  calls: count,
  transportRetries: count,
  structuralRepairs: count,
  repairedReplies: count,
  promptTokens: tokens,
  completionTokens: tokens,
});
const stored = object({
  bucket: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
  name: { type: 'string', pattern: '^[A-Za-z0-9_-]{22}\\.[0-9a-f]{64}$' },
  hash: { type: 'string', pattern: '^[0-9a-f]{64}$' },
  bytes: fromOne,
});

/** What the transcript service puts out. No model is asked for it, and no policy repairs it. `transcriptOutputSchema` reads it. */
export const transcriptCorrection: OutputContractDefinition = {
  id: 'stream.thought.output.transcript-correction',
  version: 1,
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...object({
      language: orNull('string', { minLength: 1, maxLength: languageMax }),
      report: object(
        {
          sections: count,
          proposed: count,
          applied: count,
          dispositions: { type: 'object', additionalProperties: fromOne },
          calls: object({ proposals: tally, decisions: tally, revisions: tally }),
          repairOutcomes: list(repairOutcome, correctionsMax),
          notApplied: list(object({ ...workUnit, proposal: code, code }), correctionsMax),
        },
        ['repairOutcomes', 'notApplied'],
      ),
      body: {
        anyOf: [
          object({ segments, corrections: list(correction, correctionsMax) }),
          object({ object: stored, segments: { type: 'integer', minimum: 1, maximum: segmentsMax }, corrections: count }),
        ],
      },
    }),
  },
  promptDescription: [
    'A corrected transcript. It is put together by the transcript service from many answers; no model writes it.',
    '"report": sections, proposals, corrections applied, and what became of the others: references, codes and counts.',
    '"body": the segments and the corrections that are in them, or where the object store has both.',
  ].join('\n'),
};

/**
 * Whether a model was asked for an output of this contract by its description. Of a corrected transcript none was: it is put together
 * from the answers to hundreds of prompts, which nobody renders again from the log.
 */
export const isPrompted = ({ id }: Pick<ContractRef, 'id'>): boolean => id !== transcriptCorrection.id;
