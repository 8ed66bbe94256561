/** One message of the NATS protocol, in either direction, as it stood on the wire. */
export interface Frame {
  /** In capitals: PUB, HPUB, MSG, HMSG, PING … */
  readonly verb: string;
  /** What it is published or delivered to; empty where the verb has none. */
  readonly subject: string;
  /** Where a published message wants its answer; empty without one. */
  readonly reply: string;
  /** With headers, where it has any. */
  readonly payload: Buffer;
  /** All of it, to be passed on unchanged. */
  readonly bytes: Buffer;
}

/** Verbs whose line ends in the size of what follows, and how many words that line has when it names no reply. */
const wordsWithoutReply: Readonly<Record<string, number>> = { PUB: 3, HPUB: 4, MSG: 4, HMSG: 5 };
const lineEnd = Buffer.from('\r\n');
/** An INFO or a CONNECT is long; a line longer than this is no NATS. */
const lineBytesMax = 65_536;

/** Cuts a stream of bytes into frames, however the chunks fall. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): readonly Frame[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: Frame[] = [];
    for (let frame = frameAt(this.#rest); frame !== null; frame = frameAt(this.#rest)) {
      frames.push(frame);
      this.#rest = this.#rest.subarray(frame.bytes.length);
    }
    return frames;
  }
}

/** The frame at the start of the bytes; null while it is not whole. */
function frameAt(bytes: Buffer): Frame | null {
  const lineLength = bytes.indexOf(lineEnd);
  if (lineLength < 0) {
    if (bytes.length > lineBytesMax) throw new Error('a line without an end: this is no NATS');
    return null;
  }
  const words = bytes.subarray(0, lineLength).toString('latin1').trim().split(/\s+/);
  const verb = (words[0] ?? '').toUpperCase();
  const bodyAt = lineLength + lineEnd.length;
  const plain = wordsWithoutReply[verb];
  if (plain === undefined) return { verb, subject: '', reply: '', payload: Buffer.alloc(0), bytes: bytes.subarray(0, bodyAt) };

  const size = Number(words.at(-1));
  if (!Number.isSafeInteger(size) || size < 0) throw new Error(`${verb} without a size: this is no NATS`);
  const end = bodyAt + size + lineEnd.length;
  if (bytes.length < end) return null;
  // The reply stands before the sizes: one of them, or two where there are headers.
  const reply = words.length > plain ? (words.at(verb.startsWith('H') ? -3 : -2) ?? '') : '';
  return { verb, subject: words[1] ?? '', reply, payload: bytes.subarray(bodyAt, bodyAt + size), bytes: bytes.subarray(0, end) };
}
