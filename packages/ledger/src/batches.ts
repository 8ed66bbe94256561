import { BATCH_EVENTS_MAX, BATCH_LINGER_MS } from './limits.js';

export interface BatchLimits {
  /** Items of one batch. */
  readonly batchMax?: number;
  /** How long the first item of a batch may wait for more, where more are slow to come. */
  readonly lingerMs?: number;
}

/**
 * Items in batches: full ones while there is much, small ones when the source is idle. The timer decides only how items
 * are cut into batches, and no result may depend on that.
 */
export async function* batchesOf<Item>(items: AsyncIterable<Item>, limits: BatchLimits = {}): AsyncGenerator<readonly Item[]> {
  const { batchMax = BATCH_EVENTS_MAX, lingerMs = BATCH_LINGER_MS } = limits;
  const iterator = items[Symbol.asyncIterator]();
  let next: Promise<IteratorResult<Item>> | null = null;
  try {
    for (;;) {
      const batch: Item[] = [];
      const linger = new Linger(lingerMs);
      let ended = false;
      while (batch.length < batchMax) {
        next ??= iterator.next();
        const result = await (batch.length === 0 ? next : Promise.race([next, linger.over()]));
        if (result === 'over') break;
        next = null;
        ended = result.done === true;
        if (ended) break;
        batch.push(result.value as Item);
      }
      linger.end();
      if (batch.length > 0) yield batch;
      if (ended) return;
    }
  } finally {
    // Not awaited: a source that waits for its next item ends with its own signal.
    next?.catch(() => undefined);
    void iterator.return?.()?.catch(() => undefined);
  }
}

/** One timer per batch, started when somebody first waits for it. */
class Linger {
  #over: Promise<'over'> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly ms: number) {}

  over(): Promise<'over'> {
    this.#over ??= new Promise((resolve) => {
      this.#timer = setTimeout(() => resolve('over'), this.ms);
    });
    return this.#over;
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
