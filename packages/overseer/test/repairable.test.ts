import type { JsonValue } from '@emend/contracts';
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { type CallAnswer, type CallRequest, repairable } from '../src/index.js';

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'age'],
  properties: { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } },
} as const;

/** A call that answers from a script and counts. */
function calls(...script: (CallAnswer | string | (() => CallAnswer | Promise<CallAnswer>))[]) {
  const asked: CallRequest[] = [];
  const callModel = async (request: CallRequest): Promise<CallAnswer> => {
    const step = script[asked.length];
    asked.push(request);
    if (step === undefined) throw new Error('a call too many');
    if (typeof step === 'string') return { text: step, finishReason: 'stop' };
    return typeof step === 'function' ? step() : step;
  };
  return { asked, callModel };
}

const fixed = JSON.stringify({ repaired_arguments: { name: 'CANARYname', age: 3 } });
const person = { name: 'CANARYname', age: 3 };
const violating = '{"name": "CANARYname", "age": "CANARYage"}';

describe('the front door', () => {
  it.each([
    ['exact', '{"name": "CANARYname", "age": 3}', []],
    ['repaired', "```json\n{'name': 'CANARYname', 'age': 3,}\n```", ['fence_removed', 'quote_style', 'trailing_comma']],
  ])('%s: one call', async (status, text, codes) => {
    const { asked, callModel } = calls(text);
    const result = await repairable(callModel, { schema, messages: [{ role: 'user', content: 'Who?' }] });
    expect(result).toMatchObject({ status, value: person, attempts: [{ purpose: 'primary', model: null, finish: 'complete' }] });
    expect(result.edits.map(({ code }) => code).toSorted()).toEqual(codes);
    expect(asked).toMatchObject([{ purpose: 'primary', schema, messages: [{ content: 'Who?' }] }]);
  });

  it('overseen: two calls, the second with messages, schema and model of its own, and the usage of both', async () => {
    const usage = { promptTokens: 10, completionTokens: 5 };
    const { asked, callModel } = calls(
      { text: violating, finishReason: 'stop', usage },
      { text: fixed, finishReason: 'stop', usage: { promptTokens: 7 } },
    );
    const result = await repairable(callModel, { schema, messages: [{ role: 'user', content: 'Who?' }], outputRepairModel: ' large ' });
    expect(result).toEqual({
      status: 'overseen',
      value: person,
      edits: [],
      usage: { promptTokens: 17, completionTokens: 5 },
      attempts: [
        { purpose: 'primary', model: null, finish: 'complete', usage },
        { purpose: 'overseer', model: 'large', finish: 'complete', usage: { promptTokens: 7, completionTokens: null } },
      ],
    });
    expect(asked[0]).not.toHaveProperty('model');
    expect(asked[1]).toMatchObject({ purpose: 'overseer', model: 'large', schema: { required: ['repaired_arguments'] } });
    expect(JSON.stringify(asked[1]?.messages)).not.toContain('Who?');
  });

  it.each([' ', '', undefined])('a model that is blank (%j) is the one that answered', async (outputRepairModel) => {
    const { asked, callModel } = calls(violating, fixed);
    expect((await repairable(callModel, { schema, outputRepairModel })).attempts[1]).toMatchObject({ purpose: 'overseer', model: null });
    expect(asked[1]).not.toHaveProperty('model');
  });

  it('failed: codes, paths and sizes of the first answer, and none of its text', async () => {
    const { callModel } = calls(violating, 'I could not repair CANARYname');
    const result = await repairable(callModel, { schema });
    expect(result).toMatchObject({
      status: 'failed',
      diagnostic: { class: 'contract_violation', issues: [{ code: 'type', path: '/age' }], candidateBytes: Buffer.byteLength(violating) },
    });
    expect(JSON.stringify(result)).not.toContain('CANARY');
  });

  it('without an overseer there is never a second call', async () => {
    const { asked, callModel } = calls(violating);
    expect((await repairable(callModel, { schema, overseer: false })).status).toBe('failed');
    expect(asked).toHaveLength(1);
  });

  it('what the first call throws is thrown on, and what the second throws is dropped', async () => {
    const broken = new Error('no network');
    const fails = () => Promise.reject(broken);
    await expect(repairable(calls(fails).callModel, { schema })).rejects.toBe(broken);
    expect(await repairable(calls(violating, fails).callModel, { schema })).toMatchObject({ status: 'failed', attempts: { length: 2 } });
  });

  it('a signal that aborts is a cancelled result, whatever the call throws then', async () => {
    const giveUp = new AbortController();
    const { callModel } = calls(() => {
      giveUp.abort();
      return Promise.reject(new DOMException('aborted', 'AbortError'));
    });
    const result = await repairable(callModel, { schema, signal: giveUp.signal });
    expect(result).toMatchObject({
      status: 'failed',
      diagnostic: { class: 'cancelled' },
      attempts: [{ purpose: 'primary', finish: null }],
    });
  });

  it.each([
    ['rate_limit_error', 'rate_limited'],
    ['api_error', 'provider_outage'],
  ])('an error object of type %s as the text is %s, not an answer', async (type, expected) => {
    const { callModel } = calls(JSON.stringify({ error: { type, message: 'CANARY' } }));
    expect(await repairable(callModel, { schema })).toMatchObject({ status: 'failed', diagnostic: { class: expected } });
  });

  it('tells its trace', async () => {
    const told: unknown[] = [];
    await repairable(calls(violating, fixed).callModel, {
      schema,
      trace: (event) => told.push(event),
      invocation: 'i7',
      outputRepairModel: 'large',
    });
    expect(told).toMatchObject([{ kind: 'started', invocation: 'i7', model: 'large' }, { kind: 'succeeded' }]);
  });

  it('passes options to the decoder', async () => {
    const text = `Here it is: ${JSON.stringify(person)}`;
    expect((await repairable(calls(text).callModel, { schema })).status).toBe('repaired');
    expect((await repairable(calls(text).callModel, { schema, overseer: false, decode: { wrapping: { prose: false } } })).status).toBe(
      'failed',
    );
  });

  it('does not keep what was asked of the decoder once', async () => {
    const own = { ...schema };
    const text = `Here it is: ${JSON.stringify(person)}`;
    const { asked, callModel } = calls(text, text);
    const strict = { wrapping: { prose: false } };
    expect((await repairable(callModel, { schema: own, overseer: false, decode: strict })).status).toBe('failed');
    expect((await repairable(callModel, { schema: own, overseer: false })).status).toBe('repaired');
    expect(asked.map(({ messages }) => messages)).toEqual([[], []]);
  });

  it('takes the repairing model under its alias, and refuses two that differ before anything is called', async () => {
    const { asked, callModel } = calls(violating, fixed);
    await repairable(callModel, { schema, output_repair_model: 'large' });
    expect(asked[1]).toMatchObject({ purpose: 'overseer', model: 'large' });
    const both = repairable(callModel, { schema, outputRepairModel: 'a', output_repair_model: 'b' });
    await expect(both).rejects.toMatchObject({ code: 'output_repair_model_twice' });
    expect(asked).toHaveLength(2);
  });

  it('refuses a schema that does not compile before anything is called (C1-f)', async () => {
    const { asked, callModel } = calls('{}');
    await expect(repairable(callModel, { schema: { type: 'objekt' } })).rejects.toMatchObject({ code: 'contract_schema_invalid' });
    expect(asked).toHaveLength(0);
  });
});

