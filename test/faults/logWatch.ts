import type { EventLog, StoredEvent } from '@emend/log';

/** What a suite counts in the log, event by event. */
export interface LogFold {
  learn(stored: StoredEvent): void;
  /** How much of the work has come to its end. */
  readonly settledCount: number;
}

/** Follows the log while the faults go on, restarts of its broker included. */
export class LogWatch<Fold extends LogFold> {
  readonly #ended = new AbortController();
  readonly #following: Promise<void>;
  readonly #waiting = new Set<{ readonly isSo: () => boolean; readonly go: () => void }>();

  constructor(
    log: EventLog,
    readonly fold: Fold,
  ) {
    this.#following = this.#follow(log);
    // Whoever waits for something hears of it there.
    this.#following.catch(() => {});
  }

  /** Resolves when it is so: now, or after an event. Rejects where the log cannot be read any further. */
  async until(isSo: (fold: Fold) => boolean): Promise<void> {
    if (isSo(this.fold)) return;
    const met = new Promise<void>((resolve) => this.#waiting.add({ isSo: () => isSo(this.fold), go: resolve }));
    await Promise.race([met, this.#following]);
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#following;
  }

  async #follow(log: EventLog): Promise<void> {
    for await (const stored of log.read({ from: 1, signal: this.#ended.signal })) {
      this.fold.learn(stored);
      for (const one of this.#waiting) {
        if (!one.isSo()) continue;
        this.#waiting.delete(one);
        one.go();
      }
    }
  }
}

/** The whole log once more, from its first event. */
export async function foldAgain<Fold extends LogFold>(log: EventLog, fold: Fold): Promise<Fold> {
  for await (const stored of log.read({ from: 1, to: await log.lastSequence() })) fold.learn(stored);
  return fold;
}
