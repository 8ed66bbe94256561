import { createInbox, errors, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { CALL_TIMEOUT_MS } from '../limits.js';
import type { Outbox } from './outbox.js';

/** Something published to which an answer comes. */
export interface Question {
  readonly subject: string;
  readonly bytes: Uint8Array;
  readonly headers: MsgHdrs;
}

interface Waiting {
  readonly subject: string;
  readonly deadlineMs: number;
  readonly resolve: (answer: Msg) => void;
  readonly reject: (error: Error) => void;
}

interface AnswersOptions {
  readonly nc: NatsConnection;
  readonly outbox: Outbox;
  readonly inboxPrefix: string;
}

const NO_RESPONDERS = 503;

/**
 * The answers to appends: one inbox and one timer for all. The client's own request makes a timer, an id and an error with a
 * stack for each call, which is more than half of what an append costs.
 */
export class Answers {
  readonly #options: AnswersOptions;
  readonly #inbox: string;
  /** By number, in the order of their deadlines. */
  readonly #waiting = new Map<string, Waiting>();
  #next = 0;
  #listens = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: AnswersOptions) {
    this.#options = options;
    this.#inbox = createInbox(options.inboxPrefix);
    void options.nc.closed().then(() => this.giveUp(new errors.ClosedConnectionError()));
  }

  /** Rejects with what the client's own request rejects with. */
  ask({ subject, bytes, headers }: Question): Promise<Msg> {
    return new Promise((resolve, reject) => {
      const number = String((this.#next += 1));
      this.#options.outbox.add(() => {
        this.#waiting.set(number, { subject, deadlineMs: performance.now() + CALL_TIMEOUT_MS, resolve, reject });
        try {
          this.#listen();
          this.#options.nc.publish(subject, bytes, { reply: `${this.#inbox}.${number}`, headers });
          this.#timer ??= setTimeout(() => this.#expire(), CALL_TIMEOUT_MS);
        } catch (error) {
          this.#take(number)?.reject(error as Error);
        }
      });
    });
  }

  /** Everything that waits fails with this: the connection is a new one, or none. */
  giveUp(error: Error): void {
    for (const number of this.#waiting.keys()) this.#take(number)?.reject(error);
  }

  /** The broker names the subject of a publish that it refuses, not the publish. */
  refused(subject: string, error: Error): void {
    for (const [number, waiting] of this.#waiting) if (waiting.subject === subject) this.#take(number)?.reject(error);
  }

  #listen(): void {
    if (this.#listens) return;
    this.#options.nc.subscribe(`${this.#inbox}.*`, { callback: (error, message) => this.#receive(error, message) });
    this.#listens = true;
  }

  #receive(error: Error | null, message: Msg): void {
    if (error !== null) {
      this.#listens = false;
      return this.giveUp(error);
    }
    const waiting = this.#take(message.subject.slice(this.#inbox.length + 1));
    if (waiting === undefined) return;
    if (message.data.length === 0 && message.headers?.code === NO_RESPONDERS) {
      waiting.reject(new errors.NoRespondersError(waiting.subject));
    } else {
      waiting.resolve(message);
    }
  }

  #take(number: string): Waiting | undefined {
    const waiting = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (this.#waiting.size === 0) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    return waiting;
  }

  #expire(): void {
    const nowMs = performance.now();
    this.#timer = undefined;
    for (const [number, { deadlineMs }] of this.#waiting) {
      if (deadlineMs > nowMs) {
        this.#timer = setTimeout(() => this.#expire(), deadlineMs - nowMs);
        return;
      }
      this.#take(number)?.reject(new errors.TimeoutError());
    }
  }
}
