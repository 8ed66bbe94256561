import type { OutputContractDefinition } from './definition.js';

/** Shipped and registered, but not repairable: a failed run under it makes no request (T50). */
export const conceptualizationGraph: OutputContractDefinition = {
  id: 'stream.thought.output.conceptualization-graph',
  version: 1,
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    additionalProperties: false,
    required: ['concepts', 'relations'],
    properties: {
      concepts: {
        type: 'array',
        maxItems: 50,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['key', 'label'],
          properties: { key: { type: 'string', minLength: 1, maxLength: 40 }, label: { type: 'string', minLength: 1, maxLength: 120 } },
        },
      },
      relations: {
        type: 'array',
        maxItems: 100,
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['from', 'to', 'label'],
          properties: {
            from: { type: 'string', minLength: 1, maxLength: 40 },
            to: { type: 'string', minLength: 1, maxLength: 40 },
            label: { type: 'string', minLength: 1, maxLength: 80 },
          },
        },
      },
    },
  },
  promptDescription: [
    'Answer with one JSON object and nothing else. It has exactly these keys:',
    '"concepts": a list of at most 50 objects, each {"key": a short name, "label": what it means}.',
    '"relations": a list of at most 100 objects, each {"from": a key, "to": a key, "label": how they relate}.',
  ].join('\n'),
};
