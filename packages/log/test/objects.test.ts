import { randomBytes } from 'node:crypto';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Objm } from '@nats-io/obj';
import { connect as connectNats, type NatsConnection } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Broker, bootstrap, connect, type ObjectRef, type Objects } from '../src/index.js';
import { startTestServer, type TestServer } from '../src/server/index.js';
import { codeOf, testDefinitions } from './testDefinitions.js';

const all = { bytesMax: 10_000_000 };
const stream = 'OBJ_transcripts';

describe('objects on a server that was tampered with', () => {
  let server: TestServer;
  let broker: Broker;
  let objects: Objects;
  let operator: NatsConnection;
  beforeEach(async () => {
    server = await startTestServer();
    await bootstrap({ servers: server.url, definitions: testDefinitions });
    broker = await connect({ servers: server.url, name: 'test', stream: 'THOUGHT' });
    objects = await broker.objects('transcripts');
    operator = await connectNats({ servers: server.url });
  });
  afterEach(async () => {
    await operator.close();
    await broker.close();
    await server.remove();
  });

  const store = async () => new Objm(jetstream(operator)).open('transcripts');
  const partsOf = async ({ name }: ObjectRef): Promise<string> => `$O.transcripts.C.${(await (await store()).info(name))?.nuid}`;
  const stored = async () => (await (await jetstreamManager(operator)).streams.info(stream)).state.messages;

  it('are what every client of the object store reads and deletes', async () => {
    const content = randomBytes(200_000);
    const ref = await objects.put('root', content);
    expect(Buffer.compare((await (await store()).getBlob(ref.name)) ?? Buffer.alloc(0), content)).toBe(0);
    await (await store()).delete(ref.name);
    expect(await objects.get(ref, all)).toEqual({ kind: 'refused', code: 'object_missing' });
    await objects.put('root', content);
    expect(await objects.get(ref, all)).toMatchObject({ kind: 'got' });
  });

  it('are written once: what stands is left as it is', async () => {
    const content = randomBytes(500_000);
    await objects.put('root', content);
    const before = await stored();
    await objects.put('root', content);
    expect(await stored()).toBe(before);
  });

  it('are damaged, and not waited for, where their parts are gone or others; writing them again mends them', async () => {
    const content = randomBytes(400_000);
    const ref = await objects.put('root', content);
    const jsm = await jetstreamManager(operator);
    for (const damage of [
      async () => jsm.streams.purge(stream, { filter: await partsOf(ref) }),
      async () => jsm.streams.purge(stream, { filter: await partsOf(ref), keep: 1 }),
      async () => jetstream(operator).publish(await partsOf(ref), new Uint8Array(10)),
      async () => {
        const parts = await partsOf(ref);
        await jsm.streams.purge(stream, { filter: parts });
        await jetstream(operator).publish(parts, randomBytes(ref.bytes));
      },
    ]) {
      await damage();
      expect(await objects.get(ref, all)).toEqual({ kind: 'refused', code: 'object_damaged' });
      expect(await objects.put('root', content)).toEqual(ref);
      expect(await objects.get(ref, all)).toMatchObject({ kind: 'got' });
    }
  });

  it('are found by their root, and so are their parts, so that an erasure can take them away', async () => {
    for (const root of ['one', 'other']) await objects.put(root, randomBytes(200_000));
    const names = (await (await store()).list()).map(({ name }) => name.split('.')[0]);
    expect(names.sort()).toEqual(['one', 'other']);
    const jsm = await jetstreamManager(operator);
    expect(await jsm.streams.purge(stream, { filter: '$O.transcripts.C.one.>' })).toMatchObject({ purged: 2 });
    expect(await stored()).toBe(4);
  });

  it('have a code of their own where the bucket is full', async () => {
    const small = (testDefinitions.objects ?? []).map((definition) => ({ ...definition, name: 'small', maxBytes: 100_000 }));
    await bootstrap({ servers: server.url, definitions: { ...testDefinitions, objects: small } });
    const full = await broker.objects('small');
    await expect(full.put('root', randomBytes(200_000))).rejects.toMatchObject({ code: 'objects_full', nature: 'lasts' });
  });

  it('do not wait past the signal of a reader while there is no broker', async () => {
    const ref = await objects.put('root', randomBytes(10));
    await server.stop();
    const given = new AbortController();
    given.abort();
    expect(['timeout', 'no_responders', 'closed']).toContain(await codeOf(objects.get(ref, { ...all, signal: given.signal })));
  });
});
