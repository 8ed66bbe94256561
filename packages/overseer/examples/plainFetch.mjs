// Ring 1 around a plain fetch. OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL say whom it asks.
import { repairable } from '@emend/overseer';

const { OPENAI_BASE_URL = 'https://api.openai.com/v1', OPENAI_API_KEY = '', OPENAI_MODEL = 'small' } = process.env;

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'age'],
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
};

async function callModel({ messages, model = OPENAI_MODEL, signal }) {
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({ model, messages }),
    signal,
  });
  if (!response.ok) throw new Error(`the provider answered ${response.status}`);
  const { choices, usage } = await response.json();
  return {
    text: choices[0].message.content ?? '',
    finishReason: choices[0].finish_reason,
    usage: { promptTokens: usage?.prompt_tokens ?? null, completionTokens: usage?.completion_tokens ?? null },
  };
}

const messages = [{ role: 'user', content: 'Ada was thirty-six. Answer with JSON: name, age.' }];
process.stdout.write(`${JSON.stringify(await repairable(callModel, { schema, messages }))}\n`);
