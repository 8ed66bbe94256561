import { jetstreamManager } from '@nats-io/jetstream';
import { connect as connectNats } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bootstrap, type LogError } from '../src/index.js';
import { startTestServer, type TestServer } from '../src/server/index.js';
import { shippedDefinitions, testDefinitions, withLog } from './testDefinitions.js';

const MIB = 1024 * 1024;

describe('bootstrap', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer();
  });
  afterEach(async () => server.remove());

  const run = (definitions = testDefinitions): ReturnType<typeof bootstrap> => bootstrap({ servers: server.url, definitions });
  const differencesOf = async (definitions = testDefinitions): Promise<readonly string[]> =>
    run(definitions).then(
      () => [],
      (error: LogError) => (error.code === 'definition_differs' ? error.details : [error.code]),
    );
  const asOperator = async (act: (jsm: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<unknown>): Promise<void> => {
    const nc = await connectNats({ servers: server.url });
    await act(await jetstreamManager(nc));
    await nc.close();
  };

  it('makes the shipped definitions, and nothing the second time', async () => {
    const first = await run(shippedDefinitions);
    expect(first.created).toEqual([
      'stream THOUGHT',
      'stream TRACE',
      'stream INCIDENTS',
      'stream KV_effective-output',
      'stream KV_review-queue',
      'stream KV_quarantine',
      'stream OBJ_transcripts',
      'durable coordinator',
      'durable repair-agent',
      'durable runner',
      'durable transcripts',
    ]);
    const second = await run(shippedDefinitions);
    expect(second.created).toEqual([]);
    expect(second.present).toEqual(first.created);
    expect(second.serverVersion).toBe(server.version);
  });

  it('refuses a log that an operator has opened, and leaves it as it is', async () => {
    await run();
    await asOperator((jsm) =>
      jsm.streams.update('THOUGHT', { max_msgs_per_subject: 5, allow_rollup_hdrs: false, max_age: 3_600_000_000_000 }),
    );
    for (const _try of [1, 2]) {
      expect(await differencesOf()).toEqual([
        'stream THOUGHT.max_msgs_per_subject: asked 1, stands 5',
        'stream THOUGHT.max_age: asked 0, stands 3600000000000',
      ]);
    }
  });

  it('refuses what was made with an option that must be off', async () => {
    await asOperator((jsm) => jsm.streams.add({ name: 'TRACE', subjects: ['trace.thought.>'], allow_msg_ttl: true, allow_atomic: true }));
    const differences = await differencesOf();
    expect(differences).toContain('stream TRACE.allow_msg_ttl: must be off, stands true');
    expect(differences).toContain('stream TRACE.allow_atomic: must be off, stands true');
  });

  it('never changes a durable that stands', async () => {
    await run();
    const narrowed = testDefinitions.durables.map((d) => ({ ...d, filter: 'stream.thought.else.>' }));
    expect(await differencesOf({ ...testDefinitions, durables: narrowed })).toHaveLength(narrowed.length);
    await asOperator(async (jsm) => {
      expect((await jsm.consumers.info('THOUGHT', 'acked')).config.filter_subject).toBe('stream.thought.acked.>');
    });
  });

  it('says so when the server has less room than is reserved', async () => {
    const huge = run(withLog({ maxBytes: Number.MAX_SAFE_INTEGER }));
    await expect(huge).rejects.toMatchObject({ code: 'broker_refused', message: expect.stringContaining('less storage') });
    await expect(huge).rejects.toThrow(`needs ${Number.MAX_SAFE_INTEGER} bytes, reserved are 0`);
  });

  it('names what the account has where it has a limit, and what of it is taken', async () => {
    const limited = await startTestServer({
      config: `accounts { A { jetstream: { max_file: ${300 * MIB} }, users: [ { user: a, password: x } ] } }`,
    });
    const credentials = { kind: 'password', user: 'a', password: 'x' } as const;
    const short = bootstrap({ servers: limited.url, credentials, definitions: withLog({ maxBytes: 200 * MIB }) });
    await expect(short).rejects.toMatchObject({ code: 'broker_refused' });
    await expect(short).rejects.toThrow(
      `stream INCIDENTS: the server has less storage than maxBytes reserves (needs ${64 * MIB} bytes, ` +
        `the account may store ${300 * MIB}, reserved are ${264 * MIB})`,
    );
    await limited.remove();
  });

  it('does not answer for a server that is not there', async () => {
    await server.stop();
    const late = bootstrap({ servers: server.url, definitions: testDefinitions, connectBoundMs: 1 });
    await expect(late).rejects.toMatchObject({ code: 'not_connected' });
  });
});
