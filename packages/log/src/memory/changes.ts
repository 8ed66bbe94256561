/** Wakes everyone who waits for something new. A waiter looks again; it is never told what changed. */
export class Changes {
  #waiting: (() => void)[] = [];

  announce(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  /** Resolves at the next change, or when the signal fires. */
  next(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
      this.#waiting.push(wake);
    });
  }
}
