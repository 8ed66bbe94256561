import type { Model, ModelAnswer, ModelRequest } from '@emend/model';
import { systemTimers } from '@emend/runtime';
import { describe, expect, it } from 'vitest';
import { modelCalls } from '../src/adapters/modelCalls.js';
import { correctionSetContract } from '../src/domain/corrections.js';
import { approve, correction, revise, withdraw } from './scriptedModel.js';
import { contextOf, done, sectionWith, stageOn, textsOf } from './stageOn.js';

const usage = { promptTokens: 100, completionTokens: 10 };
const identity = { provider: 'fake', model: 'small-1', executionAdapter: 'fake@1', catalog: { digest: 'c'.repeat(64), generation: 1 } };
const good = correction('they was', 'they were');
const bad = correction('at six', 'at seven');
const text = 'they was late and we met at six';
const grammar = contextOf({ section: sectionWith([text]) });

type Said = string | ModelAnswer;
type Purpose = 'propose' | 'decide' | 'revise' | 'repair';

const fenced = (value: unknown): string => `Here it is:\n\`\`\`json\n${JSON.stringify(value)}\n\`\`\``;
const trailing = (value: unknown): string => JSON.stringify(value).replace(/}$/, ',}');
/** A sign that has no meaning in JSON: nothing lossless can be read out of it. */
const torn = (value: unknown): string => JSON.stringify(value).replace(':', ' = ');
const cutOff = (value: unknown): string => JSON.stringify(value).slice(0, -9);
const overseen = (value: unknown): string => JSON.stringify({ repaired_arguments: value });
const ended = (reply: string, finishReason: string): ModelAnswer => ({ kind: 'generated', text: reply, finishReason, usage });

/** A provider that answers by what is asked for, in order, the last for ever; it counts every call. */
function provider(script: Partial<Record<Purpose, readonly Said[]>>) {
  const calls: Purpose[] = [];
  const requests: ModelRequest[] = [];
  const model: Model = {
    identity,
    generate(request) {
      const purpose = purposeOf(request);
      const said = script[purpose] ?? [JSON.stringify(approve)];
      const answer = said[Math.min(calls.filter((one) => one === purpose).length, said.length - 1)] ?? '';
      calls.push(purpose);
      requests.push(request);
      return Promise.resolve(typeof answer === 'string' ? { kind: 'generated', text: answer, finishReason: 'stop', usage } : answer);
    },
  };
  return { model, calls, requests };
}

function purposeOf({ contract: { schema } }: ModelRequest): Purpose {
  const said = JSON.stringify(schema);
  if (said.includes('repaired_arguments')) return 'repair';
  if (said.includes('proposal_ref')) return 'revise';
  return schema['properties'] === undefined ? 'decide' : 'propose';
}

const portOver = (model: Model, outputRepair = true) =>
  modelCalls({
    profiles: new Map([['small', { answers: model, repairs: outputRepair ? model : null }]]),
    admission: 4,
    limits: { outputTokensMax: 100, generationMs: 1_000 },
    timers: { ...systemTimers, after: (_, run) => (queueMicrotask(run), () => {}) },
    transportRetriesMax: 2,
  });

const oneStage = async (
  script: Parameters<typeof provider>[0],
  change: { readonly budget?: number; readonly outputRepair?: boolean } = {},
) => {
  const { model, calls, requests } = provider(script);
  const { budget = 1, outputRepair = true } = change;
  return { end: await stageOn({ call: portOver(model, outputRepair) }, grammar, { budget }), calls, requests };
};
const propose = (...corrections: readonly object[]) => ({ corrections });

describe('a structured answer that is not read as it came', () => {
  it.each([
    ['a fence', fenced(propose(good))],
    ['a comma too many', trailing(propose(good))],
  ])('a list of proposals with %s costs no further call, and leaves its mark', async (_, reply) => {
    const { end, calls } = await oneStage({ propose: [reply] });
    expect(textsOf(done(end))).toEqual(['they were late and we met at six']);
    expect(calls).toEqual(['propose', 'decide', 'decide']);
    expect(done(end).calls.proposals).toEqual({
      calls: 1,
      transportRetries: 0,
      structuralRepairs: 0,
      repairedReplies: 1,
      ...usage,
    });
  });

  it('a list that cannot be read is repaired by one call, counted apart from attempts and retries (A106)', async () => {
    const down: ModelAnswer = { kind: 'not_generated', code: 'rate_limited' };
    const script = { propose: [down, torn(propose(good, bad))], revise: [withdraw('p2')].map((one) => JSON.stringify(one)) };
    const { end, calls } = await oneStage({ ...script, repair: [overseen(propose(good, bad))] });
    expect(textsOf(done(end))).toEqual(['they were late and we met at six']);
    expect(calls.filter((one) => one === 'repair')).toHaveLength(1);
    expect(done(end).calls.proposals).toEqual({
      calls: 1,
      transportRetries: 1,
      structuralRepairs: 1,
      repairedReplies: 1,
      promptTokens: 200,
      completionTokens: 20,
    });
    expect(done(end).repairOutcomes).toMatchObject([{ attempts: 1, structuralRepairs: 0, transportRetries: 0, disposition: 'withdrawn' }]);
  });

  it('a revision is repaired inside its one attempt, and the ledger of its branch has the tokens of both calls (A89, A106)', async () => {
    const answer = revise('p1', correction('six', 'six.'));
    const { end, calls } = await oneStage({ propose: [JSON.stringify(propose(bad))], revise: [torn(answer)], repair: [overseen(answer)] });
    expect(textsOf(done(end))).toEqual(['they was late and we met at six.']);
    expect(done(end).repairOutcomes).toMatchObject([
      { attempts: 1, structuralRepairs: 1, transportRetries: 0, usage: [{ promptTokens: 200, completionTokens: 20 }], applied: true },
    ]);
    expect(calls.filter((one) => one === 'revise' || one === 'repair')).toEqual(['revise', 'repair']);
    expect(done(end).calls.revisions).toMatchObject({ calls: 1, structuralRepairs: 1, repairedReplies: 1, promptTokens: 200 });
  });

  it('a decision is repaired like any other answer', async () => {
    const { end, calls } = await oneStage({
      propose: [JSON.stringify(propose(good))],
      decide: [torn(approve)],
      repair: [overseen(approve)],
    });
    expect(textsOf(done(end))).toEqual(['they were late and we met at six']);
    expect(calls).toEqual(['propose', 'decide', 'repair', 'decide', 'repair']);
    expect(done(end).calls.decisions).toMatchObject({ calls: 2, structuralRepairs: 2, repairedReplies: 2 });
  });

  it('the conversation goes on with the reply as it came, and a repair is no turn of it (A48, A55, A56)', async () => {
    const [first, reply] = [fenced(propose(bad)), torn(revise('p1', correction('at six', 'at nine')))];
    const repair = [overseen(revise('p1', correction('at six', 'at nine')))];
    const { requests } = await oneStage({ propose: [first], revise: [reply, JSON.stringify(withdraw('p1'))], repair }, { budget: 2 });
    const second = requests.filter((request) => purposeOf(request) === 'revise')[1];
    expect(second?.messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)).toEqual([first, reply]);
  });
});

