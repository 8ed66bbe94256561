// Ring 1 around the OpenAI SDK, with a zod schema that the provider is held to as well.
import { repairable } from '@emend/overseer';
import OpenAI from 'openai';
import { z } from 'zod';

const { OPENAI_MODEL = 'small' } = process.env;

// One call is one request: what is tried again is the caller's to say.
const client = new OpenAI({ maxRetries: 0 });

async function callModel({ messages, schema, model = OPENAI_MODEL, purpose, signal }) {
  const format = { type: 'json_schema', json_schema: { name: purpose, schema } };
  const { choices, usage } = await client.chat.completions.create({ model, messages, response_format: format }, { signal });
  const [{ message, finish_reason: finishReason }] = choices;
  return {
    text: message.content ?? '',
    // A refusal has a field of its own, beside an ordinary stop word.
    finishReason: message.refusal ? 'refusal' : finishReason,
    usage: { promptTokens: usage?.prompt_tokens ?? null, completionTokens: usage?.completion_tokens ?? null },
  };
}

const schema = z.strictObject({ name: z.string(), age: z.int().min(0) });
const messages = [{ role: 'user', content: 'Ada was thirty-six. Answer with JSON: name, age.' }];
process.stdout.write(`${JSON.stringify(await repairable(callModel, { schema, messages }))}\n`);
