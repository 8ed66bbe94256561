import { candidateBytesMax, type JsonValue } from '@emend/contracts';

/**
 * A malformed output, in memory only (O7, O42). It shows its size and nothing else to whoever prints, serializes or inspects it (O33);
 * the text leaves by `textOf`, for the one request that may carry it.
 */
export class OutputRepairCandidate {
  readonly #text: string;
  readonly #rejected: JsonValue | undefined;
  /** UTF-8 size of the text. */
  readonly bytes: number;

  private constructor(text: string, bytes: number, rejected: JsonValue | undefined) {
    this.#text = text;
    this.#rejected = rejected;
    this.bytes = bytes;
  }

  /**
   * Null where the text passes 64 KiB (O26): it is measured whole and never cut.
   * @param rejected What the text says, where it could be read and its contract refused it.
   */
  static of(text: string, rejected?: JsonValue): OutputRepairCandidate | null {
    const bytes = Buffer.byteLength(text, 'utf8');
    return bytes <= candidateBytesMax ? new OutputRepairCandidate(text, bytes, rejected) : null;
  }

  static textOf(candidate: OutputRepairCandidate): string {
    return candidate.#text;
  }

  static rejectedIn(candidate: OutputRepairCandidate): JsonValue | undefined {
    return candidate.#rejected;
  }

  toString(): string {
    return `OutputRepairCandidate(${this.bytes} bytes)`;
  }

  toJSON(): { readonly bytes: number } {
    return { bytes: this.bytes };
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}
