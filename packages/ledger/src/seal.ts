import { crc32 } from 'node:zlib';
import { LedgerError } from './errors.js';

/** A stored text with its checksum: SQLite has none of its own, and a flipped bit must cost time, never correctness. */
export interface Sealed {
  readonly body: string;
  readonly seal: number;
}

export const sealOf = (key: string, body: string): number => crc32(body, crc32(key));

/** The stored value. Throws `ledger_corrupt` where the text is not the one that was written under this key. */
export function unseal<Value>(key: string, stored: Sealed, file: string): Value {
  if (sealOf(key, stored.body) !== stored.seal) throw new LedgerError('ledger_corrupt', file);
  // This package wrote the text itself, from a value of this type, under this format.
  return JSON.parse(stored.body) as Value;
}
