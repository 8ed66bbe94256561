import type { Socket } from 'node:net';
import { finishMeaning } from '@emend/contracts';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type CatalogueEntry,
  type ModelRequest,
  modelNotGeneratedCodes,
  type ProviderSignal,
  providerSignals,
  type SignalRow,
} from '../src/index.js';
import { canary, modelAt, request, turn } from './asking.js';
import { type Answer, closeProviders, completion, provider, says, unusedAddress } from './fakeProvider.js';
import { manualTimers } from './manualTimers.js';

afterEach(closeProviders);

interface Play {
  /** What the provider does; where nobody may reach it, a completion that would be noticed. */
  readonly answer?: Answer;
  /** Another address than the provider's. */
  readonly address?: (providerUrl: string) => string | Promise<string>;
  readonly tls?: 'tls';
  /** Requests that reach the provider. */
  readonly hits?: 0;
  readonly tier?: Partial<CatalogueEntry>;
  readonly request?: (reached: Promise<void>) => Partial<ModelRequest>;
  /** The answer does not come, and the deadline passes. */
  readonly late?: true;
  readonly reported?: 1;
}

const good = says(200, completion({ content: 'text' }));
const error = (more: object) => ({ error: { message: canary, ...more } });
const never: Answer = () => {};
const longPrompt = [{ role: 'user', content: 'word '.repeat(4_000) }] as const;

function endless(response: Parameters<Answer>[0]): void {
  response.writeHead(200);
  const more = (): void => {
    if (!response.destroyed) response.write(canary.repeat(100), () => setImmediate(more));
  };
  more();
}

/** One play for each row of the table, over a socket. */
const plays: Readonly<Record<ProviderSignal, Play>> = {
  connection_refused: { address: unusedAddress, hits: 0 },
  name_unknown: { address: () => 'http://nobody.invalid/v1', hits: 0 },
  certificate_refused: { tls: 'tls', hits: 0 },
  reset_by_peer: { answer: (response) => (response.socket as Socket).resetAndDestroy() },
  reset_before_headers: { answer: (response) => response.socket?.destroy() },
  body_cut: {
    answer: (response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"choices":', () => response.socket?.destroy());
    },
  },
  redirect: { answer: (response) => response.writeHead(307, { location: 'http://127.0.0.1:9/v1/chat/completions' }).end() },
  address_blocked: { address: () => 'http://127.0.0.1:1/v1', hits: 0 },
  headers_late: { answer: never, late: true },
  body_late: { answer: (response) => void response.writeHead(200).write('{"choices":'), late: true },
  caller_gone: {
    answer: never,
    request: (reached) => {
      const caller = new AbortController();
      void reached.then(() => caller.abort());
      return { signal: caller.signal };
    },
  },
  body_over_bound: { answer: endless },
  status_401: { answer: says(401, { detail: canary }) },
  status_403: { answer: says(403, canary) },
  status_404: { answer: says(404, error({})) },
  model_word: { answer: says(400, error({ code: 'model_not_found' })) },
  tinker_path: { answer: says(400, { detail: `model_path ${canary} is not a valid tinker path` }) },
  model_sentence: { answer: says(400, error({ message: 'The model `x` does not exist.', type: 'BadRequestError' })) },
  status_408: { answer: says(408, canary) },
  status_429: {
    answer: (response) => {
      response.writeHead(429, { 'retry-after': '0' });
      response.end(JSON.stringify(error({})));
    },
  },
  status_500: { answer: says(500, canary) },
  status_502: { answer: says(502, '') },
  status_503: { answer: says(503, error({ message: 'Loading model' })) },
  status_504: { answer: says(504, '') },
  status_529: { answer: says(529, error({ type: 'overloaded_error' })) },
  context_word: { answer: says(400, error({ code: 'context_length_exceeded' })) },
  context_type: { answer: says(400, error({ code: 400, type: 'exceed_context_size_error' })) },
  context_sentence: {
    answer: says(400, {
      object: 'error',
      message: `This model's maximum context length is 4096 tokens. ${canary}`,
      type: 'BadRequestError',
      code: 400,
    }),
  },
  context_model_length: { answer: says(400, error({ message: 'The decoder prompt is longer than the maximum model length of 8192.' })) },
  context_detail: { answer: says(422, { detail: [{ loc: ['body'], msg: 'Input exceeds the context window', input: canary }] }) },
  status_400: { answer: says(400, error({})) },
  status_413: { answer: says(413, `<html>maximum context length ${canary}`) },
  status_422: { answer: says(422, { detail: [{ loc: ['body'], msg: 'field required', input: 'maximum context length' }] }) },
  status_204: { answer: says(204, '') },
  not_json: { answer: says(200, `<html>${canary}`) },
  nothing: { answer: says(200, '') },
  no_choice: { answer: says(200, { choices: [] }) },
  two_choices: { answer: says(200, { choices: [...completion({ content: 'a' }).choices, ...completion({ content: 'b' }).choices] }) },
  error_body: { answer: says(200, error({ type: 'server_error' })) },
  error_object: { answer: says(200, { object: 'error', message: canary, code: 500 }) },
  detail_body: { answer: says(200, { detail: canary }) },
  error_text: { answer: says(200, completion({ content: JSON.stringify(error({ type: 'server_error' })) })) },
  rate_limit_body: { answer: says(200, error({ code: 'rate_limit_exceeded' })) },
  rate_limit_text: {
    answer: says(200, completion({ content: JSON.stringify({ type: 'error', ...error({ type: 'rate_limit_error' }) }) })),
  },
  model_differs_refused: {
    answer: says(200, completion({ content: canary }, 'stop', { model: canary })),
    tier: { requireSameModel: true },
    reported: 1,
  },
  model_unsaid_refused: { answer: good, tier: { requireSameModel: true } },
  model_differs: { answer: says(200, completion({ content: 'text' }, 'stop', { model: canary })), reported: 1 },
  prompt_tokens_few: {
    answer: says(200, completion({ content: canary }, 'stop', { usage: { prompt_tokens: 2_048, completion_tokens: 5 } })),
    request: () => ({ messages: longPrompt }),
  },
  finish_stop: { answer: good },
  finish_stop_empty: { answer: says(200, completion({ content: null })) },
  finish_length: { answer: says(200, completion({ content: 'te' }, 'length')) },
  finish_content_filter: { answer: says(200, completion({ content: '' }, 'content_filter')) },
  refusal_field: { answer: says(200, completion({ content: null, refusal: canary })) },
  finish_tool_calls: { answer: says(200, completion({ content: null }, 'tool_calls')) },
  tool_calls_field: { answer: says(200, completion({ content: null, tool_calls: [{ id: canary }] })) },
  function_call_field: { answer: says(200, completion({ content: null, function_call: { name: canary } })) },
  finish_null: { answer: says(200, completion({ content: 'text' }, null)) },
  finish_abort: { answer: says(200, completion({ content: 'te' }, 'abort')) },
  finish_other: { answer: says(200, completion({ content: 'text' }, 'made_up')) },
};

