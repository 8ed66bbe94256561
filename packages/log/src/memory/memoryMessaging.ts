import type { Message, Reply, ServeOptions } from '../broker.js';
import { LogError } from '../errors.js';
import { matchesSubject } from '../subject.js';
import type { MemoryState } from './memoryState.js';

export function follow(state: MemoryState, pattern: string, signal: AbortSignal): AsyncIterable<Message> {
  const waiting: Message[] = [];
  const subscription = { pattern, deliver: (message: Message) => waiting.push(message) && state.changes.announce() };
  // From the call on, as on a server, not from the first `next`.
  if (!signal.aborted) state.subscriptions.add(subscription);
  return (async function* () {
    try {
      while (!signal.aborted) {
        const message = waiting.shift();
        if (message === undefined) await state.changes.next(signal);
        else yield message;
      }
    } finally {
      state.subscriptions.delete(subscription);
    }
  })();
}

export function serve(state: MemoryState, pattern: string, options: ServeOptions, signal: AbortSignal): void {
  if (signal.aborted) return;
  const service = { pattern, handle: options.handle };
  state.services.push(service);
  signal.addEventListener('abort', () => state.services.splice(state.services.indexOf(service), 1), { once: true });
}

/** One of those who serve the subject, each in turn, as a queue group does. */
export async function request(state: MemoryState, message: Message, timeoutMs: number): Promise<Reply> {
  const service = state.services.find((s) => matchesSubject(s.pattern, message.subject));
  if (service === undefined) throw new LogError('no_responders', 'nobody serves this subject', [message.subject]);
  state.services.push(...state.services.splice(state.services.indexOf(service), 1));
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new LogError('timeout', 'no answer: timeout', [message.subject])), timeoutMs);
  });
  try {
    return await Promise.race([answer(service.handle, message), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function answer(handle: ServeOptions['handle'], message: Message): Promise<Reply> {
  try {
    return { bytes: await handle({ subject: message.subject, bytes: message.bytes.slice() }), headers: {} };
  } catch {
    return { bytes: new Uint8Array(), headers: { 'Nats-Service-Error-Code': '500', 'Nats-Service-Error': 'handler_failed' } };
  }
}
