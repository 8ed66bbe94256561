import type { ObjectRef } from '@emend/contracts';

/** A bucket of content that is too large for an event. Rejects where a broker does not answer, or refuses for good. */
export interface ObjectPort {
  put(root: string, bytes: Uint8Array): Promise<ObjectRef>;
  get(ref: ObjectRef, options: { readonly bytesMax: number; readonly signal: AbortSignal }): Promise<ObjectRead>;
}

export type ObjectRead =
  | { readonly kind: 'got'; readonly bytes: Uint8Array }
  | { readonly kind: 'refused'; readonly code: 'object_missing' | 'object_damaged' | 'object_too_large' };
