import { checkEvent } from '../append/checkEvent.js';
import { requirePattern, requirePlace } from '../checkSubject.js';
import { LogError } from '../errors.js';
import type { Appended, ConsumeOptions, Delivery, EventLog, EventToAppend, ReadOptions, StoredEvent } from '../eventLog.js';
import { matchesSubject } from '../subject.js';
import type { MemoryDurable, MemoryState } from './memoryState.js';

/** The log's rules over an array. `closing` belongs to one handle; the state is shared. */
export function memoryLog(state: MemoryState, closing: AbortSignal): EventLog {
  return {
    append: async (event) => {
      checkEvent(event);
      return closing.aborted ? { kind: 'unknown', cause: 'closed' } : append(state, event);
    },
    get: async (subject) => {
      requirePlace(subject);
      return open(closing, state.places.get(subject) ?? null);
    },
    at: async (sequence) => open(closing, state.events[sequence - 1] ?? null),
    lastSequence: async () => open(closing, state.events.length),
    read: (options) => read(state, options, either(closing, options.signal)),
    consume: (options) => consume(state, options, either(closing, options.signal), closing),
  };
}

function append(state: MemoryState, event: EventToAppend): Appended {
  const taker = state.streamOf(event.subject);
  if (taker === null) return { kind: 'unknown', cause: 'no_responders' };
  if (taker !== state.stream) throw new LogError('stream_unfit', 'another stream takes this subject', [event.subject]);
  // A plain subscription on the subject itself sees what the log refuses, as on a server.
  state.deliver({ subject: event.subject, bytes: event.bytes });
  const existing = state.places.get(event.subject);
  if (existing !== undefined) {
    const same = Buffer.compare(existing.bytes, event.bytes) === 0;
    return same ? { kind: 'already', sequence: existing.sequence } : { kind: 'conflict', existing };
  }
  if (state.isFull) return { kind: 'full' };
  return { kind: 'appended', sequence: keep(state, event) };
}

function keep(state: MemoryState, event: EventToAppend): number {
  const sequence = state.events.length + 1;
  const stored: StoredEvent = { subject: event.subject, sequence, bytes: event.bytes.slice(), headers: { ...event.headers } };
  state.events.push(stored);
  state.places.set(stored.subject, stored);
  const republished = state.republishedAs(stored.subject);
  if (republished !== null) state.deliver({ subject: republished, bytes: stored.bytes });
  state.changes.announce();
  return sequence;
}

async function* read(state: MemoryState, options: ReadOptions, signal: AbortSignal): AsyncGenerator<StoredEvent> {
  if (options.subject !== undefined) requirePattern(options.subject);
  const from = Math.max(1, options.from);
  const newest = state.events.length;
  if (from - 1 > newest) {
    throw new LogError('log_went_back', `${state.stream} ends at ${newest}, before ${from - 1}`, [
      state.stream,
      String(newest),
      String(from - 1),
    ]);
  }
  const last = options.to === undefined ? Number.POSITIVE_INFINITY : Math.min(options.to, newest);
  for (let sequence = from; sequence <= last && !signal.aborted; ) {
    const event = state.events[sequence - 1];
    if (event === undefined) {
      await state.changes.next(signal);
      continue;
    }
    sequence++;
    if (options.subject === undefined || matchesSubject(options.subject, event.subject)) yield event;
  }
}

async function* consume(state: MemoryState, options: ConsumeOptions, signal: AbortSignal, closing: AbortSignal): AsyncGenerator<Delivery> {
  const durable = state.durable(options.durable);
  if (durable === null) throw new LogError('consumer_missing', `the durable does not exist: ${options.durable}`, [options.durable]);
  while (!signal.aborted) {
    const sequence = take(state, durable);
    if (sequence === null) await state.changes.next(signal);
    else yield delivery(state, durable, sequence, closing);
  }
}

/** What comes back goes first, as on a server. */
function take(state: MemoryState, durable: MemoryDurable): number | null {
  const again = durable.again.shift();
  if (again !== undefined) return deliver(durable, again);
  if (durable.unacknowledged.size >= durable.maxAckPending) return null;
  for (; durable.next <= state.events.length; durable.next++) {
    const event = state.events[durable.next - 1];
    if (event !== undefined && matchesSubject(durable.filter, event.subject)) return deliver(durable, durable.next++);
  }
  return null;
}

function deliver(durable: MemoryDurable, sequence: number): number {
  durable.unacknowledged.add(sequence);
  durable.deliveries.set(sequence, (durable.deliveries.get(sequence) ?? 0) + 1);
  return sequence;
}

function delivery(state: MemoryState, durable: MemoryDurable, sequence: number, closing: AbortSignal): Delivery {
  const event = state.events[sequence - 1];
  if (event === undefined) throw new LogError('log_went_back', 'a delivery of an event that is not there', [String(sequence)]);
  return {
    event,
    deliveries: durable.deliveries.get(sequence) ?? 1,
    ack: async () => {
      open(closing, null);
      durable.unacknowledged.delete(sequence);
      durable.again.splice(0, durable.again.length, ...durable.again.filter((waiting) => waiting !== sequence));
      state.changes.announce();
    },
    nak: (delayMs) => {
      // There is no clock here: with a delay it comes back at `redeliver`, like one whose ack wait has run out.
      if (delayMs > 0 || !durable.unacknowledged.delete(sequence)) return;
      durable.again.push(sequence);
      state.changes.announce();
    },
    working: () => undefined,
  };
}

function open<T>(closing: AbortSignal, value: T): T {
  if (closing.aborted) throw new LogError('closed', 'the connection has ended');
  return value;
}

function either(closing: AbortSignal, signal: AbortSignal | undefined): AbortSignal {
  return signal === undefined ? closing : AbortSignal.any([closing, signal]);
}
