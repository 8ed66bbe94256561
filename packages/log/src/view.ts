/** One current value of a bucket. `revision` grows with every write to the bucket. */
export interface ViewEntry {
  readonly key: string;
  readonly bytes: Uint8Array;
  readonly revision: number;
}

export type Put = { readonly kind: 'put'; readonly revision: number } | { readonly kind: 'conflict' };
export type Removed = { readonly kind: 'removed' } | { readonly kind: 'conflict' };

/** A change of one key; `bytes` is `null` where the key was removed. */
export interface ViewChange {
  readonly key: string;
  readonly bytes: Uint8Array | null;
  readonly revision: number;
}

export interface WatchOptions {
  readonly signal?: AbortSignal;
  /** One key, or a pattern with `*` and `>`. Everything when absent. */
  readonly key?: string;
}

/** A bucket of rebuildable values. Every write is a compare-and-set; a view decides nothing. Throws `subject_invalid` for what is no key. */
export interface View {
  get(key: string): Promise<ViewEntry | null>;
  /**
   * `expectedRevision` 0 means that the key must not exist; a removed key does not exist. Throws `LogError` `timeout`
   * where nobody knows whether it was written: read again and decide again.
   */
  put(key: string, bytes: Uint8Array, expectedRevision: number): Promise<Put>;
  remove(key: string, expectedRevision: number): Promise<Removed>;
  /** Proves that keys may be written, as a broker does for places. Stores nothing. */
  proveWrite(): Promise<void>;
  keys(): AsyncIterable<string>;
  /** Current values first, then the word `current`, then changes until the signal. A value may come twice after a reconnect. */
  watch(options: WatchOptions): AsyncIterable<ViewChange | 'current'>;
}
