import { createHash } from 'node:crypto';
import canonicalizeJson from 'canonicalize';
import { ContractsError } from './errors.js';

/** Nesting beyond this is refused before it is walked: no shape of ours needs a tenth of it, and a recursive walk must not meet thousands. */
export const jsonDepthMax = 64;

/** What an answer may nest, so that it still fits all that stands around it: an event takes two levels, a review item three. */
export const outputDepthMax = jsonDepthMax - 4;

const encoder = new TextEncoder();

/**
 * RFC 8785 text of a JSON value: what we hash, compare and publish.
 * @throws ContractsError `json_too_deep` past {@link jsonDepthMax}, `json_not_canonical` for NaN, infinities, lone surrogates and values JSON has no word for.
 */
export function canonicalText(value: unknown): string {
  if (deeperThan(value, jsonDepthMax)) throw new ContractsError('json_too_deep', `at most ${jsonDepthMax} levels of nesting`);
  let text: string | undefined;
  try {
    text = canonicalizeJson(value);
  } catch {
    // The library's message can quote the value it met, so the cause is left out.
    throw new ContractsError('json_not_canonical', 'finite numbers and well-formed Unicode');
  }
  if (text === undefined) throw new ContractsError('json_not_canonical', 'a JSON value');
  return text;
}

/** {@link canonicalText} as UTF-8. */
export function canonicalBytes(value: unknown): Uint8Array {
  return encoder.encode(canonicalText(value));
}

/** SHA-256 as 64 lower-case hex digits. */
export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** SHA-256 over the canonical bytes: the identity of a definition, a prompt or a policy (T9, T47). */
export function canonicalHash(value: unknown): string {
  return sha256(canonicalBytes(value));
}

/** The first 128 bits of SHA-256 in base64url: 22 characters that are one token of a subject. */
export function hashToken(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest().subarray(0, 16).toString('base64url');
}

/** Whether a JSON value has more than `levels` arrays and objects one inside the other. Never walks deeper than that. */
export function deeperThan(value: unknown, levels: number): boolean {
  if (!isContainer(value)) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) {
    for (const child of value as readonly unknown[]) if (isContainer(child) && deeperThan(child, levels - 1)) return true;
    return false;
  }
  for (const name in value) {
    const child = (value as Readonly<Record<string, unknown>>)[name];
    if (isContainer(child) && deeperThan(child, levels - 1)) return true;
  }
  return false;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;