/** Plays one against a model of its own, and counts what reached the provider. */
async function perform({ answer = good, address = (url) => url, tls, tier, request: change, late }: Play) {
  const { url, requests, reached } = await provider(answer, tls);
  const timers = manualTimers();
  let reported = 0;
  const model = modelAt(await address(url), tier, { timers, bytesMax: 16_384, onModelDiffers: () => (reported += 1) });
  const generating = model.generate({ ...request, ...change?.(reached) });
  if (late) {
    await reached;
    await turn();
    timers.advance(request.limits.generationMs);
  }
  return { ended: await generating, hits: requests.length, reported, pending: timers.pending() };
}

describe('a signal becomes what the table says', () => {
  it.each(Object.entries(plays))('%s', async (signal, play) => {
    const { ended, ...counts } = await perform(play);
    const row: SignalRow = providerSignals[signal as ProviderSignal];
    if ('code' in row) expect(ended).toEqual({ kind: row.code in modelNotGeneratedCodes ? 'not_generated' : 'failed', code: row.code });
    else expect([ended.kind, ended.kind === 'generated' && finishMeaning(ended.finishReason)]).toEqual(['generated', row.finish]);
    expect(JSON.stringify(ended)).not.toContain(canary);
    // One call is one request, whatever came of it, and no timer is left.
    expect(counts).toEqual({ hits: play.hits ?? 1, reported: play.reported ?? 0, pending: 0 });
  });
});

describe('beside the table', () => {
  it('a redirect is not followed: neither prompt nor key goes elsewhere', async () => {
    const elsewhere = await provider(good);
    const { url, requests } = await provider((response) =>
      response.writeHead(307, { location: `${elsewhere.url}/chat/completions` }).end(),
    );
    expect(await modelAt(url).generate(request)).toEqual({ kind: 'failed', code: 'transport_refused' });
    expect([requests.length, elsewhere.requests.length]).toEqual([1, 0]);
  });

  it('a server that speaks no TLS is sent nothing', async () => {
    const { url, requests } = await provider(good);
    expect(await modelAt(url.replace('http:', 'https:')).generate(request)).toEqual({ kind: 'not_generated', code: 'tls_refused' });
    expect(requests).toEqual([]);
  });

  it('a caller that has given up asks nobody', async () => {
    const { url, requests } = await provider(good);
    expect(await modelAt(url).generate({ ...request, signal: AbortSignal.abort() })).toEqual({ kind: 'failed', code: 'call_cancelled' });
    expect(requests).toEqual([]);
  });
});
