import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setImmediate as turn } from 'node:timers/promises';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectNats } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Appended, type Broker, bootstrap, connect } from '../src/index.js';
import { startTestServer, type TestServer } from '../src/server/index.js';
import { all, bytes, codeOf, testDefinitions, text } from './testDefinitions.js';

/** Resolves when every thread of the process stands still: until then it may still answer. */
async function freeze(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  const isRunning = (thread: string): boolean => !readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8').includes(') T ');
  while (readdirSync(`/proc/${pid}/task`).some(isRunning)) await turn();
}

describe('when the server goes away', () => {
  let server: TestServer;
  let broker: Broker;

  beforeEach(async () => {
    server = await startTestServer();
    await bootstrap({ servers: server.url, definitions: testDefinitions });
    broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
  });
  afterEach(async () => {
    await broker.close();
    await server.remove();
  });

  const append = (stem: string, i: number): Promise<Appended> =>
    broker.log.append({ subject: `stream.thought.${stem}.p${i}`, bytes: bytes(`${i}`) });
  const appendMany = (stem: string, from: number, count: number): Promise<Appended[]> =>
    Promise.all(Array.from({ length: count }, (_, i) => append(stem, from + i)));
  const bounce = async (): Promise<void> => {
    await server.kill9();
    await server.restart();
  };

  it('a reader sees every event once and in order', async () => {
    const [before, after] = [2_500, 500];
    await appendMany('read', 0, before);
    const seen: number[] = [];
    for await (const event of broker.log.read({ from: 1 })) {
      seen.push(event.sequence);
      if (seen.length === 700) await bounce();
      if (seen.length === before) void bounce().then(() => appendMany('read', before, after));
      if (seen.length === before + after) break;
    }
    expect(seen).toEqual(Array.from({ length: before + after }, (_, i) => i + 1));
  });

  it('a bounded read ends where it should', async () => {
    const count = 2_500;
    await appendMany('bounded', 0, count);
    let seen = 0;
    for await (const event of broker.log.read({ from: 1, to: count, subject: 'stream.thought.bounded.>' })) {
      expect(event.sequence).toBe(++seen);
      if (seen === 10) await bounce();
    }
    expect(seen).toBe(count);
  });

  it('a consumer goes on until everything is acknowledged', async () => {
    const count = 20;
    await appendMany('restarted', 0, count);
    const done = new Set<string>();
    let bounced = false;
    for await (const delivery of broker.log.consume({ durable: 'restarted' })) {
      if (done.size === 5 && !bounced) await bounce();
      bounced = done.size >= 5;
      // An unconfirmed acknowledgement is no harm: the event comes again.
      if ((await codeOf(delivery.ack())) === 'no error') done.add(text(delivery.event.bytes));
      if (done.size === count) break;
    }
    expect(done.size).toBe(count);
  });

  it('appends in flight end as stored, each exactly once', async () => {
    const count = 400;
    const appends = Array.from({ length: count }, (_, i) => append('flight', i));
    await Promise.race(appends);
    await bounce();
    const kinds = new Set((await Promise.all(appends)).map((outcome) => outcome.kind));
    expect([...kinds].every((kind) => kind === 'appended' || kind === 'already')).toBe(true);
    const stored = (await all(broker.log.read({ from: 1, to: count + 1 }))).map((event) => event.subject);
    expect(stored).toHaveLength(count);
    expect(new Set(stored).size).toBe(count);
  });

  it('a watcher sees what changes afterwards', async () => {
    const view = await broker.view('effective-output');
    await view.put('before', bytes('1'), 0);
    const seen: string[] = [];
    for await (const change of view.watch({})) {
      if (change === 'current') {
        await bounce();
        const again = await connect({ servers: server.url, name: 'other', stream: 'THOUGHT' });
        await (await again.view('effective-output')).put('after', bytes('2'), 0);
        await again.close();
      } else {
        seen.push(change.key);
        if (change.key === 'after') break;
      }
    }
    expect(seen).toEqual(['before', 'after']);
  });

  it('an append to a frozen server resolves to one event', async () => {
    let thawed = false;
    const random = (): number => {
      // Asked for at the first backoff, which is after the first publish went without an answer.
      if (!thawed) process.kill(server.pid, 'SIGCONT');
      thawed = true;
      return 0;
    };
    const frozen = await connect({ servers: server.url, name: 'frozen', stream: 'THOUGHT', random });
    await freeze(server.pid);
    const outcome = await frozen.log.append({ subject: 'stream.thought.frozen.p1', bytes: bytes('a') });
    expect(thawed).toBe(true);
    expect(['appended', 'already']).toContain(outcome.kind);
    expect(await frozen.log.lastSequence()).toBe(1);
    await frozen.close();
  });

  it('an append past its bound is unknown, and loses nothing', async () => {
    const hasty = await connect({ servers: server.url, name: 'hasty', stream: 'THOUGHT', appendBoundMs: 1 });
    await freeze(server.pid);
    const event = { subject: 'stream.thought.hasty.p1', bytes: bytes('a') };
    expect(await hasty.log.append(event)).toEqual({ kind: 'unknown', cause: 'timeout' });
    process.kill(server.pid, 'SIGCONT');
    expect((await broker.log.append(event)).kind).toMatch(/appended|already/);
    expect(await broker.log.lastSequence()).toBe(1);
    await hasty.close();
  });

  it('a log that lost its tail stops its reader', async () => {
    await appendMany('lost', 0, 5);
    let seen = 0;
    const reading = (async () => {
      for await (const _event of broker.log.read({ from: 1 })) if (++seen === 5) await forgetEverything();
    })();
    expect(await codeOf(reading)).toBe('log_went_back');
  });

  const forgetEverything = async (): Promise<void> => {
    await server.kill9();
    await rm(join(server.storeDir, 'jetstream'), { recursive: true });
    await server.restart();
    await bootstrap({ servers: server.url, definitions: testDefinitions });
  };

  it('a durable that is deleted ends its consumer', async () => {
    const consuming = all(broker.log.consume({ durable: 'ended' }));
    const nc = await connectNats({ servers: server.url });
    const jsm = await jetstreamManager(nc);
    await jsm.consumers.delete('THOUGHT', 'ended');
    await nc.close();
    expect(await codeOf(consuming)).toBe('consumer_missing');
  });

  it('a first connection waits for it, or says that it gave up', async () => {
    await server.stop();
    const bounded = connect({ servers: server.url, name: 'bounded', stream: 'THOUGHT', connectBoundMs: 1 });
    expect(await codeOf(bounded)).toBe('not_connected');
    const patient = connect({ servers: server.url, name: 'patient', stream: 'THOUGHT' });
    await server.restart();
    await (await patient).close();
  });
});
