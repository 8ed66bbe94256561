import { finishMeaning, type JsonObject, type JsonValue, outputDepthMax, parseStrictJson } from '@emend/contracts';
import { type ContractView, viewContract } from './contractView.js';
import type { Decoded, Outcome } from './decoded.js';
import { Budget, defaultLimits, type Limits, stepsBase } from './limits.js';
import { contractViolation, empty, invalidJson, type Reading, refusedStrictly, truncated } from './reading.js';
import { isRefusalObject } from './refusals.js';
import { readTolerantly } from './tolerant.js';
import { anyWrapping, type Wrapping } from './wrapping.js';

export interface DecoderOptions {
  /** JSON Schema 2020-12. The decoder keeps what it compiled for as long as this object lives. */
  readonly schema: JsonObject;
  readonly limits?: Partial<Limits>;
  /** What this model writes around its answer; all that is known of any model by default. */
  readonly wrapping?: Partial<Wrapping>;
  /** `tool_call` where the text is the arguments of a call: then a tool-call stop is a clean end. `content` by default. */
  readonly carrier?: 'content' | 'tool_call';
}

export interface Decoder {
  /** Never throws, whatever the text. */
  decode(text: string, finishReason?: string | null): Decoded;
}

/** @throws ContractsError `contract_schema_invalid`: a schema that does not compile is a configuration error, and the only throw there is. */
export function decoder(options: DecoderOptions): Decoder {
  const view = viewOf(options.schema);
  const asked = { ...defaultLimits, ...options.limits };
  const limits: Limits = { ...asked, levelsMax: Math.min(asked.levelsMax, outputDepthMax) };
  const wrapping: Wrapping = { ...anyWrapping, ...options.wrapping };
  return {
    decode(text, finishReason) {
      const bytes = Buffer.byteLength(text, 'utf8');
      const budget = new Budget(limits.stepsPerByte * Math.min(bytes, limits.bytesMax) + stepsBase);
      const said = finishMeaning(finishReason);
      const meaning = said === 'tool_call' && options.carrier === 'tool_call' ? 'complete' : said;
      const outcome = outcomeOf({ text, bytes, meaning, view, limits, wrapping, budget });
      return { ...outcome, final: true, bytes, steps: budget.steps };
    },
  };
}

export interface DecodeOptions extends DecoderOptions {
  /** The provider's own word; absent where it gave none. */
  readonly finishReason?: string | null | undefined;
}

/** {@link decoder} for one text. @throws ContractsError `contract_schema_invalid` */
export const decode = (text: string, { finishReason, ...options }: DecodeOptions): Decoded =>
  decoder(options).decode(text, finishReason ?? null);

const views = new WeakMap<JsonObject, ContractView>();

function viewOf(schema: JsonObject): ContractView {
  const known = views.get(schema);
  if (known !== undefined) return known;
  const view = viewContract(schema);
  views.set(schema, view);
  return view;
}

/** The order of steps: finish reason, size, strict reading, and only then the closed list of edits. */
function outcomeOf(reading: Reading): Outcome {
  const { text, meaning, bytes, limits } = reading;
  if (meaning === 'truncated' || meaning === 'refused') return { status: meaning };
  if (meaning === 'tool_call') return text.trim() === '' ? empty : invalidJson(reading, 'tool_call', 0);
  if (bytes > limits.bytesMax) return { status: 'too_large', limit: 'bytes' };

  const strict = parseStrictJson(text, limits.levelsMax);
  reading.budget.steps += text.length;
  if (strict.kind === 'parsed') return judgeExact(reading, strict.value);
  switch (strict.code) {
    case 'empty':
      return meaning === 'unknown' ? truncated : empty;
    case 'not_json':
    case 'several_documents':
      return readTolerantly(reading);
    default:
      return refusedStrictly(reading, strict.code);
  }
}

function judgeExact({ view, meaning }: Reading, value: JsonValue): Outcome {
  // The beginning of a number is a number.
  if (meaning === 'unknown' && typeof value === 'number') return truncated;
  const { issues, issueCount } = view.check(value);
  if (issueCount === 0) return { status: 'exact', value };
  return isRefusalObject(value) ? { status: 'refused' } : contractViolation(value, issues, issueCount);
}
