import { JetStreamApiError } from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import type { Msg } from '@nats-io/transport-node';
import { requireKey, requireKeyPattern } from '../checkSubject.js';
import { bucketStream } from '../definitions/wireConfig.js';
import { LogError } from '../errors.js';
import { READ_WINDOW_MESSAGES } from '../limits.js';
import type { View, ViewChange, ViewEntry, WatchOptions } from '../view.js';
import { isStreamNotFound, toLogError } from './faults.js';
import { orderedReader } from './orderedReader.js';
import { proveWrite } from './proveWrite.js';
import { DEFAULT_API_PREFIX, type Session, untilEither } from './session.js';

const WRONG_REVISION: readonly number[] = [10071, 10164];
const EVERYTHING = '>';

/** Binds to a bucket. Reads go through the leader, so that a writer sees its own writes. */
export async function jetstreamView(session: Session, bucket: string): Promise<View> {
  try {
    await session.jsm.streams.info(bucketStream(bucket));
    const kv = await new Kvm(session.js).open(bucket);
    return viewOf(session, bucket, kv);
  } catch (error) {
    if (isStreamNotFound(error)) throw new LogError('view_missing', `the bucket ${bucket} does not exist: run bootstrap`, [bucket]);
    throw toLogError(error, bucket);
  }
}

function viewOf(session: Session, bucket: string, kv: KV): View {
  const guarded = <T>(work: () => Promise<T>): Promise<T> => work().catch((error: unknown) => Promise.reject(toLogError(error, bucket)));
  return {
    get: (key) =>
      guarded(async () => {
        requireKey(key);
        return getEntry(kv, key);
      }),
    put: (key, bytes, expectedRevision) =>
      guarded(async () => {
        requireKey(key);
        const revision = await (expectedRevision === 0 ? create(kv, key, bytes) : update(kv, key, { bytes, expectedRevision }));
        return revision === 'conflict' ? { kind: 'conflict' } : { kind: 'put', revision };
      }),
    remove: (key, expectedRevision) =>
      guarded(async () => {
        requireKey(key);
        // The client reads 0 as "whatever stands there"; a key that must not exist cannot be removed.
        if (expectedRevision <= 0) return { kind: 'conflict' };
        const done = await orConflict(() => kv.delete(key, { previousSeq: expectedRevision }));
        return { kind: done === 'conflict' ? 'conflict' : 'removed' };
      }),
    proveWrite: () => proveWrite(session, [writeSubject(session, bucket, 'probe')]),
    keys: () => keysOf(session, bucket),
    watch: (options) => watchBucket(session, bucket, options),
  };
}

/** Where the client publishes a value: under the API where that has another name than its own. */
const writeSubject = ({ apiPrefix }: Session, bucket: string, key: string): string =>
  `${apiPrefix === DEFAULT_API_PREFIX ? '' : `${apiPrefix}.`}$KV.${bucket}.${key}`;

async function getEntry(kv: KV, key: string): Promise<ViewEntry | null> {
  const entry = await kv.get(key);
  if (entry?.operation !== 'PUT') return null;
  return { key, bytes: entry.value, revision: entry.revision };
}

/** A key that must not exist: a removed one does not. Whoever may write and not read cannot tell the two apart: a conflict. */
async function create(kv: KV, key: string, bytes: Uint8Array): Promise<number | 'conflict'> {
  const fresh = await update(kv, key, { bytes, expectedRevision: 0 });
  if (fresh !== 'conflict') return fresh;
  const standing = await kv.get(key).catch(() => null);
  if (standing === null || standing.operation === 'PUT') return 'conflict';
  return update(kv, key, { bytes, expectedRevision: standing.revision });
}

const update = (
  kv: KV,
  key: string,
  { bytes, expectedRevision }: { readonly bytes: Uint8Array; readonly expectedRevision: number },
): Promise<number | 'conflict'> => orConflict(() => kv.put(key, bytes, { previousSeq: expectedRevision }));

async function orConflict<T>(write: () => Promise<T>): Promise<T | 'conflict'> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof JetStreamApiError && WRONG_REVISION.includes(error.code)) return 'conflict';
    throw error;
  }
}

async function* keysOf(session: Session, bucket: string): AsyncGenerator<string> {
  for await (const change of changes(session, bucket, { headersOnly: true })) {
    if (change === 'current') return;
    if (change.bytes !== null) yield change.key;
  }
}

/** A removed key stays as a marker; among the current values it is left out, as if it had never been. */
async function* watchBucket(session: Session, bucket: string, options: WatchOptions): AsyncGenerator<ViewChange | 'current'> {
  if (options.key !== undefined) requireKeyPattern(options.key);
  let current = false;
  for await (const change of changes(session, bucket, options)) {
    if (change === 'current') current = true;
    if (change === 'current' || current || change.bytes !== null) yield change;
  }
}

interface ChangesOptions extends WatchOptions {
  readonly headersOnly?: boolean;
}

async function* changes(session: Session, bucket: string, options: ChangesOptions): AsyncGenerator<ViewChange | 'current'> {
  const prefix = `$KV.${bucket}.`;
  const signal = untilEither(session, options.signal);
  let current = false;
  const reader = orderedReader(session, {
    stream: bucketStream(bucket),
    filter: prefix + (options.key ?? EVERYTHING),
    start: 'last-per-subject',
    headersOnly: options.headersOnly ?? false,
    window: READ_WINDOW_MESSAGES,
    signal,
  });
  for await (const batch of reader) {
    for (const { message, position } of batch.messages) {
      if (signal.aborted) return;
      yield { key: message.subject.slice(prefix.length), bytes: valueOf(message), revision: position.streamSequence };
      // The word belongs directly behind the last current value, even where changes arrived together with it.
      if (!current && position.pending === 0) {
        current = true;
        yield 'current';
      }
    }
    if (!current && batch.caughtUp) {
      current = true;
      yield 'current';
    }
  }
}

function valueOf(message: Msg): Uint8Array | null {
  const operation = message.headers?.get('KV-Operation') ?? '';
  return operation === '' || operation === 'PUT' ? message.data : null;
}
