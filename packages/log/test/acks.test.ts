import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectNats } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootstrap, connect } from '../src/index.js';
import { startTestServer, type TestServer } from '../src/server/index.js';
import { all, bytes, codeOf, testDefinitions } from './testDefinitions.js';

/** The second user may do all but acknowledge. */
const CONFIG = `
accounts { A { jetstream: enabled, users: [
  { user: admin, password: x }
  { user: mute, password: x, permissions: { publish: { deny: [ "$JS.ACK.>" ] } } }
] } }
`;

describe('acknowledgements, which nobody waits for', () => {
  let server: TestServer;
  const as = (user: string) =>
    connect({ servers: server.url, name: user, stream: 'THOUGHT', credentials: { kind: 'password', user, password: 'x' } });

  beforeAll(async () => {
    server = await startTestServer({ config: CONFIG });
    await bootstrap({
      servers: server.url,
      credentials: { kind: 'password', user: 'admin', password: 'x' },
      definitions: testDefinitions,
    });
  });
  afterAll(() => server?.remove());

  it('are all with the broker when the connection has closed', async () => {
    const broker = await as('admin');
    const count = 300;
    for (let i = 0; i < count; i++) await broker.log.append({ subject: `stream.thought.acked.${i}`, bytes: bytes('a') });
    const acks: Promise<void>[] = [];
    for await (const delivery of broker.log.consume({ durable: 'acked', prefetch: count })) {
      acks.push(delivery.ack());
      if (acks.length === count) break;
    }
    await broker.close();
    await Promise.all(acks);
    const nc = await connectNats({ servers: server.url, user: 'admin', pass: 'x' });
    const info = await (await jetstreamManager(nc)).consumers.info('THOUGHT', 'acked');
    await nc.close();
    expect([info.num_ack_pending, info.num_pending]).toEqual([0, 0]);
  });

  it('throw `closed` once the connection has ended', async () => {
    const broker = await as('admin');
    await broker.log.append({ subject: 'stream.thought.ended.late', bytes: bytes('a') });
    for await (const delivery of broker.log.consume({ durable: 'ended' })) {
      await broker.close();
      expect(await codeOf(delivery.ack())).toBe('closed');
    }
  });

  it('end the consumer with `permission_denied` where the broker refuses them', async () => {
    const broker = await as('mute');
    await broker.log.append({ subject: 'stream.thought.patient.refused', bytes: bytes('a') });
    const consuming = (async () => {
      for await (const delivery of broker.log.consume({ durable: 'patient' })) await delivery.ack();
    })();
    expect(await codeOf(consuming)).toBe('permission_denied');
    expect(await codeOf(all(broker.log.read({ from: 1, to: 1 })))).toBe('no error');
    await broker.close();
  });
});
