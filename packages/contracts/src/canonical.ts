import { hash } from 'node:crypto';
import { ContractsError } from './errors.js';

/** Nesting beyond this is refused before it is walked: no shape of ours needs a tenth of it, and a recursive walk must not meet thousands. */
export const jsonDepthMax = 64;

/** What an answer may nest, so that it still fits all that stands around it: an event takes two levels, a review item three. */
export const outputDepthMax = jsonDepthMax - 4;

const encoder = new TextEncoder();

/**
 * RFC 8785 text of a JSON value: what we hash, compare and publish. A writer of our own, because this is the dearest step of an
 * append and of a fold; a test compares it with the library `canonicalize`.
 * @throws ContractsError `json_too_deep` past {@link jsonDepthMax}, `json_not_canonical` for NaN, infinities, lone surrogates and values JSON has no word for.
 */
export function canonicalText(value: unknown): string {
  if (deeperThan(value, jsonDepthMax)) throw new ContractsError('json_too_deep', `at most ${jsonDepthMax} levels of nesting`);
  return write(value);
}

/** Recursive, since the depth is bounded before. A member that is `undefined` is absent. */
function write(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      if (!Number.isFinite(value)) throw notCanonical('finite numbers');
      // The number format of RFC 8785 is ECMAScript's own.
      return `${value}`;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? writeArray(value) : writeObject(value as Readonly<Record<string, unknown>>);
    default:
      throw notCanonical('a JSON value');
  }
}

function writeArray(items: readonly unknown[]): string {
  let text = '';
  for (let at = 0; at < items.length; at += 1) text += (at === 0 ? '' : ',') + write(items[at]);
  return `[${text}]`;
}

function writeObject(members: Readonly<Record<string, unknown>>): string {
  // A date, say, would be written as an object without members.
  if (typeof members['toJSON'] === 'function') throw notCanonical('a JSON value');
  let text = '';
  for (const name of sorted(Object.keys(members))) {
    const member = members[name];
    if (member !== undefined) text += (text === '' ? '' : ',') + quotedName(name) + write(member);
  }
  return `{${text}}`;
}

const fewNames = 16;

/** In the order of RFC 8785: by UTF-16 code units, as `<` and `sort` compare. A few are sorted in place, in a third of the time. */
function sorted(names: string[]): string[] {
  if (names.length > fewNames) return names.sort();
  for (let next = 1; next < names.length; next += 1) {
    const name = names[next] as string;
    let at = next - 1;
    for (; at >= 0 && (names[at] as string) > name; at -= 1) names[at + 1] = names[at] as string;
    names[at + 1] = name;
  }
  return names;
}

/** Names come again and again; what a payload brings cannot fill the memory. */
const namesKept = 1_024;
const nameTexts = new Map<string, string>();

/** A name with its colon. */
function quotedName(name: string): string {
  const kept = nameTexts.get(name);
  if (kept !== undefined) return kept;
  const text = `${quoted(name)}:`;
  if (nameTexts.size < namesKept) nameTexts.set(name, text);
  return text;
}

/** Printable ASCII without `"` and `\\` stands for itself: most texts, and every name of ours. */
const plain = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  if (plain.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw notCanonical('well-formed Unicode');
  return JSON.stringify(text);
}

/** What was met is not quoted. */
const notCanonical = (expected: string): ContractsError => new ContractsError('json_not_canonical', expected);

/** {@link canonicalText} as UTF-8. */
export function canonicalBytes(value: unknown): Uint8Array {
  return encoder.encode(canonicalText(value));
}

/** SHA-256 as 64 lower-case hex digits. */
export function sha256(bytes: Uint8Array | string): string {
  return hash('sha256', bytes, 'hex');
}

/** SHA-256 over the canonical bytes: the identity of a definition, a prompt or a policy (T9, T47). */
export function canonicalHash(value: unknown): string {
  return sha256(canonicalBytes(value));
}

/** The first 128 bits of SHA-256 in base64url: 22 characters that are one token of a subject. */
export function hashToken(bytes: Uint8Array | string): string {
  const text = hash('sha256', bytes, 'base64url');
  // The 22nd character holds the last two of the 128 bits, and four bits of what follows, which are set to zero here.
  return text.slice(0, 21) + lastOfToken(text.charCodeAt(21));
}

const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const lastByCode = Array.from({ length: 128 }, (_, code) => base64url.charAt(base64url.indexOf(String.fromCharCode(code)) & 0b110000));
const lastOfToken = (code: number): string => lastByCode[code] ?? '';

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
