import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { StructuredOutput } from '../src/index.js';
import { key, modelAt, request } from './asking.js';
import { closeProviders, completion, provider, says, unusedAddress } from './fakeProvider.js';

afterEach(closeProviders);

const good = says(200, completion({ content: '{}' }));
const always = { model: 'org/Big-1', messages: request.messages, stream: false, n: 1, temperature: 0 };

/** The body that a tier sends. */
async function sent(tier: Parameters<typeof modelAt>[1], change: Partial<typeof request> = {}): Promise<unknown> {
  const { url, requests } = await provider(good);
  await modelAt(url, tier).generate({ ...request, ...change });
  expect(requests).toHaveLength(1);
  return JSON.parse(requests[0]?.body ?? '');
}

describe('what is sent', () => {
  it('is one POST with the prompt, the limits of the declaration and the key', async () => {
    const { url, requests } = await provider(good);
    expect(await modelAt(`${url}/`).generate(request)).toMatchObject({ kind: 'generated', text: '{}', finishReason: 'stop' });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.path).toBe('/v1/chat/completions');
    expect(requests[0]?.headers).toMatchObject({ authorization: `Bearer ${key}`, connection: 'close', 'content-type': 'application/json' });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ ...always, max_tokens: 77 });
  });

  const { schema } = request.contract;
  const name = 'stream_thought_output_observation_1';
  const dialects: Readonly<Record<StructuredOutput, object>> = {
    none: {},
    json_object: { response_format: { type: 'json_object' } },
    openai_json_schema: { response_format: { type: 'json_schema', json_schema: { name, strict: true, schema } } },
    json_object_schema: { response_format: { type: 'json_object', schema } },
    vllm_structured_outputs: { structured_outputs: { json: schema } },
  };
  it.each(Object.entries(dialects))('in the dialect %s is exactly this', async (structuredOutput, members) => {
    const body = await sent({ structuredOutput: structuredOutput as StructuredOutput });
    expect(body).toEqual({ ...always, max_tokens: 77, ...members });
  });

  it('bounds the output by the member that the catalogue names', async () => {
    expect(await sent({ maxTokensField: 'max_completion_tokens' })).toEqual({ ...always, max_completion_tokens: 77 });
  });

  it('names a schema within what a provider takes, however long the contract’s name is', async () => {
    const contract = { name: `${'long.'.repeat(40)}@12`, schema };
    const body = await sent({ structuredOutput: 'openai_json_schema' }, { contract });
    const named = (body as { response_format: { json_schema: { name: string } } }).response_format.json_schema.name;
    expect(named).toMatch(/^[A-Za-z0-9_-]{64}$/);
    expect(named).toMatch(/_12$/);
  });

  it('without a key carries none', async () => {
    const { url, requests } = await provider(good);
    await modelAt(url, {}, { apiKey: undefined }).generate(request);
    expect(requests[0]?.headers.authorization).toBeUndefined();
  });
});

describe('the key', () => {
  it('is in the request and nowhere else: not in the model, an answer, or what either prints', async () => {
    const { url, requests } = await provider(says(401, { error: { message: `no such key: ${key}` } }));
    const models = [modelAt(url), modelAt(await unusedAddress()), modelAt('http://127.0.0.1:1/v1')];
    const ends = [];
    for (const model of models) ends.push(await model.generate(request));
    expect(requests[0]?.headers.authorization).toContain(key);
    for (const one of [...models, ...ends]) {
      expect(inspect(one, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true })).not.toContain(key);
      expect(JSON.stringify(one)).not.toContain(key);
    }
  });
});

it('a model says what it is, with its catalogue and without its address', () => {
  const { identity } = modelAt('http://127.0.0.1:1/v1');
  expect(identity).toEqual({
    provider: 'test',
    model: 'org/Big-1',
    executionAdapter: 'openai-compatible@2',
    catalog: { digest: expect.stringMatching(/^[0-9a-f]{64}$/), generation: 1 },
  });
});
