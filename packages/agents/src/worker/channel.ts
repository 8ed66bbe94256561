import { Socket } from 'node:net';
import { encodeFrame, FrameReader } from '../broker/framing.js';
import type { ParentMessage, WorkerMessage } from '../broker/messages.js';

/** The end of the socketpair that the parent left open for us. */
const channelFd = 3;

/** The parent bounds what it says; this only keeps a wrong header from being believed. */
const frameBytesMax = 64 * 1024 * 1024;

/** One question and one answer at a time, over the inherited descriptor. The process ends where the parent is gone. */
export class BrokerChannel {
  readonly #socket = new Socket({ fd: channelFd });
  readonly #frames = new FrameReader(() => frameBytesMax);
  #answer: (message: ParentMessage) => void = () => {};

  constructor() {
    this.#socket.on('data', (chunk) => {
      const { messages, breach } = this.#frames.push(chunk);
      if (breach !== null) process.exit(1);
      for (const message of messages) this.#answer(message as ParentMessage);
    });
    this.#socket.on('end', () => process.exit(1));
    this.#socket.on('error', () => process.exit(1));
  }

  ask(message: WorkerMessage): Promise<ParentMessage> {
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#socket.write(encodeFrame(message));
    });
  }

  /** Says the last word, and leaves once it is on its way. */
  finish(message: WorkerMessage): void {
    this.#socket.write(encodeFrame(message), () => process.exit(0));
  }
}
