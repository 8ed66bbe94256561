import type { Delivered } from '../src/index.js';

/** One fake message that counts what the loop tells the broker. */
export interface FakeDelivery extends Delivered<string> {
  readonly told: { acks: number; naks: number[]; beats: number };
  /** Settles at the first ack or nak. */
  readonly settled: Promise<void>;
}

export function fakeDelivery(event: string, options: { deliveries?: number; ackFails?: boolean } = {}): FakeDelivery {
  const told = { acks: 0, naks: [] as number[], beats: 0 };
  const point = openPoint();
  return {
    event,
    deliveries: options.deliveries ?? 1,
    told,
    settled: point.reached,
    ack() {
      told.acks += 1;
      point.reach();
      return options.ackFails ? Promise.reject(new Error('connection gone')) : Promise.resolve();
    },
    nak(delayMs) {
      told.naks.push(delayMs);
      point.reach();
    },
    working() {
      told.beats += 1;
    },
  };
}

/** A source that a test feeds. It never ends by itself, and its `return` is counted. */
export function fakeSource() {
  const queue: FakeDelivery[] = [];
  const told = { pulls: 0, returns: 0 };
  let waiting: ((result: IteratorResult<FakeDelivery>) => void) | undefined;
  const deliveries: AsyncIterable<FakeDelivery> = {
    [Symbol.asyncIterator]: () => ({
      next() {
        told.pulls += 1;
        const value = queue.shift();
        if (value) return Promise.resolve({ done: false, value });
        return new Promise((resolve) => {
          waiting = resolve;
        });
      },
      return() {
        told.returns += 1;
        return Promise.resolve({ done: true as const, value: undefined });
      },
    }),
  };
  return {
    deliveries,
    told,
    push(delivery: FakeDelivery) {
      if (!waiting) return void queue.push(delivery);
      waiting({ done: false, value: delivery });
      waiting = undefined;
    },
  };
}

/** A point a test waits for. */
export function openPoint(): { readonly reached: Promise<void>; reach(): void } {
  let reach = (): void => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  return { reached, reach };
}

/** Lets everything that is already settled run. No time passes. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Log lines as objects, and their bytes. */
export function fakeLogSink() {
  const lines: Record<string, unknown>[] = [];
  let bytes = '';
  return {
    lines,
    text: () => bytes,
    events: () => lines.map((line) => line['event']),
    destination: {
      write(line: string) {
        bytes += line;
        lines.push(JSON.parse(line) as Record<string, unknown>);
      },
    },
  };
}
