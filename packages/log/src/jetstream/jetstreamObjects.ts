import { JetStreamApiError } from '@nats-io/jetstream';
import { type ObjectInfo, type ObjectStore, Objm } from '@nats-io/obj';
import { objectSubjects, objectsStream } from '../definitions/wireConfig.js';
import { LogError } from '../errors.js';
import { OBJECT_WINDOW_MESSAGES } from '../limits.js';
import { isObject, objectRefOf } from '../objectName.js';
import type { GetObjectOptions, ObjectGot, ObjectRef, Objects } from '../objects.js';
import { isStreamNotFound, toLogError } from './faults.js';
import { orderedReader } from './orderedReader.js';
import { proveWrite } from './proveWrite.js';
import { type Session, untilEither } from './session.js';
import { writeObject } from './writeObject.js';

const STREAM_FULL = 10_077;

/** Binds to a bucket of objects. Throws `objects_missing`. */
export async function jetstreamObjects(session: Session, bucket: string): Promise<Objects> {
  try {
    await session.jsm.streams.info(objectsStream(bucket));
    return objectsOf(session, bucket, await new Objm(session.js).open(bucket, false));
  } catch (error) {
    if (isStreamNotFound(error)) throw new LogError('objects_missing', `the bucket ${bucket} does not exist: run bootstrap`, [bucket]);
    throw toLogError(error, bucket);
  }
}

function objectsOf(session: Session, bucket: string, store: ObjectStore): Objects {
  const get = (ref: ObjectRef, options: GetObjectOptions) => getObject({ session, bucket, store }, ref, options);
  return {
    async put(root, bytes) {
      const ref = objectRefOf(bucket, root, bytes);
      // Written over what stands, the parts of the old one would be gone while somebody reads them.
      if ((await get(ref, { bytesMax: ref.bytes })).kind === 'got') return ref;
      await writeObject(session, ref, bytes).catch((error: unknown) => {
        throw isFull(error) ? new LogError('objects_full', `the bucket ${bucket} takes nothing more`, [bucket]) : toLogError(error, bucket);
      });
      return ref;
    },
    get,
    proveWrite: () =>
      proveWrite(
        session,
        objectSubjects(bucket).map((pattern) => pattern.replace('>', 'probe')),
      ),
  };
}

const isFull = (error: unknown): boolean => error instanceof JetStreamApiError && error.code === STREAM_FULL;

interface Bucket {
  readonly session: Session;
  readonly bucket: string;
  readonly store: ObjectStore;
}

/** A writer of the same object may put other parts in place of those that are read here: then it looks again. */
async function getObject(bucket: Bucket, ref: ObjectRef, { bytesMax, signal }: GetObjectOptions): Promise<ObjectGot> {
  if (ref.bytes > bytesMax) return { kind: 'refused', code: 'object_too_large' };
  let info = await infoOf(bucket, ref);
  while (info !== null) {
    const bytes = info.size === ref.bytes ? await partsOf(bucket, info, signal) : new Uint8Array();
    if (isObject(ref, bytes)) return { kind: 'got', bytes };
    const again = await infoOf(bucket, ref);
    if (again?.nuid === info.nuid) return { kind: 'refused', code: 'object_damaged' };
    info = again;
  }
  return { kind: 'refused', code: 'object_missing' };
}

async function infoOf({ bucket, store }: Bucket, { name }: ObjectRef): Promise<ObjectInfo | null> {
  const info = await store.info(name).catch((error: unknown) => {
    throw toLogError(error, bucket);
  });
  return info === null || info.deleted ? null : info;
}

/**
 * The parts of one object, as far as they are there. The client's own reader waits without end for parts that are gone; this one
 * ends where nothing stands behind the last.
 */
async function partsOf({ session, bucket }: Bucket, { nuid, size }: ObjectInfo, given?: AbortSignal): Promise<Uint8Array> {
  const signal = untilEither(session, given);
  const reader = orderedReader(session, {
    stream: objectsStream(bucket),
    filter: `$O.${bucket}.C.${nuid}`,
    start: 1,
    window: OBJECT_WINDOW_MESSAGES,
    signal,
  });
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const batch of reader) {
    for (const { message } of batch.messages) {
      parts.push(message.data);
      length += message.data.byteLength;
    }
    if (batch.caughtUp || length >= size) return Buffer.concat(parts);
  }
  throw new LogError(session.closing.aborted ? 'closed' : 'timeout', 'the read of an object was ended', [bucket]);
}
