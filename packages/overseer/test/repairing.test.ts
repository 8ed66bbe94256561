import { readFileSync } from 'node:fs';
import { compileContract, type JsonObject, observation } from '@emend/contracts';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { completionProtocol, type Invocation, invocationOf, MAX_OUTPUT_REPAIR_ATTEMPTS_PER_INVOCATION, repairing } from '../src/index.js';
import { envelopeSchema } from '../src/call/repairRequest.js';
import {
  canary,
  countedModel,
  observationProtocol,
  observed,
  protocolOf,
  repairs,
  requestWith,
  ring,
  says,
  unreadable,
  violating,
} from './countedModel.js';

describe('an invocation with an overseer around it', () => {
  it.each([
    ['exact', JSON.stringify(observed)],
    ['repaired', `${JSON.stringify(observed).slice(0, -1)},}`],
  ])('an output that is %s is the primary’s own, and nobody else is asked', async (obtained, text) => {
    const overseer = countedModel('overseer');
    const { invoke, events } = ring(countedModel('primary', says(text)), overseer);
    const { turn, calls } = await invoke();
    expect(turn).toMatchObject({ kind: 'completed', output: observed, obtained });
    expect([calls.length, overseer.requests.length, events.length]).toEqual([1, 0, 0]);
  });

  it.each([
    ['unreadable', unreadable],
    ['violating', violating],
  ])('a text that is %s is repaired by one call, and looks completed like any other (O13, O15, O17)', async (_, text) => {
    const { invoke, events } = ring(countedModel('primary', says(text)), countedModel('large', repairs(observed)));
    const { turn } = await invoke(requestWith({ run: 'r1' }));
    const plain = await ring(countedModel('primary', says(JSON.stringify(observed))), countedModel('none')).invoke();
    if (turn.kind !== 'completed' || plain.turn.kind !== 'completed') throw new Error('both are completed');
    const { output, text: canonical, edits } = plain.turn;
    expect(turn).toMatchObject({ kind: 'completed', output, text: canonical, edits, obtained: 'overseen' });
    const facts = { invocation: 'i1', run: 'r1', model: 'large', bytes: Buffer.byteLength(text) };
    expect(events).toMatchObject([
      { kind: 'started', ...facts },
      { kind: 'succeeded', ...facts },
    ]);
  });

  it('an answer with several readings is repairable', async () => {
    const text = '{"title": "a "b", "c" d", "summary": "s", "tags": [], "confidence": 1, "evidence": []}';
    const overseer = countedModel('overseer', repairs(observed));
    expect((await ring(countedModel('primary', says(text)), overseer).invoke()).turn.kind).toBe('completed');
    expect(overseer.requests).toHaveLength(1);
  });

  it('asks one more time at most, whatever comes of it (O2, O25, I4)', async () => {
    expect(MAX_OUTPUT_REPAIR_ATTEMPTS_PER_INVOCATION).toBe(1);
    for (const answer of [says(unreadable), says(violating), says('', 'length'), repairs({}), repairs(observed)]) {
      const [primary, overseer] = [countedModel('primary', says(unreadable)), countedModel('overseer', answer)];
      const { calls } = await ring(primary, overseer).invoke();
      expect([primary.requests.length, overseer.requests.length, calls.length]).toEqual([1, 1, 2]);
    }
  });

  it('each invocation has its own allowance', async () => {
    const [primary, overseer] = [
      countedModel('primary', says(unreadable), says(unreadable)),
      countedModel('overseer', says('no'), repairs(observed)),
    ];
    const { invoke } = ring(primary, overseer);
    expect([(await invoke()).turn.kind, (await invoke()).turn.kind]).toEqual(['malformed', 'completed']);
  });

  it('a primary that throws throws as before', async () => {
    await expect(ring(countedModel('primary'), countedModel('overseer')).invoke()).rejects.toThrow('no step 1');
  });

  it('is the same port inside and outside (O8, O11)', () => {
    expectTypeOf(repairing).returns.toEqualTypeOf<Invocation>();
    expectTypeOf(repairing).parameter(0).toEqualTypeOf<Invocation>();
    expectTypeOf(invocationOf).returns.toEqualTypeOf<Invocation>();
  });
});

