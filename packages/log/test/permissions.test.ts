import { randomBytes } from 'node:crypto';
import { connect as connectNats } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Broker, bootstrap, connect, type Credentials } from '../src/index.js';
import { startTestServer, type TestServer } from '../src/server/index.js';
import { all, bytes, codeOf, first, testDefinitions, text } from './testDefinitions.js';

const PASSWORD = 'hunter2-canary';
const password = (user: string): Credentials => ({ kind: 'password', user, password: PASSWORD });

/** One account with a narrow user, and one service account that imports what it needs under other names. */
const CONFIG = `
accounts {
  CORE {
    jetstream: enabled
    users: [
      { user: admin, password: "${PASSWORD}" }
      { user: blind, password: "${PASSWORD}", permissions: {
        publish: [ "$JS.API.STREAM.INFO.KV_effective-output" ], subscribe: [ "_INBOX.>" ] } }
      { user: narrow, password: "${PASSWORD}", permissions: {
        publish: [ "stream.thought.acked.>", "$JS.API.DIRECT.GET.THOUGHT.>", "$JS.API.CONSUMER.INFO.THOUGHT.acked",
                   "$JS.API.CONSUMER.MSG.NEXT.THOUGHT.acked", "$JS.ACK.THOUGHT.acked.>" ]
        subscribe: [ "_INBOX_narrow.>" ] } }
    ]
    exports: [
      { service: "stream.thought.>" }
      { service: "$JS.API.STREAM.INFO.THOUGHT" }
      { service: "$JS.API.DIRECT.GET.THOUGHT.>" }
      { service: "$JS.API.DIRECT.GET.THOUGHT" }
      { service: "$JS.API.CONSUMER.INFO.THOUGHT.*" }
      { service: "$JS.API.CONSUMER.CREATE.THOUGHT.>" }
      { service: "$JS.API.CONSUMER.DELETE.THOUGHT.*" }
      { service: "$JS.API.CONSUMER.MSG.NEXT.THOUGHT.*", response_type: stream }
      { service: "$JS.ACK.THOUGHT.>" }
      { service: "$JS.API.STREAM.INFO.OBJ_transcripts" }
      { service: "$JS.API.STREAM.MSG.GET.OBJ_transcripts" }
      { service: "$JS.API.CONSUMER.CREATE.OBJ_transcripts.>" }
      { service: "$JS.API.CONSUMER.DELETE.OBJ_transcripts.*" }
      { service: "$JS.API.CONSUMER.MSG.NEXT.OBJ_transcripts.*", response_type: stream }
      { service: "$O.transcripts.>" }
      { stream: "fact.thought.>" }
    ]
  }
  SERVICE {
    users: [ { user: service, password: "${PASSWORD}" } ]
    imports: [
      { service: { account: CORE, subject: "stream.thought.>" } }
      { service: { account: CORE, subject: "$JS.API.STREAM.INFO.THOUGHT" }, to: "core.JS.API.STREAM.INFO.THOUGHT" }
      { service: { account: CORE, subject: "$JS.API.DIRECT.GET.THOUGHT.>" }, to: "core.JS.API.DIRECT.GET.THOUGHT.>" }
      { service: { account: CORE, subject: "$JS.API.DIRECT.GET.THOUGHT" }, to: "core.JS.API.DIRECT.GET.THOUGHT" }
      { service: { account: CORE, subject: "$JS.API.CONSUMER.INFO.THOUGHT.*" }, to: "core.JS.API.CONSUMER.INFO.THOUGHT.*" }
      { service: { account: CORE, subject: "$JS.API.CONSUMER.CREATE.THOUGHT.>" }, to: "core.JS.API.CONSUMER.CREATE.THOUGHT.>" }
      { service: { account: CORE, subject: "$JS.API.CONSUMER.DELETE.THOUGHT.*" }, to: "core.JS.API.CONSUMER.DELETE.THOUGHT.*" }
      { service: { account: CORE, subject: "$JS.API.CONSUMER.MSG.NEXT.THOUGHT.*" }, to: "core.JS.API.CONSUMER.MSG.NEXT.THOUGHT.*" }
      { service: { account: CORE, subject: "$JS.ACK.THOUGHT.>" } }
      { service: { account: CORE, subject: "$JS.API.STREAM.INFO.OBJ_transcripts" }, to: "core.JS.API.STREAM.INFO.OBJ_transcripts" }
      { service: { account: CORE, subject: "$JS.API.STREAM.MSG.GET.OBJ_transcripts" }, to: "core.JS.API.STREAM.MSG.GET.OBJ_transcripts" }
      { service: { account: CORE, subject: "$JS.API.CONSUMER.CREATE.OBJ_transcripts.>" }, to: "core.JS.API.CONSUMER.CREATE.OBJ_transcripts.>" }
      { service: { account: CORE, subject: "$JS.API.CONSUMER.DELETE.OBJ_transcripts.*" }, to: "core.JS.API.CONSUMER.DELETE.OBJ_transcripts.*" }
      { service: { account: CORE, subject: "$JS.API.CONSUMER.MSG.NEXT.OBJ_transcripts.*" }, to: "core.JS.API.CONSUMER.MSG.NEXT.OBJ_transcripts.*" }
      { service: { account: CORE, subject: "$O.transcripts.>" } }
      { stream: { account: CORE, subject: "fact.thought.>" } }
    ]
  }
}
`;