describe('schemas of other libraries', () => {
  const zod = z.object({ name: z.string(), age: z.int().min(0).max(9) });
  const valibot = v.object({ name: v.string(), age: v.pipe(v.number(), v.integer(), v.maxValue(9)) });

  it.each([
    ['zod', zod],
    ['valibot, with its own wrapper', toStandardJsonSchema(valibot)],
  ])('%s says its JSON Schema itself', async (_, given) => {
    const { asked, callModel } = calls('{"name": "a", "age": 30}', JSON.stringify({ repaired_arguments: { name: 'a', age: 3 } }));
    expect(await repairable(callModel, { schema: given })).toMatchObject({ status: 'overseen', value: { name: 'a', age: 3 } });
    expect(asked[0]?.schema).toMatchObject({ type: 'object', required: ['name', 'age'] });
  });

  it('valibot without the wrapper needs its converter, and is refused without', async () => {
    const convert = () => toJsonSchema(valibot, { target: 'draft-2020-12' });
    const { callModel } = calls('{"name": "a", "age": 3}');
    expect(await repairable(callModel, { schema: valibot, toJsonSchema: convert })).toMatchObject({ status: 'exact' });
    const plain = v.object({ name: v.string() });
    await expect(repairable(callModel, { schema: plain })).rejects.toMatchObject({ code: 'schema_without_json_schema' });
  });

  it('a schema with a part that JSON does not have is refused by code, and the cause says which', async () => {
    const { asked, callModel } = calls('{}');
    await expect(repairable(callModel, { schema: z.object({ at: z.date() }) })).rejects.toMatchObject({
      code: 'schema_without_json_schema',
      cause: { message: expect.stringContaining('Date') as unknown },
    });
    expect(asked).toHaveLength(0);
  });

  it('the value is what the schema makes of it', async () => {
    const dated = z.object({ at: z.string().transform((text) => text.length), kind: z.string().default('none') });
    const result = await repairable(calls('{"at": "four"}').callModel, { schema: dated });
    expect(result).toMatchObject({ status: 'exact', value: { at: 4, kind: 'none' } });
    if (result.status !== 'failed') expectTypeOf(result.value).toEqualTypeOf<{ at: number; kind: string }>();
  });

  it('the value of a JSON Schema is a JSON value', async () => {
    const result = await repairable(calls('{"name": "a", "age": 1}').callModel, { schema });
    if (result.status !== 'failed') expectTypeOf(result.value).toEqualTypeOf<JsonValue>();
    expect(result.status).toBe('exact');
  });

  it('a check of its own that fails is a violation at its path, without its message, and asks nobody', async () => {
    const refined = z.object({ name: z.string().refine((name) => name !== 'CANARY', { error: (issue) => `not ${String(issue.input)}` }) });
    const { asked, callModel } = calls('{"name": "CANARY"}');
    const result = await repairable(callModel, { schema: refined });
    expect(result).toMatchObject({ diagnostic: { class: 'contract_violation', issues: [{ code: 'other_constraint', path: '/name' }] } });
    expect([JSON.stringify(result).includes('CANARY'), asked.length]).toEqual([false, 1]);
  });

  it('a check of its own that throws has not said yes', async () => {
    const throwing = z.object({ name: z.string() }).refine(({ name }) => {
      throw new Error(name);
    });
    const result = await repairable(calls('{"name": "CANARY"}').callModel, { schema: throwing });
    expect(result).toMatchObject({ status: 'failed', diagnostic: { issues: [{ code: 'other_constraint', path: '' }] } });
    expect(JSON.stringify(result)).not.toContain('CANARY');
  });

  it('shapes that people write compile', async () => {
    const shapes = z.object({
      when: z.iso.datetime(),
      mail: z.email().optional(),
      tags: z.array(z.string()).max(3),
      kind: z.enum(['a', 'b']).nullable(),
      either: z.discriminatedUnion('is', [
        z.object({ is: z.literal('n'), n: z.number() }),
        z.object({ is: z.literal('s'), s: z.string() }),
      ]),
      more: z.record(z.string(), z.number()),
      any: z.union([z.string(), z.number()]),
    });
    const value = { when: '2026-01-02T03:04:05Z', tags: [], kind: null, either: { is: 'n', n: 1 }, more: { a: 1 }, any: 'x' };
    expect(await repairable(calls(JSON.stringify(value)).callModel, { schema: shapes })).toMatchObject({ status: 'exact', value });
  });
});
