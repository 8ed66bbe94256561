import { compileContract, type Diagnostic, type FinishMeaning, type OutputContract } from '@emend/contracts';
import { type ChatMessage, modelFailedCodes, type Usage } from '@emend/model';
import { type CompletionProtocol, completionProtocol } from '../call/completionProtocol.js';
import { readOutputRepairModel } from '../call/outputRepairModel.js';
import { callOf, invocationOf } from '../call/primaryCall.js';
import { repairing } from '../call/repairing.js';
import type { OutputRepairSink } from '../call/repairTrace.js';
import type { Call, Invoked } from '../call/turn.js';
import type { DecoderOptions } from '../decode.js';
import type { Edit } from '../edits.js';
import { type CallModel, calledModel, originatingModel } from './calledModel.js';
import { type GivenSchema, jsonSchemaOf, type ToJsonSchema, type ValueOf, validate } from './givenSchema.js';

export interface RepairableOptions<Schema extends GivenSchema> {
  readonly schema: Schema;
  /** The messages of the primary call; not needed where your call knows them. The overseer never sees them. */
  readonly messages?: readonly ChatMessage[];
  readonly signal?: AbortSignal;
  /** The model that repairs; blank or absent for the one that answered. It is handed to your call. */
  readonly outputRepairModel?: string | undefined;
  /** The same, as settings files write it. */
  readonly output_repair_model?: string | undefined;
  /** `false`: lossless reading only, never a second call. */
  readonly overseer?: boolean;
  readonly trace?: OutputRepairSink;
  /** The name of this call in the trace. */
  readonly invocation?: string;
  /** Limits, wrapping and carrier of the decoder. */
  readonly decode?: Omit<DecoderOptions, 'schema'>;
  /** For a Standard Schema that cannot say its JSON Schema. */
  readonly toJsonSchema?: ToJsonSchema;
}

/** One call that was made. */
export interface Attempt {
  readonly purpose: 'primary' | 'overseer';
  /** The model that was named in the call; null for your usual one. */
  readonly model: string | null;
  /** What its stop word means; null where there was no answer. */
  readonly finish: FinishMeaning | null;
  readonly usage: Usage;
}

interface Accounts {
  /** What the decoder changed. */
  readonly edits: readonly Edit[];
  /** One or two. */
  readonly attempts: readonly Attempt[];
  /** Over all attempts; null where no provider said anything. */
  readonly usage: Usage;
}

export type RepairableResult<Value> = Accounts &
  (
    | { readonly status: 'exact' | 'repaired' | 'overseen'; readonly value: Value }
    /** Codes, paths and sizes: fit for any log. */
    | { readonly status: 'failed'; readonly diagnostic: Omit<Diagnostic, 'contract'> }
  );

/**
 * Calls a model once, reads its answer without ever guessing, and asks at most once more to have it repaired.
 * What your own call throws the first time is thrown on; what it throws the second time is dropped, and the first answer is judged alone.
 * @throws ContractsError `contract_schema_invalid`, OverseerError `schema_without_json_schema`: the schema is no schema. OverseerError `output_repair_model_twice`,
 * `output_repair_model_invalid`.
 */
export async function repairable<Schema extends GivenSchema>(
  callModel: CallModel,
  options: RepairableOptions<Schema>,
): Promise<RepairableResult<ValueOf<Schema>>> {
  const protocol = protocolOf(options);
  const { turn, calls } = await invoke(callModel, protocol, options);
  const accounts = { edits: [], attempts: calls.map(attemptOf), usage: totalOf(calls) };
  switch (turn.kind) {
    case 'completed': {
      const validated = await validate(options.schema, turn.output, protocol.contract);
      if (validated.kind === 'valid') return { status: turn.obtained, value: validated.value, ...accounts, edits: turn.edits };
      const { issues, issueCount } = validated;
      const candidateBytes = Buffer.byteLength(turn.text, 'utf8');
      return {
        status: 'failed',
        diagnostic: { class: 'contract_violation', issues: [...issues], issueCount, candidateBytes },
        ...accounts,
      };
    }
    case 'malformed': {
      const { contract: _, ...diagnostic } = turn.diagnostic;
      return { status: 'failed', diagnostic, ...accounts };
    }
    case 'cancelled':
      return { status: 'failed', diagnostic: { class: 'cancelled', ...nothingRead }, ...accounts };
    case 'failed':
      return { status: 'failed', diagnostic: { class: modelFailedCodes[turn.code].class, ...nothingRead }, ...accounts };
    case 'not_generated':
      return { status: 'failed', diagnostic: { class: 'provider_outage', ...nothingRead }, ...accounts };
  }
}

const nothingRead = { issues: [], issueCount: 0, candidateBytes: 0 };

/** Your call sets its own limits; the port has members for them. */
const unlimited = { outputTokensMax: Number.MAX_SAFE_INTEGER, generationMs: Number.MAX_SAFE_INTEGER };

async function invoke<Schema extends GivenSchema>(
  callModel: CallModel,
  protocol: CompletionProtocol,
  {
    messages = [],
    signal = new AbortController().signal,
    invocation = 'repairable',
    outputRepairModel,
    output_repair_model,
    overseer = true,
    trace,
  }: RepairableOptions<Schema>,
): Promise<Invoked> {
  const primaryModel = calledModel(callModel, 'primary');
  const primary = invocationOf(primaryModel, protocol);
  const model = calledModel(callModel, 'overseer', readOutputRepairModel({ outputRepairModel, output_repair_model }) ?? undefined);
  const port = overseer ? repairing(primary, { model, protocol, trace }) : primary;
  try {
    return await port.invoke({ messages, signal, invocation, limits: unlimited });
  } catch (error) {
    if (signal.aborted) return { turn: { kind: 'cancelled' }, calls: [callOf('primary', primaryModel, null)] };
    throw error;
  }
}

/** A schema is compiled once for as long as it lives, unless the decoder is told something special. */
const protocols = new WeakMap<object, CompletionProtocol>();

function protocolOf<Schema extends GivenSchema>({ schema, decode, toJsonSchema }: RepairableOptions<Schema>): CompletionProtocol {
  const known = decode === undefined ? protocols.get(schema) : undefined;
  if (known !== undefined) return known;
  const protocol = completionProtocol(contractOf(schema, toJsonSchema), decode);
  if (decode === undefined) protocols.set(schema, protocol);
  return protocol;
}

const contractOf = (schema: GivenSchema, toJsonSchema?: ToJsonSchema): OutputContract =>
  compileContract({ id: 'output', version: 1, schema: jsonSchemaOf(schema, toJsonSchema), promptDescription: 'One JSON value.' });

const attemptOf = ({ call, model, finish, usage }: Call): Attempt => ({
  purpose: call,
  model: model === originatingModel ? null : model,
  finish,
  usage,
});

function totalOf(calls: readonly Call[]): Usage {
  const sum = (of: (usage: Usage) => number | null): number | null => {
    const said = calls.map(({ usage }) => of(usage)).filter((tokens) => tokens !== null);
    return said.length === 0 ? null : said.reduce((total, tokens) => total + tokens, 0);
  };
  return { promptTokens: sum(({ promptTokens }) => promptTokens), completionTokens: sum(({ completionTokens }) => completionTokens) };
}
