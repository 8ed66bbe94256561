import { createHash } from 'node:crypto';
import { LogError } from './errors.js';
import { OBJECT_BYTES_MAX } from './limits.js';
import type { ObjectRef } from './objects.js';

const ROOT = /^[A-Za-z0-9_-]{1,64}$/;

/** What these bytes are called. Both adapters name, and refuse, alike. */
export function objectRefOf(bucket: string, root: string, bytes: Uint8Array): ObjectRef {
  if (!ROOT.test(root)) throw new LogError('subject_invalid', 'not valid, wanted is a root of A-Z a-z 0-9 _ -');
  if (bytes.byteLength === 0 || bytes.byteLength > OBJECT_BYTES_MAX)
    throw new LogError('too_large', `an object has from 1 to ${OBJECT_BYTES_MAX} bytes`, [bucket]);
  const hash = hashOf(bytes);
  return { bucket, name: `${root}.${hash}`, hash, bytes: bytes.byteLength };
}

/** Whether the bytes are what the reference names. */
export const isObject = (ref: ObjectRef, bytes: Uint8Array): boolean => bytes.byteLength === ref.bytes && hashOf(bytes) === ref.hash;

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
