import { observation } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { completionProtocol, judgeTurn } from '../src/index.js';
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
  tokens,
  unreadable,
  violating,
} from './countedModel.js';

describe('C1-a the size is measured whole, and nothing is cut to fit', () => {
  const sized = (bytes: number): string => `{"title": "${'a'.repeat(bytes - 13)} ]`;

  it('65,536 bytes are sent as they are, and one more is refused', async () => {
    const overseer = countedModel('overseer', repairs(observed));
    expect((await ring(countedModel('primary', says(sized(65_536))), overseer).invoke()).turn.kind).toBe('completed');
    expect(JSON.parse(overseer.requests[0]?.messages[1]?.content ?? '')).toMatchObject({ malformed_arguments: sized(65_536) });
    const asked = countedModel('overseer');
    expect((await ring(countedModel('primary', says(sized(65_537))), asked).invoke()).turn).toMatchObject({
      diagnostic: { class: 'too_large', candidateBytes: 65_537 },
    });
    expect(asked.requests).toHaveLength(0);
  });
});

describe('C1-b the detail is codes and paths, and no sentence of a validator', () => {
  it('sends the overseer the issues and none of the values they are about', async () => {
    const overseer = countedModel('overseer', repairs(observed));
    await ring(countedModel('primary', says(violating)), overseer).invoke();
    const inputs = JSON.parse(overseer.requests[0]?.messages[1]?.content ?? '') as { readonly validation_detail: unknown };
    expect(inputs.validation_detail).toEqual({
      class: 'contract_violation',
      issues: [{ code: 'type', path: '/confidence' }],
      issueCount: 1,
    });
  });
});

describe('C1-c a cancellation is always closed in the trace', () => {
  it.each([0, 1, 2, 3, 5])('given up %i turns after the call began', async (turns) => {
    const giveUp = new AbortController();
    const overseer = countedModel('overseer', async () => {
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      giveUp.abort();
      return new Promise(() => undefined);
    });
    const { invoke, events } = ring(countedModel('primary', says(unreadable)), overseer);
    expect((await invoke(requestWith({ signal: giveUp.signal }))).turn.kind).toBe('cancelled');
    expect(events).toMatchObject([{ kind: 'started' }, { kind: 'failed', reason: 'cancelled' }]);
  });
});

describe('C1-d the finish reason of the provider reaches the protocol', () => {
  it('what stop makes repairable is neither repaired nor overseen after length', async () => {
    const text = `{'title': 'a',}`;
    const overseer = countedModel('overseer', repairs(observed));
    expect((await ring(countedModel('primary', says(text, 'stop')), overseer).invoke()).calls).toHaveLength(2);
    expect((await ring(countedModel('primary', says(text, 'length')), countedModel('overseer')).invoke()).calls).toHaveLength(1);
  });
});

describe('C1-e the usage of every call is in the accounts', () => {
  it.each([
    ['a repair', repairs(observed), 'completed'],
    ['a failed repair', says('no', 'stop'), 'malformed'],
  ] as const)('%s', async (_, answer, kind) => {
    const primary = countedModel('small', says(unreadable, 'stop', tokens(100, 20)));
    const overseer = countedModel('large', { ...answer, usage: tokens(300, 40) } as never);
    const { invoke, events } = ring(primary, overseer);
    const { turn, calls } = await invoke();
    expect(turn.kind).toBe(kind);
    expect(calls).toEqual([
      { call: 'primary', model: 'small', finish: 'complete', usage: tokens(100, 20) },
      { call: 'overseer', model: 'large', finish: 'complete', usage: tokens(300, 40) },
    ]);
    expect(events[1]).toMatchObject({ usage: tokens(300, 40) });
  });
});

describe('C1-f a schema that does not compile is a configuration error', () => {
  it.each([{ type: 'objekt' }, { $ref: '#/$defs/missing' }, { unknownWord: 1 }, { $async: true, type: 'object' }])(
    '%j is refused when the protocol is made, not taken as no validation',
    (schema) => {
      expect(() => protocolOf(schema as never)).toThrow(expect.objectContaining({ code: 'contract_schema_invalid' }));
      const contract = { ...observationProtocol.contract, schema: schema as never };
      expect(() => completionProtocol(contract)).toThrow(expect.objectContaining({ code: 'contract_schema_invalid' }));
    },
  );
});

it('a control: the texts of these tests are what they claim to be', () => {
  expect(judgeTurn(observationProtocol, { text: unreadable, finishReason: 'stop' })).toMatchObject({
    diagnostic: { class: 'invalid_json' },
  });
  expect(judgeTurn(observationProtocol, { text: violating, finishReason: 'stop' })).toMatchObject({
    diagnostic: { class: 'contract_violation', contract: { id: observation.id } },
  });
  expect(unreadable).toContain(canary);
});
