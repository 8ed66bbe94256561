import { z } from 'zod';
import { jsonDepthMax } from './canonical.js';
import type { JsonObject, JsonValue } from './outputContracts/definition.js';

/**
 * A JSON value, handed on as it is. zod's own `z.json()` is not used: it copies and loses a member named `__proto__` on the way,
 * so that what is stored would not be what was checked, and it walks with the call stack.
 */
export const jsonValueSchema = z.unknown().refine(isJson) as unknown as z.ZodType<JsonValue>;

/** A JSON object, handed on as it is. */
export const jsonObjectSchema = z
  .unknown()
  .refine((value) => isPlainObject(value) && isJson(value))
  .meta({ type: 'object' }) as unknown as z.ZodType<JsonObject>;

/** Whether JSON has a word for the value and for all that it holds, within the depth that we walk. */
export function isJson(value: unknown): value is JsonValue {
  return isJsonWithin(value, jsonDepthMax);
}

/** Recursive, since the depth is bounded; a value that contains itself is deeper than any bound. */
function isJsonWithin(value: unknown, levels: number): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (const child of value as readonly unknown[]) if (!isJsonWithin(child, levels - 1)) return false;
    return true;
  }
  if (!isPlainObject(value)) return false;
  for (const name of Object.keys(value)) if (!isJsonWithin(value[name], levels - 1)) return false;
  return true;
}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // `Object.prototype` of any realm is the one that has no prototype itself.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
