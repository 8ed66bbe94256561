import { requireKey, requireKeyPattern } from '../checkSubject.js';
import { LogError } from '../errors.js';
import { matchesSubject } from '../subject.js';
import type { Put, Removed, View, ViewChange, ViewEntry, WatchOptions } from '../view.js';
import type { MemoryBucket, MemoryState } from './memoryState.js';

export function memoryView(state: MemoryState, name: string, closing: AbortSignal): View {
  const bucket = state.bucket(name);
  if (bucket === null) throw new LogError('view_missing', `the bucket ${name} does not exist`, [name]);
  return {
    get: async (key) => {
      requireKey(key);
      return entryOf(bucket, key);
    },
    put: async (key, bytes, expectedRevision) => {
      requireKey(key);
      return write(state, bucket, { key, bytes: bytes.slice(), expectedRevision });
    },
    remove: async (key, expectedRevision) => {
      requireKey(key);
      return remove(state, bucket, key, expectedRevision);
    },
    // A bucket that is there takes every key.
    proveWrite: () => Promise.resolve(),
    keys: async function* () {
      const standing = Array.from(bucket.values.values());
      for (const value of standing) if (value.bytes !== null) yield value.key;
    },
    watch: (options) => watch(state, bucket, options, closing),
  };
}

function entryOf(bucket: MemoryBucket, key: string): ViewEntry | null {
  const value = bucket.values.get(key);
  return !value?.bytes ? null : { key, bytes: value.bytes, revision: value.revision };
}

interface Write {
  readonly key: string;
  readonly bytes: Uint8Array | null;
  readonly expectedRevision: number;
}

function write(state: MemoryState, bucket: MemoryBucket, { key, bytes, expectedRevision }: Write): Put {
  const standing = bucket.values.get(key);
  // A removed key may be expected by its marker's revision or as absent, as on a server.
  const isExpected = standing === undefined ? expectedRevision === 0 : standing.revision === expectedRevision;
  if (!isExpected && !(expectedRevision === 0 && standing?.bytes === null)) return { kind: 'conflict' };
  const value = { key, bytes, revision: bucket.history.length + 1 };
  bucket.values.set(key, value);
  bucket.history.push(value);
  state.changes.announce();
  return { kind: 'put', revision: value.revision };
}

function remove(state: MemoryState, bucket: MemoryBucket, key: string, expectedRevision: number): Removed {
  if (expectedRevision <= 0) return { kind: 'conflict' };
  const written = write(state, bucket, { key, bytes: null, expectedRevision });
  return { kind: written.kind === 'put' ? 'removed' : 'conflict' };
}

async function* watch(
  state: MemoryState,
  bucket: MemoryBucket,
  options: WatchOptions,
  closing: AbortSignal,
): AsyncGenerator<ViewChange | 'current'> {
  if (options.key !== undefined) requireKeyPattern(options.key);
  const signal = options.signal === undefined ? closing : AbortSignal.any([closing, options.signal]);
  const isWatched = (key: string): boolean => options.key === undefined || matchesSubject(options.key, key);
  let seen = bucket.history.length;
  const standing = [...bucket.values.values()].sort((a, b) => a.revision - b.revision);
  for (const value of standing) {
    if (signal.aborted) return;
    if (value.bytes !== null && isWatched(value.key)) yield value;
  }
  if (signal.aborted) return;
  yield 'current';
  while (!signal.aborted) {
    const change = bucket.history[seen];
    if (change === undefined) await state.changes.next(signal);
    else {
      seen++;
      if (isWatched(change.key)) yield change;
    }
  }
}
