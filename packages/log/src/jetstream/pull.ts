import { createInbox, type Msg, nanos } from '@nats-io/transport-node';
import { LogError } from '../errors.js';
import { PULL_EXPIRES_MS, PULL_HEARTBEAT_MS, PULL_SILENCE_MAX_MS } from '../limits.js';
import type { Session } from './session.js';

/** Why a pull ended that was not asked to. The consumer may still be there; the caller looks and starts again. */
export class PullBroken extends Error {
  override readonly name = 'PullBroken';
  constructor(readonly reason: 'silent' | 'gone' | 'no_responders' | 'refused') {
    super(`pull broken: ${reason}`);
  }
}

export interface PullOptions {
  readonly stream: string;
  readonly consumer: string;
  /** How many messages may be in this process or on their way to it, the ones already handed out not counted. */
  readonly window: number;
  readonly signal: AbortSignal;
}

const STATUS_HEARTBEAT = 100;
const STATUS_BAD_REQUEST = 400;
const STATUS_CONFLICT = 409;
const STATUS_NO_RESPONDERS = 503;

/**
 * The messages of one pull consumer, in arrays of what has arrived. Asks for more only when its reader comes back for
 * more: a slow handler never has messages waiting behind it, whose ack wait would run out unseen. (The client's own
 * `consume` asks again at each missed heartbeat while the handler works, and gets all of it at once afterwards.)
 * Ends at the signal; throws `PullBroken`, or `LogError` where permission is missing.
 */
export async function* pull(session: Session, options: PullOptions): AsyncGenerator<readonly Msg[]> {
  // A connection that drains takes no subscription.
  if (options.signal.aborted) return;
  const state = new PullState(session, options);
  try {
    while (!options.signal.aborted) {
      state.refill();
      await state.arrival();
      const batch = state.take();
      if (batch.length > 0) yield batch;
      else state.throwIfBroken();
    }
  } finally {
    state.end();
  }
}

class PullState {
  readonly #session: Session;
  readonly #options: PullOptions;
  readonly #inbox: string;
  readonly #nextSubject: string;
  readonly #release: () => void;
  #buffered: Msg[] = [];
  #requested = 0;
  #broken: Error | null = null;
  #wake: (() => void) | null = null;
  #silence: NodeJS.Timeout | undefined;
  /** How many messages of any kind have come. */
  #heard = 0;

  constructor(session: Session, options: PullOptions) {
    this.#session = session;
    this.#options = options;
    this.#inbox = createInbox(session.inboxPrefix);
    this.#nextSubject = `${session.apiPrefix}.CONSUMER.MSG.NEXT.${options.stream}.${options.consumer}`;
    const subscription = session.nc.subscribe(this.#inbox, { callback: (error, message) => this.#receive(error, message) });
    // The server forgets its open requests when a connection ends.
    const unlisten = session.onReconnect(() => this.#break(new PullBroken('silent')));
    this.#release = () => {
      unlisten();
      subscription.unsubscribe();
      options.signal.removeEventListener('abort', this.#signalled);
    };
    options.signal.addEventListener('abort', this.#signalled, { once: true });
  }

  /** Asks for what is missing once half of the window is free: asking one by one costs a third of the speed. */
  refill(): void {
    const missing = this.#options.window - this.#buffered.length - this.#requested;
    if (missing * 2 < this.#options.window || this.#broken !== null) return;
    const request = { batch: missing, expires: nanos(PULL_EXPIRES_MS), idle_heartbeat: nanos(PULL_HEARTBEAT_MS) };
    this.#requested += missing;
    this.#listenForSilence();
    try {
      this.#session.nc.publish(this.#nextSubject, JSON.stringify(request), { reply: this.#inbox });
    } catch {
      this.#break(new PullBroken('no_responders'));
    }
  }

  /** Resolves when there is something to take, or the pull is over. */
  arrival(): Promise<void> {
    if (this.#buffered.length > 0 || this.#requested <= 0 || this.#broken !== null || this.#options.signal.aborted)
      return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  take(): readonly Msg[] {
    const batch = this.#buffered;
    this.#buffered = [];
    return batch;
  }

  throwIfBroken(): void {
    if (this.#broken !== null) throw this.#broken;
  }

  end(): void {
    clearTimeout(this.#silence);
    this.#release();
  }

  readonly #signalled = (): void => this.#awake();

  #receive(error: Error | null, message: Msg): void {
    this.#heard++;
    if (error !== null) return this.#break(new LogError('permission_denied', `not permitted: ${this.#inbox}`, [this.#inbox]));
    // The subject first: reading the headers of every event would cost more than all the rest here.
    if (message.subject === this.#inbox) {
      const status = message.headers?.code ?? 0;
      if (status !== 0) return this.#status(status, message);
    }
    this.#requested--;
    this.#buffered.push(message);
    this.#listenForSilence();
    this.#awake();
  }

  #status(status: number, message: Msg): void {
    const text = message.headers?.description.toLowerCase() ?? '';
    if (status === STATUS_HEARTBEAT) return this.#listenForSilence();
    if (status === STATUS_NO_RESPONDERS) return this.#break(new PullBroken('no_responders'));
    if (status === STATUS_BAD_REQUEST) return this.#break(new PullBroken('refused'));
    if (status === STATUS_CONFLICT) return this.#break(new PullBroken(text.includes('deleted') ? 'gone' : 'refused'));
    // The request has run out: what it did not deliver is asked for again.
    const undelivered = Number(message.headers?.get('Nats-Pending-Messages') || Number.NaN);
    this.#requested = Number.isNaN(undelivered) ? 0 : Math.max(0, this.#requested - undelivered);
    this.#listenForSilence();
    this.#awake();
  }

  /** A server that still knows the request speaks once a second. Without an open request nothing is expected of it. */
  #listenForSilence(): void {
    if (this.#requested <= 0) {
      clearTimeout(this.#silence);
      this.#silence = undefined;
    } else if (this.#silence === undefined) {
      this.#silence = setTimeout(() => this.#suspectSilence(), PULL_SILENCE_MAX_MS);
    } else {
      this.#silence.refresh();
    }
  }

  /** After a long computation of our own the timer is up before the socket was read: look there first. */
  #suspectSilence(): void {
    const heard = this.#heard;
    setImmediate(() => {
      if (this.#heard === heard) this.#break(new PullBroken('silent'));
    });
  }

  #break(error: Error): void {
    this.#broken ??= error;
    this.#awake();
  }

  #awake(): void {
    this.#wake?.();
    this.#wake = null;
  }
}
