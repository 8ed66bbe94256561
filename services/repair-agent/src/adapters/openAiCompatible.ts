import { canonicalHash } from '@emend/contracts';
import type { Timers } from '@emend/runtime';
import type { Generated, Generation, Generator } from '../ports.js';
import { answerBytesMax, readBounded } from './boundedBody.js';
import { readCompletion } from './completionAnswer.js';
import { readRefusal } from './refusedStatus.js';
import { readTransportFault } from './transportFault.js';

export const responseFormats = ['none', 'json_object', 'json_schema'] as const;
export type ResponseFormat = (typeof responseFormats)[number];

export interface EndpointOptions {
  /** The base URL, say `https://host/v1`. */
  readonly endpoint: string;
  readonly provider: string;
  readonly model: string;
  /** Kept in the closure: in no field, error or log line. */
  readonly apiKey: string | undefined;
  readonly responseFormat: ResponseFormat;
  readonly timers: Timers;
  readonly bytesMax?: number;
}

/** The revision of this adapter: what it sends and how it reads. Part of each proposal's provenance (T70). */
export const openAiAdapter = 'openai-compatible@1';

/** One endpoint with one model makes a catalogue of one entry, in its first generation (T72). */
const catalogGeneration = 1;

/** One POST with plain `fetch`: no library between, and so no hidden retry. One generation means one. */
export function openAiCompatible(options: EndpointOptions): Generator {
  const { endpoint, provider, model, responseFormat } = options;
  const entry = { tier: 'escalation', provider, model, executionAdapter: openAiAdapter, endpoint, responseFormat };
  return {
    identity: {
      provider,
      model,
      executionAdapter: openAiAdapter,
      catalog: { digest: canonicalHash(entry), generation: catalogGeneration },
    },
    generate: (generation) => generate(options, generation),
  };
}

async function generate(options: EndpointOptions, generation: Generation): Promise<Generated> {
  if (generation.signal.aborted) return { kind: 'failed', code: 'shutdown' };
  const deadline = new AbortController();
  const cancel = options.timers.after(generation.limits.generationMs, () => deadline.abort());
  const abort = AbortSignal.any([deadline.signal, generation.signal]);
  try {
    return await post(options, generation, abort);
  } catch (error) {
    if (deadline.signal.aborted) return { kind: 'failed', code: 'deadline_passed' };
    if (generation.signal.aborted) return { kind: 'failed', code: 'shutdown' };
    return readTransportFault(error);
  } finally {
    cancel();
  }
}

async function post(options: EndpointOptions, generation: Generation, signal: AbortSignal): Promise<Generated> {
  const { endpoint, apiKey, bytesMax = answerBytesMax } = options;
  const response = await fetch(`${endpoint.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    // A redirect would send prompt and key to another address.
    redirect: 'error',
    signal,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      // A connection kept from an earlier call may be closed under the next one, which then looks as if it had been sent.
      connection: 'close',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify(requestBody(options, generation)),
  });
  const body = await readBounded(response, bytesMax);
  if (response.status === 200) return body === null ? { kind: 'failed', code: 'answer_too_large' } : readCompletion(body);
  return readRefusal(response.status, body ?? '');
}

/** Everything that steers the model is set here, from the declaration and the host's settings. */
function requestBody({ model, responseFormat }: EndpointOptions, { messages, limits, contract }: Generation) {
  const formats = {
    none: {},
    json_object: { response_format: { type: 'json_object' } },
    json_schema: { response_format: { type: 'json_schema', json_schema: { name: 'output', strict: true, schema: contract.schema } } },
  } as const satisfies Record<ResponseFormat, object>;
  return { model, messages, stream: false, n: 1, temperature: 0, max_tokens: limits.outputTokensMax, ...formats[responseFormat] };
}
