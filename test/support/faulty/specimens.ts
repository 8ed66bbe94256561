import { compileSchema, type JsonObject, type JsonValue, parseStrictJson } from '@emend/contracts';
import { Chance } from './chance.js';
import { type FaultlessDocument, makeDocument } from './documents.js';
import { type Fault, faults, spoil } from './faults.js';
import { lex } from './lexed.js';

/** A document with one fault or two, and what it said before. */
export interface Specimen {
  readonly seed: number;
  readonly faults: readonly string[];
  readonly family: string;
  readonly schema: JsonObject;
  readonly original: JsonValue;
  readonly text: string;
}

/** UTF-8 bytes of the documents: most are small, since a small one has more places where a fault matters. */
const sizes = [300, 1_024, 1_024, 1_024, 9_216, 51_200, 65_000];

/**
 * The specimen of a seed. A fault that leaves a valid document of the contract behind is drawn again: that text is not malformed, and no reader
 * could see that it once said something else.
 */
export function makeSpecimen(seed: number, bytes?: number): Specimen {
  const chance = new Chance(seed);
  const size = bytes ?? sizes[seed % sizes.length] ?? 1_024;
  for (;;) {
    const document = makeDocument(chance, size);
    const chosen = chance.chance(0.5) ? [chance.pick(faults)] : [chance.pick(faults), chance.pick(faults)];
    if (leavesNoSign(chosen)) continue;
    const spoiled = spoil(lex(document.text), chosen, chance);
    if (spoiled === null) continue;
    const { text, alone } = spoiled;
    if (Buffer.byteLength(text) > 65_536 || [text, ...alone].some((one) => saysOtherwise(document, one))) continue;
    return {
      seed,
      faults: chosen.map(({ name }) => name),
      family: document.family,
      schema: document.schema,
      original: document.value,
      text,
    };
  }
}

/**
 * A cut text that something closes is whole for any reader: `["a","b","c"]` cut to `["a","b",` and closed by a stray `]` is the text of `["a","b"]`
 * with a trailing comma. Two documents have one text, so such a pair is not drawn. Nor is a cut that may take the one sign of reasoning, its closing tag.
 */
const leavesNoSign = (chosen: readonly Fault[]): boolean =>
  chosen.some(({ name }) => name.startsWith('cut')) &&
  chosen.some(({ name }) => /^(?!cut).*(?:closer|stray|doubled|swapped|end of a thought)/.test(name));

const checks = new WeakMap<JsonObject, (value: unknown) => readonly unknown[]>();

/** Strict JSON that fits the contract, with another value. */
function saysOtherwise({ schema, value, text: faultless }: FaultlessDocument, text: string): boolean {
  if (text === faultless) return true;
  const strict = parseStrictJson(text);
  if (strict.kind === 'refused') return false;
  const check = checks.get(schema) ?? compileSchema(schema, 'specimens');
  checks.set(schema, check);
  return check(strict.value).length === 0 && JSON.stringify(strict.value) !== JSON.stringify(value);
}
