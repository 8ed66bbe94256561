import type { JsonObject } from '@emend/contracts';
import type { ModelRequest } from '../port.js';

/** How a provider is asked to hold its output to a schema. The contract is checked in any case. */
const dialects = {
  none: () => ({}),
  /** JSON of any shape. */
  json_object: () => ({ response_format: { type: 'json_object' } }),
  /** OpenAI, vLLM, llama.cpp, Ollama. */
  openai_json_schema: (name: string, schema: JsonObject) => ({
    response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } },
  }),
  /** llama-cpp-python. */
  json_object_schema: (_name: string, schema: JsonObject) => ({ response_format: { type: 'json_object', schema } }),
  /** vLLM from 0.12 on. */
  vllm_structured_outputs: (_name: string, schema: JsonObject) => ({ structured_outputs: { json: schema } }),
} as const satisfies Readonly<Record<string, (name: string, schema: JsonObject) => object>>;

export type StructuredOutput = keyof typeof dialects;
export const structuredOutputs = Object.keys(dialects) as [StructuredOutput, ...StructuredOutput[]];

/** The member that bounds the output; newer models of OpenAI know the second alone. */
export const maxTokensFields = ['max_tokens', 'max_completion_tokens'] as const;
export type MaxTokensField = (typeof maxTokensFields)[number];

export interface Dialect {
  readonly model: string;
  readonly structuredOutput: StructuredOutput;
  readonly maxTokensField: MaxTokensField;
}

/** The whole body. Everything that steers the model is set here, from the catalogue and the limits of the declaration. */
export function requestBody({ model, structuredOutput, maxTokensField }: Dialect, { messages, limits, contract }: ModelRequest): object {
  return {
    model,
    messages,
    stream: false,
    n: 1,
    temperature: 0,
    [maxTokensField]: limits.outputTokensMax,
    ...dialects[structuredOutput](schemaNameOf(contract.name), contract.schema),
  };
}

const schemaNameMax = 64;

/** OpenAI takes letters, digits, `_` and `-`. The end of a long name tells more than its beginning. */
const schemaNameOf = (name: string): string => name.replace(/[^A-Za-z0-9_-]/g, '_').slice(-schemaNameMax);
