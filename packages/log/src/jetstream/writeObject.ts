import { headers, nuid } from '@nats-io/transport-node';
import { CALL_TIMEOUT_MS, OBJECT_PART_BYTES } from '../limits.js';
import type { ObjectRef } from '../objects.js';
import type { Session } from './session.js';

/**
 * Writes an object as every client of the object store reads it: its parts on one subject, then what they are on another. The client's
 * own writer purges when it fails, which a service may not, and then says why the purge failed. Parts stand under their root, so
 * that an erasure finds those of a write that was cut short too.
 */
export async function writeObject({ nc, js }: Session, ref: ObjectRef, bytes: Uint8Array): Promise<void> {
  const { bucket, name, hash } = ref;
  const [root = ''] = name.split('.');
  const id = `${root}.${nuid.next()}`;
  const partBytes = Math.min(OBJECT_PART_BYTES, nc.info?.max_payload ?? OBJECT_PART_BYTES);
  let chunks = 0;
  for (let at = 0; at < bytes.byteLength; at += partBytes) {
    await js.publish(`$O.${bucket}.C.${id}`, bytes.subarray(at, at + partBytes), { timeout: CALL_TIMEOUT_MS });
    chunks += 1;
  }
  const info = {
    name,
    bucket,
    nuid: id,
    size: bytes.byteLength,
    chunks,
    digest: `SHA-256=${urlSafe(Buffer.from(hash, 'hex'))}`,
    mtime: new Date().toISOString(),
    deleted: false,
    options: { max_chunk_size: partBytes },
  };
  const replacing = headers();
  replacing.set('Nats-Rollup', 'sub');
  const options = { timeout: CALL_TIMEOUT_MS, headers: replacing };
  await js.publish(`$O.${bucket}.M.${urlSafe(Buffer.from(name))}`, JSON.stringify(info), options);
}

/** Base64 for a subject, with its padding. */
const urlSafe = (bytes: Buffer): string => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_');
