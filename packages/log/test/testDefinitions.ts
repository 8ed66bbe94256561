import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Definitions, parseDefinitions, type StreamDefinition } from '../src/index.js';
import { workspaceRoot } from '../src/server/index.js';

/** The definitions that are shipped, so that every test of this package is a test of them too. */
export const shippedDefinitions: Definitions = parseDefinitions(
  JSON.parse(readFileSync(join(workspaceRoot(), 'deploy/jetstream.json'), 'utf8')),
);

const DURABLES = ['acked', 'refused', 'silent', 'patient', 'ended', 'restarted'];

const COMES_BACK_SOON = ['silent', 'restarted'];

/** The shipped ones with one durable for each test that needs its own, and small reservations. */
export const testDefinitions: Definitions = {
  ...shippedDefinitions,
  streams: shippedDefinitions.streams.map((stream) => ({ ...stream, maxBytes: 64 * 1024 * 1024 })),
  buckets: shippedDefinitions.buckets.map((bucket) => ({ ...bucket, maxBytes: 16 * 1024 * 1024 })),
  objects: (shippedDefinitions.objects ?? []).map((objects) => ({ ...objects, maxBytes: 16 * 1024 * 1024 })),
  durables: DURABLES.map((name) => ({
    name,
    stream: 'THOUGHT',
    filter: `stream.thought.${name}.>`,
    ackWaitSeconds: COMES_BACK_SOON.includes(name) ? 1 : 30,
    maxDeliver: -1,
    maxAckPending: 16,
  })),
};

export function withLog(change: Partial<StreamDefinition>): Definitions {
  const streams = testDefinitions.streams.map((stream) => (stream.name === 'THOUGHT' ? { ...stream, ...change } : stream));
  return { ...testDefinitions, streams };
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array | null | undefined): string => new TextDecoder().decode(value ?? new Uint8Array());

/** The first `count` of an endless source; the source is then left, which ends it. */
export async function first<T>(count: number, source: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  if (count === 0) return taken;
  for await (const item of source) {
    taken.push(item);
    if (taken.length === count) break;
  }
  return taken;
}

export async function all<T>(source: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of source) taken.push(item);
  return taken;
}

/** The code of the error a promise ends with, or `no error`. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no error',
    (error: Error & { code?: string }) => error.code ?? error.message,
  );
}
