import type { OutputContractDefinition } from './definition.js';

/** The shipped contract that repair supports (T17, T46). Limits are counted in Unicode code points, as JSON Schema counts. */
export const observation: OutputContractDefinition = {
  id: 'stream.thought.output.observation',
  version: 1,
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
    required: ['title', 'summary', 'tags', 'confidence', 'evidence'],
    properties: {
      title: { type: 'string', minLength: 1, maxLength: 120 },
      summary: { type: 'string', minLength: 1, maxLength: 2000 },
      tags: { type: 'array', maxItems: 8, items: { type: 'string', minLength: 1, maxLength: 40 } },
      confidence: { type: 'number', minimum: 0, maximum: 1 },
      evidence: {
        type: 'array',
        maxItems: 10,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['eventId', 'quote'],
          properties: {
            eventId: { type: 'string', minLength: 1, maxLength: 64 },
            quote: { type: 'string', minLength: 1, maxLength: 280 },
          },
        },
      },
    },
  },
  promptDescription: [
    'Answer with one JSON object and nothing else. It has exactly these keys:',
    '"title": a short title, at most 120 characters.',
    '"summary": what was observed, at most 2000 characters.',
    '"tags": a list of at most 8 short words.',
    '"confidence": a number from 0 to 1.',
    '"evidence": a list of at most 10 objects, each {"eventId": the id of the source, "quote": words copied exactly from the source, at most 280 characters}.',
  ].join('\n'),
};
