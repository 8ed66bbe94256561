import { headers, type MsgHdrs } from '@nats-io/transport-node';

const RESERVED = /^nats-/i;
const NONE: Readonly<Record<string, string>> = Object.freeze({});

/** The headers an event was appended with. The broker's own are left out, so that every way of reading gives the same. */
export function ownHeaders(received: MsgHdrs | undefined): Readonly<Record<string, string>> {
  if (received === undefined) return NONE;
  let own: Record<string, string> | undefined;
  for (const [name, values] of received) {
    if (!RESERVED.test(name)) (own ??= {})[name] = values.join(',');
  }
  return own ?? NONE;
}

/**
 * Puts a caller's headers and those that all messages of one kind carry into one. Done once for each object that cannot
 * change, as the headers of our own events are.
 */
export function headersBeside(always: Readonly<Record<string, string>>): (given?: Readonly<Record<string, string>>) => MsgHdrs {
  const made = new WeakMap<Readonly<Record<string, string>>, MsgHdrs>();
  return (given) => {
    if (given === undefined || !Object.isFrozen(given)) return toHeaders(given, always);
    let headersOfGiven = made.get(given);
    if (headersOfGiven === undefined) made.set(given, (headersOfGiven = toHeaders(given, always)));
    return headersOfGiven;
  };
}

export function toHeaders(...sources: readonly (Readonly<Record<string, string>> | undefined)[]): MsgHdrs {
  const result = headers();
  for (const source of sources) {
    for (const [name, value] of Object.entries(source ?? {})) result.set(name, value);
  }
  return result;
}
