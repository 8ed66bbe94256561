import { inspect } from 'node:util';
import { encodeOutputRepairEvent } from '@emend/contracts';
import type { ModelAnswer } from '@emend/model';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { judgeTurn, OutputRepairCandidate } from '../src/index.js';
import {
  canary,
  countedModel,
  observationProtocol,
  observed,
  repairs,
  requestWith,
  ring,
  says,
  unreadable,
  violating,
} from './countedModel.js';

const seen = (value: unknown): string =>
  [
    inspect(value, { showHidden: true, depth: Number.POSITIVE_INFINITY }),
    inspect(value, { customInspect: false, showHidden: true, depth: Number.POSITIVE_INFINITY }),
    JSON.stringify(value),
    String(value),
  ].join('\n');

describe('a candidate shows its size and nothing else (O33)', () => {
  const candidate = OutputRepairCandidate.of(unreadable, { title: canary });

  it('to inspect, serializers, templates, spread and a structured clone', () => {
    if (candidate === null) throw new Error('it is small');
    const shown = [
      seen(candidate),
      `${candidate}`,
      seen(Object.assign({}, candidate)),
      seen(structuredClone(candidate)),
      seen(new Error('wrap', { cause: candidate })),
    ];
    expect(shown.join('\n')).not.toContain(canary);
    expect(String(candidate)).toBe(`OutputRepairCandidate(${Buffer.byteLength(unreadable)} bytes)`);
    expect(JSON.stringify({ candidate })).toBe(`{"candidate":{"bytes":${Buffer.byteLength(unreadable)}}}`);
  });

  it('a control: what is looked for would be found in an ordinary object', () => {
    expect(seen({ deep: { text: unreadable } })).toContain(canary);
    expect(seen(new Error('wrap', { cause: new Error(canary) }))).toContain(canary);
  });
});

describe('a secret in a malformed output is in no result, error, trace, console line or warning (I1, F22)', () => {
  const written: string[] = [];
  const warn = (warning: Error) => void written.push(seen(warning));
  beforeEach(() => {
    written.length = 0;
    for (const method of ['log', 'info', 'warn', 'error', 'debug', 'trace'] as const) {
      vi.spyOn(console, method).mockImplementation((...parts) => void written.push(parts.map(seen).join(' ')));
    }
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0);
    process.on('warning', warn);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    process.off('warning', warn);
  });

  const throwing = (): never => {
    throw Object.assign(new Error(`${canary} in a message`, { cause: new Error(canary) }), { body: canary });
  };
  const ends: readonly (readonly [string, string, string, ModelAnswer | (() => ModelAnswer)])[] = [
    ['unreadable, the overseer crashes', unreadable, 'stop', throwing],
    ['unreadable, the overseer repeats it in prose', unreadable, 'stop', says(`Sorry: ${canary}`)],
    ['violating, the overseer breaks it again', violating, 'stop', repairs({ ...observed, confidence: canary })],
    ['violating, the overseer returns it', violating, 'stop', repairs(JSON.parse(violating))],
    ['violating, an invented name', JSON.stringify({ ...observed, [canary]: 1 }), 'stop', says(canary, 'length')],
    ['cut off', `{"title": "${canary}`, 'length', throwing],
    ['refused', canary, 'refusal', throwing],
    ['an unknown stop word that holds it', unreadable, canary, throwing],
    ['too large', canary.repeat(10_000), 'stop', throwing],
    ['a tool call', canary, 'tool_calls', throwing],
    ['an error object', JSON.stringify({ error: { type: 'x', message: canary } }), 'stop', throwing],
    ['the cancelled one', unreadable, 'stop', { kind: 'failed', code: 'call_cancelled' }],
  ];

  it.each(ends)('%s', async (_, text, finishReason, answer) => {
    const { invoke, events } = ring(countedModel('primary', says(text, finishReason)), countedModel('overseer', answer));
    const invoked = await invoke();
    expect(invoked.turn.kind).not.toBe('completed');
    const published = events.map((event) => {
      const { subject, bytes } = encodeOutputRepairEvent(event, { producer: 'p', time: '2026-01-02T03:04:05.678Z' });
      return `${subject} ${new TextDecoder().decode(bytes)}`;
    });
    expect([seen(invoked), seen(events), ...published, ...written].join('\n')).not.toContain(canary);
  });

  it('codes and paths are there', () => {
    const turn = judgeTurn(observationProtocol, { text: violating, finishReason: 'stop' });
    expect(turn).toMatchObject({ diagnostic: { issues: [{ code: 'type', path: '/confidence' }] } });
  });

  it('a sink that throws or rejects hurts nobody and is not repeated', async () => {
    for (const trace of [throwing, () => Promise.reject(new Error(canary))]) {
      const { invoke } = ring(countedModel('primary', says(unreadable)), countedModel('overseer', repairs(observed)), { trace });
      expect((await invoke(requestWith())).turn).toMatchObject({ kind: 'completed', obtained: 'overseen' });
    }
    expect(written).toEqual([]);
  });
});