describe('the request to the overseer', () => {
  it('is isolated: two messages of our own, the limits and the signal of the primary, and nothing of its transcript (O14, O28 to O32)', async () => {
    const overseer = countedModel('overseer', repairs(observed));
    const request = requestWith({ messages: [{ role: 'user', content: `TRANSCRIPT ${canary}2` }] });
    await ring(countedModel('primary', says(unreadable)), overseer).invoke(request);
    const [sent] = overseer.requests;
    expect(sent?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(sent?.limits).toBe(request.limits);
    expect(sent?.signal).toBe(request.signal);
    expect(sent?.contract).toEqual({
      name: `${observation.id}@1_output_repair`,
      schema: envelopeSchema(observation.schema),
    });
    expect(JSON.stringify(sent)).not.toContain('TRANSCRIPT');
    expect(JSON.parse(sent?.messages[1]?.content ?? '')).toEqual({
      malformed_arguments: unreadable,
      validation_detail: { class: 'invalid_json', issues: [{ code: 'not_json', path: '' }], issueCount: 1 },
      tool_name: 'submit_output',
      expected_output_schema: observation.schema,
    });
  });

  it('has a contract of its own that demands exactly the repaired arguments, whose references still lead somewhere', () => {
    const tree: JsonObject = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, root: { $ref: '#' } } } },
      type: 'object',
      required: ['node'],
      properties: { node: { $ref: '#/$defs/node' }, kind: { const: { $ref: '#/data' } } },
    };
    const { check } = compileContract({ ...observation, schema: envelopeSchema(tree) });
    const kindOf = (value: unknown) => check(value).kind;
    expect(kindOf({ repaired_arguments: { node: { next: { root: { node: {} } } }, kind: { $ref: '#/data' } } })).toBe('valid');
    expect(kindOf({ repaired_arguments: { node: { next: { root: {} } } } })).toBe('invalid');
    expect(kindOf({ repaired_arguments: { node: {} }, more: 1 })).toBe('invalid');
    expect(kindOf({})).toBe('invalid');
  });
});

it('a schema with an id of its own keeps its references in the envelope', () => {
  const schema: JsonObject = {
    $id: 'https://schemas.example/tree',
    $defs: { leaf: { type: 'integer' } },
    type: 'object',
    properties: { leaf: { $ref: '#/$defs/leaf' } },
  };
  const { check } = compileContract({ ...observation, schema: envelopeSchema(schema) });
  expect([1, 'x'].map((leaf) => check({ repaired_arguments: { leaf } }).kind)).toEqual(['valid', 'invalid']);
});

describe('an overseer in a run of role repair', () => {
  it('is absent by construction: one call, whatever is malformed', async () => {
    const overseer = countedModel('overseer', repairs(observed));
    const { invoke, events } = ring(countedModel('primary', says(unreadable)), overseer, { role: 'repair' });
    expect((await invoke()).turn.kind).toBe('malformed');
    expect([overseer.requests.length, events.length]).toEqual([0, 0]);
  });

  it('is not in reach of the repair agent: its manifest does not name this package', () => {
    const manifest = readFileSync(new URL('../../../services/repair-agent/package.json', import.meta.url), 'utf8');
    expect(manifest).toContain('@emend/model');
    expect(manifest).not.toContain('@emend/overseer');
  });

  it('keeps lossless reading, which asks nobody', async () => {
    const { invoke } = ring(countedModel('primary', says(`${JSON.stringify(observed).slice(0, -1)},}`)), countedModel('none'), {
      role: 'repair',
    });
    expect((await invoke()).turn).toMatchObject({ kind: 'completed', obtained: 'repaired' });
  });
});

describe('the carrier', () => {
  it('a tool-call stop ends the arguments of a call, and is refused as the end of a message', async () => {
    const text = JSON.stringify(observed);
    const protocol = completionProtocol(observationProtocol.contract, { carrier: 'tool_call' });
    const judged = ring(countedModel('primary', says(text, 'tool_calls')), countedModel('none'), { protocol }).invoke();
    expect((await judged).turn.kind).toBe('completed');
    const content = ring(countedModel('primary', says(text, 'tool_calls')), countedModel('none')).invoke();
    expect((await content).turn).toMatchObject({ diagnostic: { class: 'tool_call' }, candidate: null });
  });

  it('the repair of a call’s arguments is judged by the same protocol', async () => {
    const protocol = completionProtocol(observationProtocol.contract, { carrier: 'tool_call' });
    const { turn } = await ring(countedModel('primary', says(violating, 'tool_calls')), countedModel('overseer', repairs(observed)), {
      protocol,
    }).invoke();
    expect(turn).toMatchObject({ kind: 'completed', obtained: 'overseen' });
  });
});

it('a short text whose canonical form is too long is a violation too', async () => {
  const protocol = protocolOf({ type: 'object', properties: { text: { type: 'string' } } });
  const { turn } = await ring(
    countedModel('primary', says(`{"text": "a${'\u0001'.repeat(9_000)}b"}`)),
    countedModel('overseer', says('no')),
    { protocol },
  ).invoke();
  expect(turn).toMatchObject({ diagnostic: { class: 'contract_violation', issues: [{ code: 'too_long', path: '' }] } });
});

it('a value that the decoder takes and the contract does not is a violation with a candidate', async () => {
  const protocol = protocolOf({ type: 'object', properties: { text: { type: 'string' } } });
  const text = JSON.stringify({ text: 'a'.repeat(60_000) });
  const { turn } = await ring(countedModel('primary', says(text)), countedModel('overseer', says('no')), { protocol }).invoke();
  expect(turn).toMatchObject({ diagnostic: { class: 'contract_violation', issues: [{ code: 'too_long', path: '' }] } });
});
