import type { Operation } from './domain/command.js';

/** What the NATS services API (ADR-32) is told: who is here, what it serves, and how that went. */
export interface ServiceIdentity {
  readonly name: string;
  /** Of this instance. */
  readonly id: string;
  /** Semantic. */
  readonly version: string;
  readonly description: string;
  readonly queue: string;
  /** RFC 3339. */
  readonly started: string;
}

interface Counts {
  requests: number;
  unavailable: number;
  lastCause: string;
  processingMs: number;
}

export const serviceVerbs = ['PING', 'INFO', 'STATS'] as const;
export type ServiceVerb = (typeof serviceVerbs)[number];

const nanosecondsPerMs = 1_000_000;

/** Counts what was served, and answers the three discovery verbs. */
export class ServiceApi {
  readonly #identity: ServiceIdentity;
  readonly #endpoints: ReadonlyMap<Operation, { readonly subject: string; readonly counts: Counts }>;

  constructor(identity: ServiceIdentity, endpoints: readonly { readonly operation: Operation; readonly subject: string }[]) {
    this.#identity = identity;
    this.#endpoints = new Map(
      endpoints.map(({ operation, subject }) => [
        operation,
        { subject, counts: { requests: 0, unavailable: 0, lastCause: '', processingMs: 0 } },
      ]),
    );
  }

  /** `cause` is the code of an answer that could not be given, or null. */
  served(operation: Operation, tookMs: number, cause: string | null): void {
    const counts = this.#endpoints.get(operation)?.counts;
    if (counts === undefined) return;
    counts.requests += 1;
    counts.processingMs += tookMs;
    if (cause === null) return;
    counts.unavailable += 1;
    counts.lastCause = cause;
  }

  /** The subjects of a verb: of everybody, of this service, of this instance. */
  subjectsOf(verb: ServiceVerb): readonly string[] {
    const { name, id } = this.#identity;
    return [`$SRV.${verb}`, `$SRV.${verb}.${name}`, `$SRV.${verb}.${name}.${id}`];
  }

  answer(verb: ServiceVerb): unknown {
    const { name, id, version, description, started } = this.#identity;
    const base = { type: `io.nats.micro.v1.${verb.toLowerCase()}_response`, name, id, version, metadata: {} };
    switch (verb) {
      case 'PING':
        return base;
      case 'INFO':
        return { ...base, description, endpoints: this.#described(() => ({ metadata: {} })) };
      case 'STATS':
        return { ...base, started, endpoints: this.#described(statsOf) };
      default:
        return verb satisfies never;
    }
  }

  #described(more: (counts: Counts) => object): readonly object[] {
    const queue = this.#identity.queue;
    return [...this.#endpoints].map(([name, { subject, counts }]) => ({ name, subject, queue_group: queue, ...more(counts) }));
  }
}

function statsOf({ requests, unavailable, lastCause, processingMs }: Counts): object {
  const processing = Math.round(processingMs * nanosecondsPerMs);
  return {
    num_requests: requests,
    num_errors: unavailable,
    last_error: lastCause,
    processing_time: processing,
    average_processing_time: requests === 0 ? 0 : Math.round(processing / requests),
  };
}
