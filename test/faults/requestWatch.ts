import { placeOf, readEvent } from '@emend/contracts';
import type { EventLog, StoredEvent } from '@emend/log';

export interface Settled {
  /** `<run>.<policy>` of the request. */
  readonly key: string;
  /** `proposed`, or the class of the failure. */
  readonly as: string;
  /** When this process saw it, on its monotonic clock. */
  readonly seenMs: number;
}

/** What the log says of the requests in it. */
export class RequestFold {
  readonly requests = new Set<string>();
  readonly claimedMs = new Map<string, number>();
  /** A list, so that a second settlement of a request would show. */
  readonly settled: Settled[] = [];

  learn(stored: StoredEvent): void {
    const place = placeOf(stored.subject);
    const key = place?.key.join('.') ?? '';
    if (place?.place === 'repairRequested') this.requests.add(key);
    if (place?.place === 'repairStarted') this.claimedMs.set(key, performance.now());
    if (place?.place === 'correction') this.settled.push({ key, as: settlementOf(stored), seenMs: performance.now() });
  }
}

function settlementOf(stored: StoredEvent): string {
  const read = readEvent(stored);
  if (read.kind !== 'event') return read.kind;
  return read.event.name === 'runFailed' ? read.event.data.diagnostic.class : 'proposed';
}

/** Follows the log while the faults go on, restarts of its broker included. */
export class RequestWatch {
  readonly fold = new RequestFold();
  readonly #ended = new AbortController();
  readonly #following: Promise<void>;
  readonly #waiting = new Set<{ readonly isSo: () => boolean; readonly go: () => void }>();

  constructor(log: EventLog) {
    this.#following = this.#follow(log);
    // Whoever waits for something hears of it there.
    this.#following.catch(() => {});
  }

  /** Resolves when it is so: now, or after an event. Rejects where the log cannot be read any further. */
  async until(isSo: (fold: RequestFold) => boolean): Promise<void> {
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
export async function foldOf(log: EventLog): Promise<RequestFold> {
  const fold = new RequestFold();
  for await (const stored of log.read({ from: 1, to: await log.lastSequence() })) fold.learn(stored);
  return fold;
}
