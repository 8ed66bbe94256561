import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { canonicalHash } from '@emend/contracts';
import { manualTime } from '@emend/runtime';
import { afterEach, describe, expect, it } from 'vitest';
import { type EndpointOptions, openAiCompatible } from '../src/adapters/openAiCompatible.js';
import type { Generated, Generation } from '../src/ports.js';
import { turn } from './agentOn.js';

const key = 'sk-canary-91f0';
const canary = 'canary-5c3a';

interface FakeProvider {
  readonly url: string;
  readonly requests: { readonly headers: IncomingMessage['headers']; readonly path: string; readonly body: string }[];
}

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A provider that answers every request by one function, and keeps what it was sent. */
async function provider(answer: (response: ServerResponse) => void): Promise<FakeProvider> {
  const requests: FakeProvider['requests'] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      requests.push({ headers: request.headers, path: request.url ?? '', body });
      answer(response);
    });
  });
  return { url: `${await listen(server)}/v1`, requests };
}

const says = (status: number, body: unknown) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

const completion = (message: object, finishReason: unknown = 'stop', more: object = {}) => ({
  id: 'x',
  choices: [{ index: 0, finish_reason: finishReason, message: { role: 'assistant', ...message } }],
  ...more,
});

const messages = [{ role: 'user', content: 'Source: a gauge.' }] as const;
const generation: Generation = {
  messages,
  promptHash: canonicalHash(messages),
  request: 'R'.repeat(22),
  repairRun: 'P'.repeat(22),
  trigger: 'stream.thought.source.note.captured.field-notes.n001',
  contract: { ref: { id: 'c', version: 1, hash: 'a'.repeat(64) }, schema: { type: 'object' } },
  limits: { outputTokensMax: 77, generationMs: 30_000 },
  signal: new AbortController().signal,
};

const endpoint = (url: string, change: Partial<EndpointOptions> = {}) =>
  openAiCompatible({
    endpoint: url,
    provider: 'test',
    model: 'org/Big-1',
    apiKey: key,
    responseFormat: 'none',
    timers: manualTime(),
    ...change,
  });

describe('what is sent', () => {
  it('is one POST with the prompt, the limits of the declaration and the key', async () => {
    const { url, requests } = await provider(says(200, completion({ content: '{}' })));
    expect(await endpoint(`${url}/`).generate(generation)).toEqual({ kind: 'generated', text: '{}', finishReason: 'stop' });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.path).toBe('/v1/chat/completions');
    expect(requests[0]?.headers).toMatchObject({ authorization: `Bearer ${key}`, connection: 'close', 'content-type': 'application/json' });
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
      model: 'org/Big-1',
      messages,
      stream: false,
      n: 1,
      temperature: 0,
      max_tokens: 77,
    });
  });

  it.each([
    ['json_object', { type: 'json_object' }],
    ['json_schema', { type: 'json_schema', json_schema: { name: 'output', strict: true, schema: { type: 'object' } } }],
  ] as const)('with %s it asks for that format', async (responseFormat, expected) => {
    const { url, requests } = await provider(says(200, completion({ content: '{}' })));
    await endpoint(url, { responseFormat }).generate(generation);
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ response_format: expected });
  });

  it('without a key carries none', async () => {
    const { url, requests } = await provider(says(200, completion({ content: '{}' })));
    await endpoint(url, { apiKey: undefined }).generate(generation);
    expect(requests[0]?.headers.authorization).toBeUndefined();
  });

  it('the key is in no field of the generator', () => {
    const generator = endpoint('http://127.0.0.1:1/v1');
    expect(JSON.stringify(generator)).not.toContain(key);
    expect(generator.identity).toMatchObject({ provider: 'test', model: 'org/Big-1', executionAdapter: 'openai-compatible@1' });
  });
});

const generated = (text: string, finishReason: string | null): Generated => ({ kind: 'generated', text, finishReason });
const failed = (code: Extract<Generated, { kind: 'failed' }>['code']): Generated => ({ kind: 'failed', code });
const notGenerated = (code: Extract<Generated, { kind: 'not_generated' }>['code']): Generated => ({ kind: 'not_generated', code });

