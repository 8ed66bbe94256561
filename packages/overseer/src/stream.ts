import type { JsonValue } from '@emend/contracts';
import type { Decoded } from './decoded.js';

/** What can be shown of an answer that is still coming. It says that it is not final, and nothing may act on it. */
export interface PartialDecoded {
  readonly final: false;
  /** Absent where nothing can be shown yet. */
  readonly value?: JsonValue;
  /** UTF-8 bytes so far. */
  readonly bytes: number;
}

/** Takes an answer in pieces. How it was cut into pieces changes nothing: the end equals `decode` of the whole text. */
export interface DecodeStream {
  /** Text, or UTF-8 bytes that may end inside a character. */
  push(chunk: string | Uint8Array): void;
  /** One pass over what has come: ask as often as you show it. */
  partial(): PartialDecoded;
  end(finishReason?: string | null): Decoded;
}

/** What the stream needs of its decoder. */
export interface StreamSource {
  readonly bytesMax: number;
  partial(text: string): JsonValue | undefined;
  /** `text` is a stand-in where the bytes are more than the limit: then only whether it is blank counts. */
  conclude(text: string, bytes: number, finishReason: string | null): Decoded;
  notUtf8(bytes: number, finishReason: string | null): Decoded;
}

export class TextStream implements DecodeStream {
  readonly #source: StreamSource;
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #text = '';
  /** The first half of a character whose second half has not come. */
  #half = '';
  #bytes = 0;
  #blank = true;
  #broken = false;

  constructor(source: StreamSource) {
    this.#source = source;
  }

  push(chunk: string | Uint8Array): void {
    if (typeof chunk === 'string') this.#take(chunk);
    else this.#takeBytes(chunk, true);
  }

  partial(): PartialDecoded {
    const value = this.#broken || this.#bytes > this.#source.bytesMax ? undefined : this.#source.partial(this.#text);
    return { final: false, bytes: this.#bytes, ...(value === undefined ? {} : { value }) };
  }

  end(finishReason: string | null = null): Decoded {
    this.#takeBytes(new Uint8Array(), false);
    const half = this.#half;
    this.#half = '';
    this.#add(half);
    if (this.#broken) return this.#source.notUtf8(this.#bytes, finishReason);
    const over = this.#bytes > this.#source.bytesMax;
    return this.#source.conclude(over ? (this.#blank ? '' : '?') : this.#text, this.#bytes, finishReason);
  }

  #takeBytes(chunk: Uint8Array, more: boolean): void {
    try {
      this.#take(this.#utf8.decode(chunk, { stream: more }));
    } catch {
      this.#broken = true;
    }
  }

  /** Holds back half a character, so that its bytes are counted as one. */
  #take(chunk: string): void {
    const whole = this.#half + chunk;
    const split = /[\ud800-\udbff]$/.test(whole);
    this.#half = split ? whole.slice(-1) : '';
    this.#add(split ? whole.slice(0, -1) : whole);
  }

  #add(text: string): void {
    this.#bytes += Buffer.byteLength(text, 'utf8');
    this.#blank &&= text.trim() === '';
    // Past the limit nothing is kept: only the count goes on.
    this.#text = this.#bytes > this.#source.bytesMax ? '' : this.#text + text;
  }
}
