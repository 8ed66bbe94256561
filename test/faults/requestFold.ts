import { placeOf, readEvent } from '@emend/contracts';
import type { StoredEvent } from '@emend/log';
import type { LogFold } from './logWatch.js';

export interface Settled {
  /** `<run>.<policy>` of the request. */
  readonly key: string;
  /** `proposed`, or the class of the failure. */
  readonly as: string;
  /** When this process saw it, on its monotonic clock. */
  readonly seenMs: number;
}

/** What the log says of the requests in it. */
export class RequestFold implements LogFold {
  readonly requests = new Set<string>();
  readonly claimedMs = new Map<string, number>();
  /** A list, so that a second settlement of a request would show. */
  readonly settled: Settled[] = [];

  get settledCount(): number {
    return this.settled.length;
  }

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
