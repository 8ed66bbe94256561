import { describe, expect, it } from 'vitest';
import { classifyAnswer } from '../src/decisions/classification.js';
import { usageUnsaid } from '../src/index.js';
import { canary } from './asking.js';
import { completion } from './fakeProvider.js';

const asked = { model: 'org/Big-1', promptCharacters: 20, requireSameModel: false };
const read = (body: object, change: Partial<typeof asked> = {}) =>
  classifyAnswer({ status: 200, body: JSON.stringify(body) }, { ...asked, ...change });

describe('the text of an answer', () => {
  it('is passed on as it is, with the stop word and the counts', () => {
    const { answer } = read(completion({ content: ' {"a":1}\n' }, 'stop', { usage: { prompt_tokens: 12, completion_tokens: 3 } }));
    const usage = { promptTokens: 12, completionTokens: 3 };
    expect(answer).toEqual({ kind: 'generated', text: ' {"a":1}\n', finishReason: 'stop', usage });
  });

  it('may have a member called error, where it has others that no error has', () => {
    const text = '{"error":{"type":"x"},"title":"t"}';
    expect(read(completion({ content: text })).answer).toMatchObject({ kind: 'generated', text });
  });

  it('may be an object with `detail` alone: only a whole body is an error by that', () => {
    expect(read(completion({ content: '{"detail":"d"}' })).answer).toMatchObject({ kind: 'generated', text: '{"detail":"d"}' });
  });

  it('of a refusal or a tool call is not passed on', () => {
    expect(read(completion({ content: canary, refusal: 'no' })).answer).toMatchObject({ text: '', finishReason: 'refusal' });
    expect(read(completion({ content: canary, tool_calls: [{}] })).answer).toMatchObject({ text: '', finishReason: 'tool_calls' });
  });

  it('what a model thought beside its answer is left behind (T4, T77)', () => {
    const message = { content: '{}', reasoning: canary, reasoning_content: canary, thinking: [{ text: canary }] };
    expect(read(completion(message, 'stop', { reasoning: canary })).answer).toEqual({
      kind: 'generated',
      text: '{}',
      finishReason: 'stop',
      usage: usageUnsaid,
    });
  });

  it('a stop word as long as a text is cut', () => {
    const { answer } = read(completion({ content: '{}' }, 'x'.repeat(1_000)));
    expect(answer.kind === 'generated' && answer.finishReason?.length).toBe(64);
  });
});

describe('the counts of an answer', () => {
  const counted = (usage: unknown) => read(completion({ content: '{}' }, 'stop', { usage }));

  it.each([
    ['no usage', undefined],
    ['null', null],
    ['something else', 'many'],
    ['counts that are none', { prompt_tokens: -1, completion_tokens: 1.5 }],
    ['no prompt tokens for a prompt', { prompt_tokens: 0 }],
  ])('are unsaid with %s', (_name, usage) => {
    expect(counted(usage).answer).toMatchObject({ kind: 'generated', usage: usageUnsaid });
  });

  it.each([
    [16_000, 2_000, 'generated'],
    [16_001, 2_000, 'failed'],
    [3_999, 10, 'generated'],
  ])('%i characters and %i tokens: %s', (promptCharacters, tokens, kind) => {
    const { answer } = read(completion({ content: '{}' }, 'stop', { usage: { prompt_tokens: tokens } }), { promptCharacters });
    expect(answer.kind).toBe(kind);
  });
});

describe('the model that answered', () => {
  it.each([
    ['the one asked for', 'org/Big-1', false],
    ['an alias', 'big', true],
    ['nobody named', undefined, false],
    ['named by nothing', '', false],
  ])('is %s', (_name, model, differs) => {
    expect(read(completion({ content: '{}' }, 'stop', { model })).modelDiffers).toBe(differs);
  });

  it('may be asked to be the same', () => {
    const strict = { requireSameModel: true };
    expect(read(completion({ content: '{}' }, 'stop', { model: 'org/Big-1' }), strict).answer.kind).toBe('generated');
    expect(read(completion({ content: '{}' }, 'stop', { model: 'big' }), strict).answer).toEqual({
      kind: 'failed',
      code: 'model_mismatch',
    });
  });

  it.each([undefined, null, '', 7])('asked to be the same, it has to be named: %j is refused', (model) => {
    const { answer, modelDiffers } = read(completion({ content: '{}' }, 'stop', { model }), { requireSameModel: true });
    expect([answer, modelDiffers]).toEqual([{ kind: 'failed', code: 'model_mismatch' }, false]);
  });
});

describe('the sentences of a refusal', () => {
  const refused = (status: number, body: unknown) => classifyAnswer({ status, body: JSON.stringify(body) }, asked).answer;
  const context = "This model's maximum context length is 4096 tokens.";

  it.each([
    ['401', 401, 'authentication_refused'],
    ['404', 404, 'model_unknown'],
    ['408', 408, 'deadline_passed'],
    ['429', 429, 'rate_limited'],
    ['500', 500, 'provider_failed'],
  ])('decide nothing beside the status %s', (_name, status, code) => {
    expect(refused(status, { error: { message: context } })).toMatchObject({ code });
  });

  it('decide nothing beside a code that is known', () => {
    expect(refused(400, { error: { code: 'model_not_found', message: context } })).toMatchObject({ code: 'model_unknown' });
  });

  it.each([
    ['{error} that is a text', { error: 'prompt is too long' }],
    ['{error} with a message', { error: { message: 'input length and `max_tokens` exceed context limit: 3 > 2' } }],
    ['a message at the top', { message: 'The prompt (total length 25938) is too long to fit into the model' }],
    ['{detail} that is a text', { detail: context }],
    ['{detail} that is a list', { detail: [{ msg: context }] }],
  ])('are found in %s', (_name, body) => {
    expect(refused(400, body)).toEqual({ kind: 'failed', code: 'context_exceeded' });
  });

  it('are looked for in their first 2,000 characters', () => {
    expect(refused(400, { detail: `${'x'.repeat(1_900)} ${context}` })).toMatchObject({ code: 'context_exceeded' });
    expect(refused(400, { detail: `${'x'.repeat(2_000)} ${context}` })).toMatchObject({ code: 'request_refused' });
  });

  it('are not looked for where a provider repeats the prompt', () => {
    expect(refused(422, { detail: [{ msg: 'field required', input: context }], messages: context })).toMatchObject({
      code: 'request_refused',
    });
  });
});
