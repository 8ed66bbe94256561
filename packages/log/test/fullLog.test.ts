import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Broker, bootstrap, connect } from '../src/index.js';
import { memoryBroker } from '../src/memory/index.js';
import { startTestServer, type TestServer } from '../src/server/index.js';
import { oldServerBinary } from './oldServer.js';
import { bytes, codeOf, withLog } from './testDefinitions.js';

const LIMIT_MESSAGES = 3;
const old = oldServerBinary();

const servers = [
  { title: 'the newest server', binary: undefined },
  ...(old === null ? [] : [{ title: 'nats-server 2.9.10', binary: old }]),
];

const fullness = async (broker: Broker): Promise<void> => {
  const event = (i: number): { subject: string; bytes: Uint8Array } => ({ subject: `stream.thought.full.p${i}`, bytes: bytes(`${i}`) });
  expect(await broker.log.append(event(LIMIT_MESSAGES + 1))).toEqual({ kind: 'full' });
  // What stands there is still told apart from what has no room.
  expect((await broker.log.append(event(1))).kind).toBe('already');
  expect((await broker.log.append({ ...event(1), bytes: bytes('other') })).kind).toBe('conflict');
};

describe('a full log', () => {
  it.each(servers)('says so, by messages and by bytes ($title)', async ({ binary }) => {
    for (const limit of [{ maxMessages: LIMIT_MESSAGES }, { maxBytes: 400 }]) {
      const server = await startTestServer(binary === undefined ? {} : { binary });
      await bootstrap({ servers: server.url, definitions: withLog(limit) });
      const broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
      for (let i = 1; i <= LIMIT_MESSAGES; i++) {
        const body = 'maxBytes' in limit && i > 1 ? bytes('x'.repeat(400)) : bytes(`${i}`);
        await broker.log.append({ subject: `stream.thought.full.p${i}`, bytes: body });
      }
      if ('maxMessages' in limit) await fullness(broker);
      else expect(await broker.log.append({ subject: 'stream.thought.full.big', bytes: bytes('x'.repeat(400)) })).toEqual({ kind: 'full' });
      await broker.close();
      await server.remove();
    }
  });

  it('says so in memory too', async () => {
    const broker = memoryBroker();
    for (let i = 1; i <= LIMIT_MESSAGES; i++) await broker.log.append({ subject: `stream.thought.full.p${i}`, bytes: bytes(`${i}`) });
    broker.fill();
    await fullness(broker);
  });
});

describe('a missing log', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(async () => server?.remove());

  it('is a permanent fault of an append, a read and a consumer', async () => {
    const { log, close } = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT', random: () => 0 });
    const outcomes = [
      log.append({ subject: 'stream.thought.a', bytes: bytes('a') }),
      log.lastSequence(),
      log.read({ from: 1 })[Symbol.asyncIterator]().next(),
      log.consume({ durable: 'coordinator' })[Symbol.asyncIterator]().next(),
    ];
    expect(await Promise.all(outcomes.map(codeOf))).toEqual(Array(outcomes.length).fill('stream_missing'));
    await close();
  });
});
