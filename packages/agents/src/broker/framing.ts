/** Bytes before each frame: its length, big-endian, without themselves. */
export const frameHeaderBytes = 4;

/** A message as one frame. JSON is escaped the same way on both sides, so a message that is echoed has as many bytes as it came with. */
export function encodeFrame(message: object): Buffer {
  const body = Buffer.from(JSON.stringify(message), 'utf8');
  const frame = Buffer.allocUnsafe(frameHeaderBytes + body.length);
  frame.writeUInt32BE(body.length, 0);
  body.copy(frame, frameHeaderBytes);
  return frame;
}

export type FrameBreach = 'frame_too_large' | 'frame_unreadable';

/** What a chunk completed: the messages before a breach stay good. After a breach the reader is done. */
export interface FramesRead {
  readonly messages: readonly unknown[];
  readonly breach: FrameBreach | null;
}

/**
 * Cuts a byte stream into messages. A length over the bound is refused on its header, before a byte of the body is kept,
 * so that what a peer can make us hold is one frame.
 */
export class FrameReader {
  readonly #bytesMax: () => number;
  #held: Buffer = Buffer.alloc(0);

  /** `bytesMax` is asked for each header: what a peer may say depends on what it was told. */
  constructor(bytesMax: () => number) {
    this.#bytesMax = bytesMax;
  }

  push(chunk: Uint8Array): FramesRead {
    this.#held = this.#held.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#held, chunk]);
    const messages: unknown[] = [];
    while (this.#held.length >= frameHeaderBytes) {
      const bytes = this.#held.readUInt32BE(0);
      if (bytes > this.#bytesMax()) return { messages, breach: 'frame_too_large' };
      const end = frameHeaderBytes + bytes;
      if (this.#held.length < end) break;
      const message = parsed(this.#held.subarray(frameHeaderBytes, end));
      if (message === undefined) return { messages, breach: 'frame_unreadable' };
      messages.push(message);
      this.#held = this.#held.subarray(end);
    }
    return { messages, breach: null };
  }
}

/** JSON has no word for undefined, so it can say that there was none. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}
