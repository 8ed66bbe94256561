import type { Model, ModelAnswer } from '@emend/model';
import { expect, it } from 'vitest';
import { modelCalls } from '../src/adapters/modelCalls.js';

const usage = { promptTokens: 9, completionTokens: 2 };
const said = (text: string, finishReason: string | null = 'stop'): ModelAnswer => ({ kind: 'generated', text, finishReason, usage });
const identity = { provider: 'fake', model: 'small-1', executionAdapter: 'fake@1', catalog: { digest: 'c'.repeat(64), generation: 1 } };

function port(answers: readonly ModelAnswer[], change: { readonly admission?: number; readonly held?: Promise<void> } = {}) {
  let [calls, running, most] = [0, 0, 0];
  const pauses: number[] = [];
  const model: Model = {
    identity,
    async generate() {
      running += 1;
      most = Math.max(most, running);
      const answer = answers[Math.min(calls, answers.length - 1)];
      calls += 1;
      await change.held;
      running -= 1;
      if (answer === undefined) throw new Error('no answer');
      return answer;
    },
  };
  const timers = {
    after(ms: number, run: () => void) {
      pauses.push(ms);
      queueMicrotask(run);
      return () => {};
    },
  };
  const limits = { outputTokensMax: 100, generationMs: 1_000 };
  const call = modelCalls({
    profiles: new Map([['small', { answers: model, repairs: null }]]),
    admission: change.admission ?? 8,
    limits,
    timers,
    transportRetriesMax: 2,
  });
  const ask = (signal = new AbortController().signal) =>
    call({ messages: [{ role: 'user', content: 'x' }], schema: {}, profile: 'small', signal });
  return { ask, call, pauses, calls: () => calls, most: () => most };
}

it('asks again where nothing was generated, with growing pauses, and counts it (A106)', async () => {
  const down = { kind: 'not_generated', code: 'rate_limited' } as const;
  const one = port([down, down, said('yes')]);
  expect(await one.ask()).toEqual({ kind: 'answered', text: 'yes', transportRetries: 2, structuralRepairs: 0, usage });
  expect(one.pauses).toEqual([1_000, 2_000]);
  const never = port([down]);
  expect(await never.ask()).toMatchObject({ kind: 'failed', code: 'rate_limited', transportRetries: 2 });
  expect(never.calls()).toBe(3);
});

it('never asks again where something may have been generated', async () => {
  const one = port([{ kind: 'failed', code: 'context_exceeded' }]);
  expect(await one.ask()).toMatchObject({ kind: 'failed', code: 'context_exceeded', transportRetries: 0 });
  expect(one.calls()).toBe(1);
});

it.each([
  ['length', 'answer_truncated'],
  ['content_filter', 'answer_refused'],
  ['tool_calls', 'answer_tool_call'],
])('a whole text that ended by %s is no answer', async (reason, code) => {
  expect(await port([said('{}', reason)]).ask()).toMatchObject({ kind: 'failed', code, usage });
});

it('admits no more calls at once than it may (A90, A124)', async () => {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const one = port([said('yes')], { admission: 3, held });
  const all = Promise.all(Array.from({ length: 10 }, () => one.ask()));
  while (one.calls() < 3) await new Promise((resolve) => setImmediate(resolve));
  release();
  await all;
  expect([one.most(), one.calls()]).toEqual([3, 10]);
});

it('a caller that gives up does not wait for a pause to end', async () => {
  const stop = new AbortController();
  stop.abort();
  expect(await port([{ kind: 'not_generated', code: 'rate_limited' }]).ask(stop.signal)).toMatchObject({
    kind: 'failed',
    transportRetries: 0,
  });
});
