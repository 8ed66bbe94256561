import { setMaxListeners } from 'node:events';
import type { Broker, Message } from '../broker.js';
import type { Definitions } from '../definitions/definitions.js';
import { LogError } from '../errors.js';
import { memoryLog } from './memoryLog.js';
import { follow, request, serve } from './memoryMessaging.js';
import { MemoryState } from './memoryState.js';
import { memoryObjects } from './memoryObjects.js';
import { memoryView } from './memoryView.js';

export interface MemoryOptions {
  /** The name of the log's stream; `THOUGHT` when absent. */
  readonly stream?: string;
  /**
   * What exists. Without it the log takes every subject, `stream.…` is republished as `fact.…`, and buckets and durables
   * (of all events) come into being when first asked for.
   */
  readonly definitions?: Definitions;
}

/** The same rules without a server. Handles made by `connect` share one memory. */
export interface MemoryBroker extends Broker {
  /** Another connection to the same memory, closed on its own. */
  connect(): MemoryBroker;
  /** What the ack wait does on a server: every delivery without an ack comes again. Returns how many. */
  redeliver(durable?: string): number;
  /** From now on the log takes nothing more, as at its limit. */
  fill(): void;
  /** What `store` has put into the other streams, in order. */
  readonly stored: readonly Message[];
}

const STREAM_DEFAULT = 'THOUGHT';

export function memoryBroker(options: MemoryOptions = {}): MemoryBroker {
  return handleOn(new MemoryState(options.stream ?? STREAM_DEFAULT, options.definitions));
}

function handleOn(state: MemoryState): MemoryBroker {
  const end = new AbortController();
  // One listener per append that waits and per open iterator: many are no leak here.
  setMaxListeners(0, end.signal);
  const until = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? end.signal : AbortSignal.any([end.signal, signal]);
  const ifOpen = (): void => {
    if (end.signal.aborted) throw new LogError('closed', 'the connection has ended');
  };
  return {
    log: memoryLog(state, end.signal),
    serverVersion: 'memory',
    view: async (bucket) => {
      ifOpen();
      return memoryView(state, bucket, end.signal);
    },
    objects: async (bucket) => {
      ifOpen();
      return memoryObjects(state, bucket);
    },
    store: async (subject, bytes) => {
      ifOpen();
      if (state.streamOf(subject) === null) throw new LogError('no_responders', 'no stream takes this subject', [subject]);
      const message = { subject, bytes: bytes.slice() };
      state.stored.push(message);
      state.deliver(message);
    },
    follow: (subject, signal) => follow(state, subject, until(signal)),
    serve: async (subject, serveOptions) => {
      ifOpen();
      serve(state, subject, serveOptions, until(serveOptions.signal));
    },
    request: async (subject, bytes, timeoutMs) => {
      ifOpen();
      return request(state, { subject, bytes }, timeoutMs);
    },
    proveWrite: async (subjects) => {
      ifOpen();
      const unproven = subjects.filter((subject) => state.streamOf(subject) === null);
      if (unproven.length > 0) throw new LogError('write_unproven', `no stream answered for: ${unproven.join(', ')}`, unproven);
    },
    closed: new Promise((resolve) => end.signal.addEventListener('abort', () => resolve(), { once: true })),
    close: async () => end.abort(),
    connect: () => handleOn(state),
    redeliver: (durable) => redeliver(state, durable),
    fill: () => {
      state.isFull = true;
    },
    stored: state.stored,
  };
}

function redeliver(state: MemoryState, name: string | undefined): number {
  let count = 0;
  for (const [durableName, durable] of state.durables) {
    if (name !== undefined && name !== durableName) continue;
    const back = [...durable.unacknowledged].sort((a, b) => a - b);
    durable.unacknowledged.clear();
    durable.again.push(...back);
    count += back.length;
  }
  state.changes.announce();
  return count;
}
