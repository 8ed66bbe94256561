/** Lets so many requests work at once; the others wait in order. Knows when none is left. */
export class RequestsInHand {
  readonly #slots: number;
  readonly #waiting: (() => void)[] = [];
  #inHand = 0;
  #idle: (() => void)[] = [];

  constructor(slots: number) {
    this.#slots = slots;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    // A slot is handed on, never freed for whoever comes first, so a newcomer cannot pass those who wait.
    if (this.#inHand >= this.#slots) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inHand += 1;
    try {
      return await work();
    } finally {
      this.#handOn();
    }
  }

  /** Resolves when nothing is in hand and what was answered last has left for the connection. */
  async drained(): Promise<void> {
    do {
      if (this.#inHand > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
      // The door answers, and takes the next request in, in microtasks after the handler.
      await new Promise((resolve) => setImmediate(resolve));
    } while (this.#inHand > 0);
  }

  #handOn(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) return next();
    this.#inHand -= 1;
    if (this.#inHand > 0) return;
    const idle = this.#idle;
    this.#idle = [];
    for (const wake of idle) wake();
  }
}
