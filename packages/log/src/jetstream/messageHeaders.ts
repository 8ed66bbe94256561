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

export function toHeaders(...sources: readonly (Readonly<Record<string, string>> | undefined)[]): MsgHdrs {
  const result = headers();
  for (const source of sources) {
    for (const [name, value] of Object.entries(source ?? {})) result.set(name, value);
  }
  return result;
}
