import type { ViewValue } from './domain/viewValue.js';
import { KNOWN_VALUES_MAX } from './limits.js';

export interface KnownValue {
  readonly value: ViewValue;
  readonly revision: number;
}

/** What this writer last put under a key. It may be outdated: the compare-and-set finds out. */
export class KnownValues {
  readonly #values = new Map<string, KnownValue>();

  get(key: string): KnownValue | null {
    return this.#values.get(key) ?? null;
  }

  set(key: string, value: KnownValue): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= KNOWN_VALUES_MAX) return;
    const [oldest] = this.#values.keys();
    if (oldest !== undefined) this.#values.delete(oldest);
  }

  clear(): void {
    this.#values.clear();
  }
}
