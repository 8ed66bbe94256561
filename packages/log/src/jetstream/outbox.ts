import { OUTBOX_MAX } from '../limits.js';

/**
 * What is to be written to the connection, done together at the end of the turn of the event loop. The client writes to its
 * socket once for each microtask that publishes, and a write to a socket is dearer than all else about a small message.
 */
export class Outbox {
  #writes: (() => void)[] = [];

  /** A write must not throw. */
  add(write: () => void): void {
    this.#writes.push(write);
    if (this.#writes.length === 1) setImmediate(() => this.flush());
    else if (this.#writes.length >= OUTBOX_MAX) this.flush();
  }

  flush(): void {
    const writes = this.#writes;
    this.#writes = [];
    for (const write of writes) write();
  }
}
