import { finishMeaning, type JsonObject, type JsonValue, outputDepthMax, parseStrictJson } from '@emend/contracts';
import { type ContractView, viewContract } from './contractView.js';
import type { Decoded, Outcome } from './decoded.js';
import { Budget, defaultLimits, type Limits, stepsBase } from './limits.js';
import { partialValue } from './partial.js';
import { contractViolation, empty, invalidJson, type Reading, refusedStrictly, truncated } from './reading.js';
import { isRefusalObject } from './refusals.js';
import { type DecodeStream, type StreamSource, TextStream } from './stream.js';
import { readTolerantly } from './tolerant.js';
import { anyWrapping, peel, type Wrapping } from './wrapping.js';

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
  /** Never throws, whatever the text. Null is what some providers give for no content. */
  readonly decode: (text: string | null | undefined, finishReason?: string | null) => Decoded;
  /** The same for a text that comes in pieces. */
  readonly stream: () => DecodeStream;
}

/** @throws ContractsError `contract_schema_invalid`: a schema that does not compile is a configuration error, and the only throw there is. */
export function decoder(options: DecoderOptions): Decoder {
  const view = viewOf(options.schema);
  const asked = { ...defaultLimits, ...options.limits };
  const limits: Limits = { ...asked, levelsMax: Math.min(asked.levelsMax, outputDepthMax) };
  const wrapping: Wrapping = { ...anyWrapping, ...options.wrapping };
  const readingOf = (text: string, bytes: number, finishReason: string | null | undefined): Reading => {
    const budget = new Budget(limits.stepsPerByte * Math.min(bytes, limits.bytesMax) + stepsBase);
    const said = finishMeaning(finishReason);
    const meaning = said === 'tool_call' && options.carrier === 'tool_call' ? 'complete' : said;
    return { text, bytes, meaning, view, limits, wrapping, budget };
  };
  const conclude = (text: string, bytes: number, finishReason: string | null | undefined): Decoded => {
    const reading = readingOf(text, bytes, finishReason);
    return concluded(reading, outcomeOf(reading));
  };
  const source: StreamSource = {
    bytesMax: limits.bytesMax,
    partial: (text) => partialOf(text, wrapping, limits.levelsMax),
    conclude,
    notUtf8(bytes, finishReason) {
      const reading = readingOf('', bytes, finishReason);
      return concluded(reading, stoppedByProvider(reading) ?? invalidJson(reading, 'not_utf8', 0));
    },
  };
  return {
    decode: (text, finishReason) => conclude(text ?? '', Buffer.byteLength(text ?? '', 'utf8'), finishReason),
    stream: () => new TextStream(source),
  };
}

/** The outcome comes last: with members after the spread the object costs more than the contract's check (bench/README.md). */
const concluded = ({ bytes, budget }: Reading, outcome: Outcome): Decoded => ({ final: true, bytes, steps: budget.steps, ...outcome });

/** What stands in reasoning is never shown. */
function partialOf(text: string, wrapping: Wrapping, levelsMax: number): JsonValue | undefined {
  const peeled = peel(text, wrapping);
  return peeled.kind === 'peeled' ? partialValue(text.slice(peeled.from), levelsMax) : undefined;
}

export interface DecodeOptions extends DecoderOptions {
  /** The provider's own word; absent where it gave none. */
  readonly finishReason?: string | null | undefined;
}

/** {@link decoder} for one text. @throws ContractsError `contract_schema_invalid` */
export const decode = (text: string | null | undefined, { finishReason, ...options }: DecodeOptions): Decoded =>
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
  const stopped = stoppedByProvider(reading);
  if (stopped !== null) return stopped;
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

/** The finish reason comes first: these stops are never repaired, however complete the text looks. */
function stoppedByProvider(reading: Reading): Outcome | null {
  const { text, meaning } = reading;
  if (meaning === 'truncated' || meaning === 'refused') return { status: meaning };
  if (meaning !== 'tool_call') return null;
  return text.trim() === '' ? empty : invalidJson(reading, 'tool_call', 0);
}

function judgeExact({ view, meaning, bytes }: Reading, value: JsonValue): Outcome {
  // The beginning of a number is a number.
  if (meaning === 'unknown' && typeof value === 'number') return truncated;
  const { issues, issueCount } = view.check(value, bytes);
  if (issueCount === 0) return { status: 'exact', value };
  return isRefusalObject(value) ? { status: 'refused' } : contractViolation(value, issues, issueCount);
}
