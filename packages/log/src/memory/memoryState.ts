import type { Message } from '../broker.js';
import type { Definitions } from '../definitions/definitions.js';
import type { StoredEvent } from '../eventLog.js';
import { matchesSubject } from '../subject.js';
import { Changes } from './changes.js';

/** What one durable has out and what it will deliver again. */
export interface MemoryDurable {
  readonly filter: string;
  readonly maxAckPending: number;
  /** The next sequence that was never delivered. */
  next: number;
  readonly deliveries: Map<number, number>;
  readonly unacknowledged: Set<number>;
  readonly again: number[];
}

export interface MemoryValue {
  readonly key: string;
  readonly bytes: Uint8Array | null;
  readonly revision: number;
}

export interface MemoryBucket {
  readonly values: Map<string, MemoryValue>;
  readonly history: MemoryValue[];
}

export interface MemorySubscription {
  readonly pattern: string;
  readonly deliver: (message: Message) => void;
}

export interface MemoryService {
  readonly pattern: string;
  readonly handle: (request: Message) => Promise<Uint8Array>;
}

/** What several handles share. Everything happens in one turn of the event loop, so there is nothing to lock. */
export class MemoryState {
  readonly events: StoredEvent[] = [];
  readonly places = new Map<string, StoredEvent>();
  readonly durables = new Map<string, MemoryDurable>();
  readonly buckets = new Map<string, MemoryBucket>();
  readonly objects = new Map<string, Map<string, Uint8Array>>();
  readonly subscriptions = new Set<MemorySubscription>();
  readonly services: MemoryService[] = [];
  readonly stored: Message[] = [];
  readonly changes = new Changes();
  isFull = false;

  constructor(
    readonly stream: string,
    readonly definitions: Definitions | undefined,
  ) {}

  /** To plain subscriptions, the ones that the log's refusals reach too. */
  deliver(message: Message): void {
    for (const subscription of this.subscriptions) {
      if (matchesSubject(subscription.pattern, message.subject)) subscription.deliver(message);
    }
  }

  /** The stream that takes a subject; without definitions the log takes everything. */
  streamOf(subject: string): string | null {
    if (this.definitions === undefined) return this.stream;
    const taker = this.definitions.streams.find((s) => s.subjects.some((pattern) => matchesSubject(pattern, subject)));
    return taker?.name ?? null;
  }

  /** Where the log republishes what it stored on this subject, if anywhere. */
  republishedAs(subject: string): string | null {
    const log = this.definitions?.streams.find((s) => s.name === this.stream);
    const from = log?.subjects[0] ?? 'stream.>';
    const to = log === undefined ? (this.definitions === undefined ? 'fact.>' : undefined) : log.republishTo;
    if (to === undefined || !matchesSubject(from, subject)) return null;
    return to.slice(0, -1) + subject.slice(from.length - 1);
  }

  durable(name: string): MemoryDurable | null {
    const known = this.durables.get(name);
    if (known !== undefined) return known;
    const defined = this.definitions?.durables.find((d) => d.name === name && d.stream === this.stream);
    if (this.definitions !== undefined && defined === undefined) return null;
    const made: MemoryDurable = {
      filter: defined?.filter ?? '>',
      maxAckPending: defined?.maxAckPending ?? Number.POSITIVE_INFINITY,
      next: 1,
      deliveries: new Map(),
      unacknowledged: new Set(),
      again: [],
    };
    this.durables.set(name, made);
    return made;
  }

  /** By name, or null where the bucket of objects does not exist. */
  objectsOf(bucket: string): Map<string, Uint8Array> | null {
    const known = this.objects.get(bucket);
    if (known !== undefined) return known;
    if (this.definitions !== undefined && !this.definitions.objects?.some(({ name }) => name === bucket)) return null;
    const made = new Map<string, Uint8Array>();
    this.objects.set(bucket, made);
    return made;
  }

  bucket(name: string): MemoryBucket | null {
    const known = this.buckets.get(name);
    if (known !== undefined) return known;
    if (this.definitions !== undefined && !this.definitions.buckets.some((b) => b.name === name)) return null;
    const made: MemoryBucket = { values: new Map(), history: [] };
    this.buckets.set(name, made);
    return made;
  }
}
