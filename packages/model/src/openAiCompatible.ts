import { answerBytesMax, readBounded } from './boundedBody.js';
import type { CatalogueEntry } from './decisions/catalogue.js';
import { classifyAnswer, readTransportFault } from './decisions/classification.js';
import { requestBody } from './decisions/dialects.js';
import type { Model, ModelAnswer, ModelIdentity, ModelRequest } from './port.js';
import type { ModelTimers } from './timers.js';

export interface AdapterOptions {
  readonly entry: CatalogueEntry;
  readonly catalog: ModelIdentity['catalog'];
  /** Kept in the closure: in no field, error or log line. */
  readonly apiKey: string | undefined;
  readonly timers: ModelTimers;
  readonly onModelDiffers?: () => void;
  readonly bytesMax?: number;
}

/** The revision of this adapter: what it sends and how it reads. Part of each provenance (T70). */
export const openAiAdapter = 'openai-compatible@2';

/** One POST with plain `fetch`: no library between, and so no hidden retry. One generation means one. */
export function openAiCompatible(options: AdapterOptions): Model {
  const { entry, catalog } = options;
  return {
    identity: { provider: entry.provider, model: entry.model, executionAdapter: openAiAdapter, catalog },
    generate: (request) => generate(options, request),
  };
}

async function generate(options: AdapterOptions, request: ModelRequest): Promise<ModelAnswer> {
  if (request.signal.aborted) return { kind: 'failed', code: 'call_cancelled' };
  const deadline = new AbortController();
  const cancel = options.timers.after(request.limits.generationMs, () => deadline.abort());
  const abort = AbortSignal.any([deadline.signal, request.signal]);
  try {
    return await post(options, request, abort);
  } catch (error) {
    if (deadline.signal.aborted) return { kind: 'failed', code: 'deadline_passed' };
    if (request.signal.aborted) return { kind: 'failed', code: 'call_cancelled' };
    return readTransportFault(error);
  } finally {
    cancel();
  }
}

async function post(options: AdapterOptions, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
  const { entry, apiKey, onModelDiffers, bytesMax = answerBytesMax } = options;
  const response = await fetch(`${entry.baseUrl.replace(/\/+$/, '')}/chat/completions`, {
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
    body: JSON.stringify(requestBody(entry, request)),
  });
  const body = await readBounded(response, bytesMax);
  const { answer, modelDiffers } = classifyAnswer(
    { status: response.status, body },
    {
      model: entry.model,
      requireSameModel: entry.requireSameModel,
      promptCharacters: request.messages.reduce((sum, { content }) => sum + content.length, 0),
    },
  );
  if (modelDiffers) onModelDiffers?.();
  return answer;
}
