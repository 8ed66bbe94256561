// Ring 1 around the Vercel AI SDK: generateText gives the text as it is, and ring 1 reads it.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { repairable } from '@emend/overseer';
import { generateText } from 'ai';
import { z } from 'zod';

const { OPENAI_BASE_URL: baseURL, OPENAI_API_KEY: apiKey, OPENAI_MODEL = 'small' } = process.env;
const provider = createOpenAICompatible({ name: 'example', baseURL, apiKey });

async function callModel({ messages, model = OPENAI_MODEL, signal }) {
  const { text, rawFinishReason, usage } = await generateText({
    model: provider(model),
    system: messages.find(({ role }) => role === 'system')?.content,
    messages: messages.filter(({ role }) => role !== 'system'),
    maxRetries: 0,
    abortSignal: signal,
  });
  return {
    text,
    finishReason: rawFinishReason,
    usage: { promptTokens: usage.inputTokens ?? null, completionTokens: usage.outputTokens ?? null },
  };
}

const schema = z.strictObject({ name: z.string(), age: z.int().min(0) });
const messages = [{ role: 'user', content: 'Ada was thirty-six. Answer with JSON: name, age.' }];
process.stdout.write(`${JSON.stringify(await repairable(callModel, { schema, messages }))}\n`);
