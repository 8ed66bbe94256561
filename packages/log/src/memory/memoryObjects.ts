import { LogError } from '../errors.js';
import { isObject, objectRefOf } from '../objectName.js';
import type { Objects } from '../objects.js';
import type { MemoryState } from './memoryState.js';

export function memoryObjects(state: MemoryState, bucket: string): Objects {
  const objects = state.objectsOf(bucket);
  if (objects === null) throw new LogError('objects_missing', `the bucket ${bucket} does not exist`, [bucket]);
  return {
    async put(root, bytes) {
      const ref = objectRefOf(bucket, root, bytes);
      objects.set(ref.name, bytes.slice());
      return ref;
    },
    async get(ref, { bytesMax }) {
      if (ref.bytes > bytesMax) return { kind: 'refused', code: 'object_too_large' };
      const bytes = objects.get(ref.name);
      if (bytes === undefined) return { kind: 'refused', code: 'object_missing' };
      return isObject(ref, bytes) ? { kind: 'got', bytes } : { kind: 'refused', code: 'object_damaged' };
    },
    proveWrite: async () => undefined,
  };
}