describe('permissions', () => {
  let server: TestServer;
  let admin: Broker;
  let narrow: Broker;
  /** May bind to a view, and neither read nor write it. */
  let blind: Broker;
  let service: Broker;

  beforeAll(async () => {
    server = await startTestServer({ config: CONFIG });
    await bootstrap({ servers: server.url, credentials: password('admin'), definitions: testDefinitions });
    const as = (user: string, more = {}): Promise<Broker> =>
      connect({ servers: server.url, name: user, stream: 'THOUGHT', credentials: password(user), ...more });
    admin = await as('admin');
    blind = await as('blind');
    narrow = await as('narrow', { inboxPrefix: '_INBOX_narrow' });
    service = await as('service', { apiPrefix: 'core.JS.API' });
  });
  afterAll(async () => {
    for (const broker of [admin, blind, narrow, service]) await broker?.close();
    await server?.remove();
  });

  it('let a narrow user append, see a conflict and consume', async () => {
    const event = { subject: 'stream.thought.acked.narrow', bytes: bytes('a') };
    await narrow.proveWrite([event.subject]);
    expect((await narrow.log.append(event)).kind).toBe('appended');
    expect((await narrow.log.append({ ...event, bytes: bytes('b') })).kind).toBe('conflict');
    const [delivery] = await first(1, narrow.log.consume({ durable: 'acked' }));
    expect(text(delivery?.event.bytes)).toBe('a');
    await delivery?.ack();
  });

  it('name the places that may not be written, all of them', async () => {
    const proof = narrow.proveWrite(['stream.thought.acked.x', 'stream.thought.judgment.x', 'stream.thought.agent.x']);
    await expect(proof).rejects.toMatchObject({
      code: 'permission_denied',
      details: ['stream.thought.judgment.x', 'stream.thought.agent.x'],
    });
  });

  it('name the view that may not be written, before anything is', async () => {
    await expect((await blind.view('effective-output')).proveWrite()).rejects.toMatchObject({
      code: 'permission_denied',
      details: ['$KV.effective-output.probe'],
    });
    await (await admin.view('effective-output')).proveWrite();
    expect(await (await admin.view('effective-output')).get('probe')).toBeNull();
  });

  it('end every forbidden act at once with `permission_denied`', async () => {
    const acts: Record<string, () => Promise<unknown>> = {
      append: () => narrow.log.append({ subject: 'stream.thought.judgment.x', bytes: bytes('a') }),
      at: () => narrow.log.at(1),
      lastSequence: () => narrow.log.lastSequence(),
      read: () => all(narrow.log.read({ from: 1, to: 1 })),
      consume: () => all(narrow.log.consume({ durable: 'refused' })),
      view: () => narrow.view('effective-output'),
      objects: () => narrow.objects('transcripts'),
      store: () => narrow.store('trace.thought.x', bytes('a')),
      follow: () => all(narrow.follow('fact.thought.>')),
      serve: () => narrow.serve('svc.x', { queue: 'q', handle: async () => bytes('') }),
      request: () => narrow.request('svc.x', bytes(''), 5_000),
    };
    for (const [name, act] of Object.entries(acts)) expect([name, await codeOf(act())]).toEqual([name, 'permission_denied']);
  });

  it('keep passwords out of errors', async () => {
    const servers = server.url.replace('//', `//admin:${PASSWORD}x@`);
    const refused = await connect({
      servers: server.url,
      name: 'x',
      stream: 'THOUGHT',
      credentials: { kind: 'password', user: 'admin', password: `${PASSWORD}x` },
    }).catch((e: unknown) => e);
    expect(refused).toMatchObject({ code: 'permission_denied' });
    const seed = await connect({ servers, name: 'x', stream: 'THOUGHT', credentials: { kind: 'nkey', seed: PASSWORD } }).catch(
      (e: unknown) => e,
    );
    expect(seed).toMatchObject({ code: 'credentials_invalid' });
    for (const error of [refused, seed])
      expect(`${String(error)} ${JSON.stringify(error)} ${(error as Error).stack}`).not.toContain(PASSWORD);
  });

  it('let a service with an account of its own do all of it under imported names', async () => {
    const event = { subject: 'stream.thought.refused.imported', bytes: bytes('a') };
    const facts = service.follow('fact.thought.refused.>');
    await service.proveWrite([event.subject]);
    const appended = await service.log.append(event);
    expect(appended.kind).toBe('appended');
    expect((await service.log.append({ ...event, bytes: bytes('b') })).kind).toBe('conflict');
    expect(text((await first(1, facts))[0]?.bytes)).toBe('a');
    const to = await service.log.lastSequence();
    const read = await all(service.log.read({ from: 1, to, subject: 'stream.thought.refused.>' }));
    expect(read.map((e) => [e.subject, text(e.bytes)])).toEqual([[event.subject, 'a']]);
    expect((await service.log.at(to))?.subject).toBe(event.subject);
    const [delivery] = await first(1, service.log.consume({ durable: 'refused' }));
    expect(delivery?.event.subject).toBe(event.subject);
    await delivery?.ack();
  });

  it('let it write and read objects under imported names, and ask for nothing about its account', async () => {
    const objects = await service.objects('transcripts');
    await objects.proveWrite();
    const content = randomBytes(300_000);
    const ref = await objects.put('root', content);
    const got = await objects.get(ref, { bytesMax: content.byteLength });
    expect(got.kind === 'got' && Buffer.compare(got.bytes, content)).toBe(0);
  });

  it('drop a request whose answer would go to a place of the log', async () => {
    const dropped: string[] = [];
    const target = 'stream.thought.judgment.forged';
    let told = (): void => undefined;
    const toldOnce = new Promise<void>((resolve) => {
      told = resolve;
    });
    const onDropped = (reason: string): void => {
      dropped.push(reason);
      told();
    };
    await admin.serve('svc.judge', { queue: 'q', handle: async () => bytes('forged'), onDropped });
    const before = await admin.log.lastSequence();
    const attacker = await connectNats({ servers: server.url, user: 'admin', pass: PASSWORD });
    attacker.publish('svc.judge', 'x', { reply: target });
    await toldOnce;
    // A later answer through the same service: had the first been given, it would have been stored before this one.
    expect(text((await admin.request('svc.judge', bytes('x'), 5_000)).bytes)).toBe('forged');
    expect(dropped).toEqual(['reply_subject_refused']);
    expect(await admin.log.lastSequence()).toBe(before);
    await attacker.close();
  });
});
