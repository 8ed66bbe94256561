import type { Msg } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { orderedReader } from '../src/jetstream/orderedReader.js';
import { PullBroken, pull } from '../src/jetstream/pull.js';
import type { Session } from '../src/jetstream/session.js';

type Deliver = (error: Error | null, message: Msg) => void;

/** A server of a script: what it is asked is recorded, and what it sends is sent by the test. */
class FakeServer {
  readonly asked: { readonly batch: number }[] = [];
  readonly startsAt: (number | undefined)[] = [];
  onAsked: (deliver: Deliver, inbox: string) => void = () => undefined;
  readonly reconnects = new Set<() => void>();
  #deliver: Deliver = () => undefined;
  #inbox = '';

  readonly session = {
    apiPrefix: '$JS.API',
    inboxPrefix: '_INBOX',
    random: () => 0,
    onReconnect: (listener: () => void) => {
      this.reconnects.add(listener);
      return () => this.reconnects.delete(listener);
    },
    nc: {
      isClosed: () => false,
      subscribe: (inbox: string, options: { callback: Deliver }) => {
        this.#inbox = inbox;
        this.#deliver = options.callback;
        return { unsubscribe: () => undefined };
      },
      publish: (_subject: string, body: string) => {
        this.asked.push(JSON.parse(body) as { batch: number });
        this.onAsked(this.#deliver, this.#inbox);
      },
    },
    jsm: {
      streams: { info: async () => ({ state: { last_seq: 100 } }) },
      consumers: {
        add: async (stream: string, config: { name: string; opt_start_seq?: number }) => {
          this.startsAt.push(config.opt_start_seq);
          return { stream_name: stream, name: config.name, num_pending: 100 };
        },
        delete: async () => true,
      },
    },
    // The cast is the fake's licence: only what pull and reader use is here.
  } as unknown as Session;
}

const message = (streamSequence: number, consumerSequence: number, pending = 1): Msg =>
  ({ subject: 'a', data: new Uint8Array(), reply: `$JS.ACK.T.c.1.${streamSequence}.${consumerSequence}.0.${pending}` }) as unknown as Msg;
const status = (inbox: string, code: number, description: string): Msg =>
  ({ subject: inbox, data: new Uint8Array(), headers: { code, description, get: () => '' } }) as unknown as Msg;

const endless = new AbortController().signal;
const pullOne = (server: FakeServer, window = 1): ReturnType<typeof pull> =>
  pull(server.session, { stream: 'T', consumer: 'c', window, signal: endless });

describe('pull', () => {
  it('asks for the next message only when its reader comes back', async () => {
    const server = new FakeServer();
    server.onAsked = (deliver) => deliver(null, message(server.asked.length, server.asked.length));
    const pulled = pullOne(server);
    for (const askedSoFar of [1, 2, 3]) {
      await pulled.next();
      expect(server.asked).toHaveLength(askedSoFar);
    }
    await pulled.return(undefined);
  });

  it('fills a window once half of it is free', async () => {
    const server = new FakeServer();
    let sent = 0;
    server.onAsked = (deliver) => {
      for (let i = 0; i < 6; i++) deliver(null, message(++sent, sent));
    };
    const pulled = pullOne(server, 10);
    await pulled.next();
    await pulled.next();
    expect(server.asked.map((request) => request.batch)).toEqual([10, 6]);
    await pulled.return(undefined);
  });

  it('asks again when a request has run out', async () => {
    const server = new FakeServer();
    server.onAsked = (deliver, inbox) =>
      server.asked.length === 1 ? deliver(null, status(inbox, 408, 'Request Timeout')) : deliver(null, message(1, 1));
    const pulled = pullOne(server);
    expect((await pulled.next()).value).toHaveLength(1);
    expect(server.asked).toHaveLength(2);
    await pulled.return(undefined);
  });

  it.each([
    [503, 'No Responders', 'no_responders'],
    [409, 'Consumer Deleted', 'gone'],
    [409, 'Server Shutdown', 'refused'],
    [400, 'Bad Request', 'refused'],
  ])('breaks at %s %s', async (code, description, reason) => {
    const server = new FakeServer();
    server.onAsked = (deliver, inbox) => deliver(null, status(inbox, code, description));
    await expect(pullOne(server).next()).rejects.toEqual(new PullBroken(reason as PullBroken['reason']));
  });

  it('breaks at a reconnect, for the server has forgotten what it was asked', async () => {
    const server = new FakeServer();
    const waiting = pullOne(server).next();
    for (const listener of server.reconnects) listener();
    await expect(waiting).rejects.toBeInstanceOf(PullBroken);
    expect(server.reconnects.size).toBe(0);
  });
});

describe('orderedReader', () => {
  it('starts again behind the last message it saw when one is missing', async () => {
    const server = new FakeServer();
    server.onAsked = (deliver) => {
      const isFirst = server.startsAt.length === 1;
      // The consumer's count jumps from 2 to 4: one message was lost on the way.
      const script = isFirst ? [message(1, 1), message(2, 2), message(5, 4)] : [message(4, 1), message(5, 2)];
      for (const sent of script) deliver(null, sent);
    };
    const stop = new AbortController();
    const seen: number[] = [];
    const reader = orderedReader(server.session, { stream: 'T', start: 1, window: 10, signal: stop.signal });
    for await (const batch of reader) {
      seen.push(...batch.messages.map(({ position }) => position.streamSequence));
      if (seen.at(-1) === 5) stop.abort();
    }
    expect(seen).toEqual([1, 2, 4, 5]);
    expect(server.startsAt).toEqual([1, 3]);
  });
});