/** The table from a provider's signal to its code, one row played for each. */
const rows: readonly (readonly [string, (response: ServerResponse) => void, Generated])[] = [
  ['200, stop', says(200, completion({ content: 'text' })), generated('text', 'stop')],
  ['200, length', says(200, completion({ content: 'te' }, 'length')), generated('te', 'length')],
  ['200, content_filter', says(200, completion({ content: '' }, 'content_filter')), generated('', 'content_filter')],
  ['200, no finish reason', says(200, completion({ content: 'text' }, null)), generated('text', null)],
  ['200, an unknown finish reason', says(200, completion({ content: 'text' }, 'abort')), generated('text', 'abort')],
  ['200, empty content', says(200, completion({ content: null })), generated('', 'stop')],
  ['200, a refusal in its own field (F16)', says(200, completion({ content: null, refusal: canary })), generated('', 'refusal')],
  ['200, tool calls with stop', says(200, completion({ content: null, tool_calls: [{ id: '1' }] })), generated('', 'tool_calls')],
  ['200, a function call', says(200, completion({ content: null, function_call: { name: 'x' } })), generated('', 'tool_calls')],
  ['200, not JSON', says(200, `<html>${canary}`), failed('answer_unreadable')],
  ['200, nothing', says(200, ''), failed('answer_unreadable')],
  ['200, no choice', says(200, { choices: [] }), failed('answer_unreadable')],
  [
    '200, two choices',
    says(200, { choices: [...completion({ content: 'a' }).choices, ...completion({ content: 'b' }).choices] }),
    failed('answer_unreadable'),
  ],
  ['200, an error as its body', says(200, { error: { type: 'server_error', message: canary } }), failed('error_in_answer')],
  ['200, a rate limit as its body', says(200, { error: { code: 'rate_limit_exceeded', message: canary } }), failed('rate_limit_in_answer')],
  [
    '200, an error as its text (F12)',
    says(200, completion({ content: JSON.stringify({ type: 'error', error: { type: 'rate_limit_error', message: canary } }) })),
    failed('rate_limit_in_answer'),
  ],
  [
    '200, an output with a member called error',
    says(200, completion({ content: '{"error":{"type":"x"},"title":"t"}' })),
    generated('{"error":{"type":"x"},"title":"t"}', 'stop'),
  ],
  ['204', says(204, ''), failed('answer_unreadable')],
  ['400', says(400, { error: { message: canary } }), failed('request_refused')],
  ['400, an unknown model', says(400, { error: { code: 'model_not_found' } }), notGenerated('model_unknown')],
  ['400, the context is too long', says(400, { error: { code: 'context_length_exceeded' } }), failed('context_exceeded')],
  ['400, the same as a type', says(400, { error: { code: 400, type: 'exceed_context_size_error' } }), failed('context_exceeded')],
  ['401', says(401, { detail: canary }), notGenerated('authentication_refused')],
  ['403', says(403, canary), notGenerated('authentication_refused')],
  ['404', says(404, { error: { message: canary } }), notGenerated('model_unknown')],
  ['408', says(408, ''), failed('deadline_passed')],
  ['413', says(413, ''), failed('request_refused')],
  ['429', says(429, { error: { message: canary } }), notGenerated('rate_limited')],
  ['500', says(500, canary), failed('provider_failed')],
  ['502', says(502, ''), failed('provider_failed')],
  ['503', says(503, { error: { message: 'Loading model' } }), failed('provider_failed')],
  ['529', says(529, ''), failed('provider_failed')],
  ['a socket closed before the headers', (response) => response.socket?.destroy(), failed('transfer_broken')],
  [
    'a socket closed in the body',
    (response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"choices":', () => response.socket?.destroy());
    },
    failed('transfer_broken'),
  ],
];

describe('what an answer proves', () => {
  it.each(rows)('%s', async (_name, answer, expected) => {
    const { url, requests } = await provider(answer);
    const end = await endpoint(url).generate(generation);
    expect(end).toEqual(expected);
    expect(JSON.stringify(end)).not.toContain(canary);
    // One call is one request, whatever came of it.
    expect(requests).toHaveLength(1);
  });

  it('a body over its bound is refused while it streams', async () => {
    const { url, requests } = await provider((response) => {
      response.writeHead(200);
      const more = (): void => {
        if (!response.destroyed) response.write('x'.repeat(1_024), () => setImmediate(more));
      };
      more();
    });
    expect(await endpoint(url, { bytesMax: 4_096 }).generate(generation)).toEqual(failed('answer_too_large'));
    expect(requests).toHaveLength(1);
  });

  it('a redirect is not followed: neither prompt nor key goes elsewhere', async () => {
    const elsewhere = await provider(says(200, completion({ content: 'text' })));
    const { url, requests } = await provider((response) => {
      response.writeHead(307, { location: `${elsewhere.url}/chat/completions` });
      response.end();
    });
    expect(await endpoint(url).generate(generation)).toEqual(failed('transport_refused'));
    expect([requests.length, elsewhere.requests.length]).toEqual([1, 0]);
  });

  it('a refused connection proves that nothing was generated', async () => {
    const unused = createTcpServer();
    await new Promise<void>((resolve) => unused.listen(0, '127.0.0.1', resolve));
    const { port } = unused.address() as AddressInfo;
    await new Promise((resolve) => unused.close(resolve));
    expect(await endpoint(`http://127.0.0.1:${port}/v1`).generate(generation)).toEqual(notGenerated('connection_failed'));
  });

  it('an address that fetch blocks is a matter of configuration', async () => {
    expect(await endpoint('http://127.0.0.1:1/v1').generate(generation)).toEqual(failed('transport_refused'));
  });
});

describe('an answer that does not come', () => {
  it.each([
    ['before the headers', () => undefined],
    ['in the body', (response: ServerResponse) => void response.writeHead(200).write('{"choices":')],
  ])('%s: the deadline ends it', async (_name, answer) => {
    let reached = (): void => undefined;
    const arrived = new Promise<void>((resolve) => (reached = resolve));
    const { url, requests } = await provider((response) => {
      answer(response);
      reached();
    });
    const timers = manualTime();
    const generating = endpoint(url, { timers }).generate(generation);
    await arrived;
    await turn();
    timers.advance(generation.limits.generationMs);
    expect(await generating).toEqual(failed('deadline_passed'));
    expect(requests).toHaveLength(1);
    expect(timers.pending()).toBe(0);
  });

  it('a process that gives up ends it, and says so', async () => {
    const gaveUp = new AbortController();
    const { url } = await provider(() => gaveUp.abort());
    expect(await endpoint(url).generate({ ...generation, signal: gaveUp.signal })).toEqual(failed('shutdown'));
  });

  it('a process that has given up asks nobody', async () => {
    const { url, requests } = await provider(says(200, completion({ content: 'text' })));
    expect(await endpoint(url).generate({ ...generation, signal: AbortSignal.abort() })).toEqual(failed('shutdown'));
    expect(requests).toEqual([]);
  });
});
