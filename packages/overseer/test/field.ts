import { readFileSync } from 'node:fs';
import type { JsonObject, JsonValue } from '@emend/contracts';

/** One line of test/cases/decode.jsonl; the README there says what it means. */
export interface FieldCase {
  readonly id: string;
  readonly kind: string;
  readonly raw: string;
  readonly raw_gen?: { readonly parts: readonly (readonly [string, number])[] };
  readonly finish_reason: string;
  readonly schema: JsonObject;
  readonly expect: { readonly json_valid_after_deterministic_repair: boolean; readonly class: string; readonly value: JsonValue };
}

export const fieldCases: readonly FieldCase[] = readFileSync(new URL('../../../test/cases/decode.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as FieldCase);

export const rawOf = (one: FieldCase): string => one.raw_gen?.parts.map(([text, count]) => text.repeat(count)).join('') ?? one.raw;
