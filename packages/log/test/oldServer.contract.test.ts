import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrap, connect } from '../src/index.js';
import { startTestServer, type TestServer } from '../src/server/index.js';
import { describeBroker } from './contractSuite.js';
import { oldServerBinary } from './oldServer.js';
import { bytes, testDefinitions, withLog } from './testDefinitions.js';

const binary = oldServerBinary();

// skipped: where Debian's 2.9.10 cannot be had; `oldServerBinary` prints why.
describe.skipIf(binary === null)('nats-server 2.9.10', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ binary: binary ?? '' });
    await bootstrap({ servers: server.url, definitions: testDefinitions });
  });
  afterAll(async () => server?.remove());

  describeBroker('the broker over JetStream', () => ({
    connect: () => connect({ servers: server.url, name: 'test', stream: 'THOUGHT' }),
    redeliver: () => undefined,
  }));

  it('keeps to what bootstrap asked, and refuses replicas it cannot keep apart', async () => {
    const again = await bootstrap({ servers: server.url, definitions: testDefinitions });
    expect(again.created).toEqual([]);
    const replicated = bootstrap({ servers: server.url, definitions: withLog({ replicas: 3 }) });
    await expect(replicated).rejects.toMatchObject({ code: 'server_unsupported' });
  });

  it('refuses a second event on a place after a kill and a restart', async () => {
    const broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
    const subject = 'stream.thought.killed.p1';
    await broker.log.append({ subject, bytes: bytes('a') });
    await server.kill9();
    await server.restart();
    expect((await broker.log.append({ subject, bytes: bytes('b') })).kind).toBe('conflict');
    await broker.close();
  });
});
