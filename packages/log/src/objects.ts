/** What names one object: what it belongs to, and what is in it. `bytes` is its length. */
export interface ObjectRef {
  readonly bucket: string;
  /** `<root>.<hash>`: whoever erases a root finds its objects by the beginning of their names. */
  readonly name: string;
  /** SHA-256 of the bytes in hexadecimal. */
  readonly hash: string;
  readonly bytes: number;
}

export type ObjectRefusal =
  /** Nothing stands under the name, or what stood there was erased. */
  | 'object_missing'
  /** What stands there is not what the reference names: another length, another hash, or parts that are gone. */
  | 'object_damaged'
  /** The reference names more bytes than the caller takes. Nothing was read. */
  | 'object_too_large';

export type ObjectGot = { readonly kind: 'got'; readonly bytes: Uint8Array } | { readonly kind: 'refused'; readonly code: ObjectRefusal };

export interface GetObjectOptions {
  readonly bytesMax: number;
  /** Ends a read that waits for a broker, with `LogError` `timeout`. */
  readonly signal?: AbortSignal;
}

/** A bucket of content that is too large for an event. An object is written once, before the event that names it, and never changed. */
export interface Objects {
  /**
   * Stores bytes under their hash and their root; where the same bytes stand already, it leaves them. A root is a token of
   * `A-Z a-z 0-9 _ -`. Throws `LogError` `subject_invalid`, `too_large` past {@link OBJECT_BYTES_MAX}, `objects_full`, or what a
   * broker that does not answer gives.
   */
  put(root: string, bytes: Uint8Array): Promise<ObjectRef>;
  /** The bytes, whose length and hash are those of the reference, or a code. */
  get(ref: ObjectRef, options: GetObjectOptions): Promise<ObjectGot>;
  /** Proves that objects may be written here, as `Broker.proveWrite` does. Stores nothing. */
  proveWrite(): Promise<void>;
}