describe('bounds', () => {
  it('one invocation is at most one repair, also where the repair is as broken as the answer (O25)', async () => {
    const broken = torn(propose(good));
    const { end, calls } = await oneStage({ propose: [broken], repair: [broken] });
    expect(end).toMatchObject({ kind: 'failed', code: 'invalid_json' });
    expect(calls).toEqual(['propose', 'repair']);
  });

  it('a repair waits for nobody: a provider that is down is asked once', async () => {
    const { end, calls } = await oneStage({ propose: [torn(propose(good))], repair: [{ kind: 'not_generated', code: 'rate_limited' }] });
    expect(end).toMatchObject({ kind: 'failed', code: 'invalid_json' });
    expect(calls).toEqual(['propose', 'repair']);
  });

  it('a revision that nobody can repair spends its attempt and brings nothing in (A101, A105)', async () => {
    const reply = torn(revise('p1', correction('six', 'six.')));
    const { end, calls } = await oneStage({ propose: [JSON.stringify(propose(bad))], revise: [reply], repair: ['no'] }, { budget: 3 });
    expect(textsOf(done(end))).toEqual([text]);
    expect(done(end).repairOutcomes).toMatchObject([
      { disposition: 'unusable', code: 'reply_not_json', attempts: 3, structuralRepairs: 3, applied: false },
    ]);
    expect(calls.filter((one) => one === 'revise')).toHaveLength(3);
    expect(calls.filter((one) => one === 'repair')).toHaveLength(3);
  });

  it.each([
    ['another reference', revise('p9', correction('six', 'six.')), 'reply_names_another_proposal'],
    ['a whole new list', propose(good), 'reply_not_json'],
  ])('a repaired reply with %s is judged by the contract of the reply and brings nothing in (A101)', async (_, answer, code) => {
    const { end } = await oneStage({ propose: [JSON.stringify(propose(bad))], revise: [fenced(answer)], repair: [overseen(answer)] });
    expect(done(end).repairOutcomes).toMatchObject([{ disposition: 'unusable', code, applied: false }]);
    expect(textsOf(done(end))).toEqual([text]);
  });

  it.each([
    ['its provider cut off', ended(cutOff(propose(good)), 'length'), 'answer_truncated'],
    ['its provider says that it cut off, however complete it looks', ended(JSON.stringify(propose(good)), 'length'), 'answer_truncated'],
    ['breaks off by itself', ended(cutOff(propose(good)), 'stop'), 'truncated'],
  ])('an answer that %s is no answer, and nobody repairs it', async (_, reply, code) => {
    const { end, calls } = await oneStage({ propose: [reply] });
    expect(end).toMatchObject({ kind: 'failed', code });
    expect(calls).toEqual(['propose']);
  });

  it('switched off, an answer is read strictly and no further call is made', async () => {
    for (const reply of [fenced(propose(good)), trailing(propose(good)), torn(propose(good))]) {
      const { end, calls } = await oneStage({ propose: [reply] }, { outputRepair: false });
      expect(end).toMatchObject({ kind: 'failed', code: 'invalid_json' });
      expect(calls).toEqual(['propose']);
    }
  });

  it('a caller that gives up while the repair is awaited gets no answer', async () => {
    const stop = new AbortController();
    const { model, calls } = provider({ propose: [torn(propose(good))], repair: [overseen(propose(good))] });
    const stopping: Model = {
      identity,
      generate(request) {
        if (purposeOf(request) === 'repair') stop.abort();
        return model.generate(request);
      },
    };
    const { schema } = correctionSetContract;
    const answer = await portOver(stopping)({ messages: [], schema, profile: 'small', signal: stop.signal });
    expect(answer).toMatchObject({ kind: 'failed', code: 'call_cancelled', structuralRepairs: 1 });
    expect(calls).toEqual(['propose', 'repair']);
  });
});
