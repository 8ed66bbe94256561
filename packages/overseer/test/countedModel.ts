import { compileContract, type JsonObject, observation, type OutputRepairEvent } from '@emend/contracts';
import { type Model, type ModelAnswer, type ModelRequest, usageUnsaid } from '@emend/model';
import { completionProtocol, type InvocationRequest, ringOne } from '../src/index.js';

/** A model that answers from a script and counts. */
export interface CountedModel extends Model {
  readonly requests: ModelRequest[];
}

type Step = ModelAnswer | ((request: ModelRequest) => ModelAnswer | Promise<ModelAnswer>);

/** Past the end of its script it throws: a call too many is no answer. */
export function countedModel(name: string, ...script: readonly Step[]): CountedModel {
  const requests: ModelRequest[] = [];
  return {
    identity: { provider: 'test', model: name, executionAdapter: 'script@1', catalog: { digest: '0'.repeat(64), generation: 1 } },
    requests,
    async generate(request) {
      const step = script[requests.length];
      requests.push(request);
      if (step === undefined) throw new Error(`no step ${requests.length} in the script`);
      return typeof step === 'function' ? step(request) : step;
    },
  };
}

export const says = (text: string, finishReason: string | null = 'stop', usage = usageUnsaid): ModelAnswer => ({
  kind: 'generated',
  text,
  finishReason,
  usage,
});

export const tokens = (promptTokens: number, completionTokens: number) => ({ promptTokens, completionTokens });

export const repairs = (value: unknown): ModelAnswer => says(JSON.stringify({ repaired_arguments: value }));

export const observed = {
  title: 'Gauge at the north pier',
  summary: 'The gauge was read twice.',
  tags: ['gauge'],
  confidence: 0.5,
  evidence: [{ eventId: 'e1', quote: 'read twice' }],
};

/** Stands in every malformed text here; nothing but an output may repeat it. */
export const canary = 'CANARYq7x2';

/** Invalid JSON that no lossless edit mends, with a canary in it. */
export const unreadable = `{"title": "${canary}", "summary": ]`;

/** Strict JSON that breaks the contract at one path. */
export const violating = JSON.stringify({ ...observed, confidence: canary });

export const protocolOf = (schema: JsonObject = observation.schema) => completionProtocol(compileContract({ ...observation, schema }));

export const observationProtocol = protocolOf();

export function requestWith(changes: Partial<InvocationRequest> = {}): InvocationRequest {
  return {
    invocation: 'i1',
    messages: [{ role: 'user', content: 'TRANSCRIPT of the worker' }],
    limits: { outputTokensMax: 77, generationMs: 30_000 },
    signal: new AbortController().signal,
    ...changes,
  };
}

/** Ring 1 around scripted models, and what it told. */
export function ring(primary: CountedModel, repairModel: CountedModel, changes: Partial<Parameters<typeof ringOne>[0]> = {}) {
  const events: OutputRepairEvent[] = [];
  const invocation = ringOne({
    role: 'standard',
    model: primary,
    repairModel,
    protocol: observationProtocol,
    trace: (event) => events.push(event),
    ...changes,
  });
  return { events, kinds: () => events.map(({ kind }) => kind), invoke: (request = requestWith()) => invocation.invoke(request) };
}
