import { encodeIncident } from '@emend/contracts';
import { type Broker, LogError } from '@emend/log';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AccountBroker, startAccountBroker } from './accountBroker.js';
import { type RawClient, rawClient } from './rawClient.js';

// deploy/nats/accounts.conf as it ships, with keys of its own, on a real broker. It needs no container.

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

/** One subject of every place, of the incidents and of the buckets, and the users that may write it. */
const writers: Readonly<Record<string, string>> = {
  'stream.thought.contract.declared.x.1': 'declare',
  'stream.thought.agent.declared.x.1': 'declare',
  'stream.thought.agent.policy.declared.x.1': 'declare',
  'stream.thought.source.note.captured.ingest.c': 'producer',
  'stream.thought.source.note.captured.other.c': 'nobody',
  'stream.thought.agent.run.started.ingest.r': 'producer',
  'stream.thought.agent.run.started.runner.r': 'runner',
  'stream.thought.agent.run.started.transcripts.r': 'transcripts',
  'stream.thought.agent.run.started.other.r': 'nobody',
  'stream.thought.agent.run.ended.ingest.r': 'producer',
  'stream.thought.agent.run.ended.runner.r': 'runner',
  'stream.thought.agent.run.ended.transcripts.r': 'transcripts',
  'stream.thought.agent.run.ended.other.r': 'nobody',
  'stream.thought.derived.transcript.corrected.transcripts.r': 'transcripts',
  'stream.thought.derived.transcript.corrected.other.r': 'nobody',
  'stream.thought.agent.repair.requested.r.p': 'coordinator',
  'stream.thought.agent.repair.started.r.p': 'repair-agent',
  'stream.thought.derived.output.correction.r.p': 'repair-agent',
  'stream.thought.judgment.r.c.1': 'judgments',
  'incident.thought.coordinator.x': 'coordinator',
  'incident.thought.repair-agent.x': 'repair-agent',
  'incident.thought.projector.x': 'projector',
  'incident.thought.runner.x': 'nobody',
  'incident.thought.transcripts.x': 'nobody',
  'incident.thought.operator.quarantine_opened.keeper': 'operator',
  'incident.thought.operator.quarantine_opened.other': 'nobody',
  'incident.thought.operator.other.keeper': 'nobody',
  'trace.thought.output-repair.started.runner.r': 'runner',
  'trace.thought.output-repair.started.other.r': 'nobody',
  'trace.thought.x': 'nobody',
  '$KV.effective-output.k': 'projector',
  '$KV.review-queue.k': 'projector',
  '$KV.quarantine.k': 'producer runner',
  '$O.transcripts.C.k': 'producer transcripts',
  '$O.transcripts.M.k': 'producer transcripts',
};
const users = [
  'declare',
  'coordinator',
  'repair-agent',
  'runner',
  'transcripts',
  'judgments',
  'projector',
  'exporter',
  'producer',
  'authority',
  'operator',
];

describe('an account for each process', () => {
  const brokers: Record<string, Broker> = {};
  let accounts: AccountBroker;

  const of = (user: string): Broker => {
    const broker = brokers[user];
    if (broker === undefined) throw new Error(`no connection of ${user}`);
    return broker;
  };
  beforeAll(async () => {
    accounts = await startAccountBroker();
    for (const user of users) brokers[user] = await accounts.connectAs(user);
  });

  afterAll(async () => {
    for (const broker of Object.values(brokers)) await broker.close();
    await accounts?.remove();
  });

  test('lets each write its own places and nothing else', async () => {
    const may = async (user: string, subject: string): Promise<boolean> =>
      of(user)
        .proveWrite([subject])
        .then(
          () => true,
          () => false,
        );
    for (const user of users) {
      const subjects = Object.keys(writers);
      const proven = await Promise.all(subjects.map(async (subject) => ((await may(user, subject)) ? [subject] : [])));
      expect([user, proven.flat()]).toEqual([user, subjects.filter((subject) => writers[subject]?.split(' ').includes(user))]);
    }
  });

  test('lets the work of a run go its whole way', async () => {
    const append = async (user: string, subject: string): Promise<void> => {
      expect([subject, (await of(user).log.append({ subject, bytes: bytes('{}') })).kind]).toEqual([subject, 'appended']);
    };
    await append('producer', 'stream.thought.agent.run.ended.ingest.r1');
    await takeOne('coordinator', 'stream.thought.agent.run.ended.ingest.r1');
    await append('coordinator', 'stream.thought.agent.repair.requested.r1.p');
    await takeOne('repair-agent', 'stream.thought.agent.repair.requested.r1.p');
    await append('repair-agent', 'stream.thought.agent.repair.started.r1.p');
    await append('repair-agent', 'stream.thought.derived.output.correction.r1.p');
    expect((await of('judgments').log.get('stream.thought.derived.output.correction.r1.p'))?.subject).toBeDefined();
    await append('judgments', 'stream.thought.judgment.r1.c.1');
    for (const reader of ['projector', 'exporter']) expect([reader, await countOf(reader)]).toEqual([reader, 5]);
    const view = await of('projector').view('effective-output');
    expect((await view.put('k', bytes('{}'), 0)).kind).toBe('put');
    expect((await (await of('authority').view('effective-output')).get('k'))?.key).toBe('k');
  });

  test('lets the runner answer a source, trace its second call and set text aside that it cannot read back', async () => {
    const { log } = of('runner');
    await of('producer').log.append({ subject: 'stream.thought.source.note.captured.ingest.n1', bytes: bytes('{}') });
    await takeOne('runner', 'stream.thought.source.note.captured.ingest.n1');
    expect((await log.get('stream.thought.source.note.captured.ingest.n1'))?.subject).toBeDefined();
    expect(await log.lastSequence()).toBeGreaterThan(0);
    for (const subject of ['stream.thought.agent.run.started.runner.r2', 'stream.thought.agent.run.ended.runner.r2']) {
      expect([subject, (await log.append({ subject, bytes: bytes('{}') })).kind]).toEqual([subject, 'appended']);
    }
    await takeOne('coordinator', 'stream.thought.agent.run.ended.runner.r2');
    await of('runner').store('trace.thought.output-repair.started.runner.r2', bytes('{}'));
    await expect(of('runner').store('trace.thought.output-repair.started.other.r2', bytes('{}'))).rejects.toBeInstanceOf(LogError);
    for (const writer of ['runner', 'producer']) {
      const quarantine = await of(writer).view('quarantine');
      expect([writer, await quarantine.put(writer, bytes('text'), 0)]).toMatchObject([writer, { kind: 'put' }]);
      expect([writer, await quarantine.put(writer, bytes('more'), 0)]).toEqual([writer, { kind: 'conflict' }]);
      await expect(quarantine.get(writer)).rejects.toBeInstanceOf(LogError);
    }
  });

  test('lets a transcript go its way, with what is too large for an event beside the log', async () => {
    const place = 'stream.thought.source.transcript.captured.ingest.t1';
    const large = new Uint8Array(300_000).fill(7);
    const captured = await (await of('producer').objects('transcripts')).put('source', large);
    await of('producer').log.append({ subject: place, bytes: bytes('{}') });
    await takeOne('transcripts', place);
    const objects = await of('transcripts').objects('transcripts');
    expect(await objects.get(captured, { bytesMax: large.byteLength })).toMatchObject({ kind: 'got' });
    const corrected = await objects.put('source', large.slice(1));
    const places = ['agent.run.started', 'agent.run.ended', 'derived.transcript.corrected'].map(
      (stem) => `stream.thought.${stem}.transcripts.r3`,
    );
    for (const subject of places) {
      expect([subject, (await of('transcripts').log.append({ subject, bytes: bytes('{}') })).kind]).toEqual([subject, 'appended']);
    }
    const read = await (await of('authority').objects('transcripts')).get(corrected, { bytesMax: large.byteLength });
    expect(read).toMatchObject({ kind: 'got' });
    await expect(of('runner').objects('transcripts')).rejects.toBeInstanceOf(LogError);
    await takeOne('coordinator', places[1] ?? '');
  });

  test('lets an operator open the quarantine under its own name, and nobody else read there', async () => {
    const key = 'opened';
    await (await of('runner').view('quarantine')).put(key, bytes('text'), 0);
    const incident = { service: 'operator', code: 'quarantine_opened', reason: 'why not', time: '2026-12-01T00:00:00.000Z' } as const;
    const own = encodeIncident({ ...incident, operator: 'keeper' });
    await of('operator').store(own.subject, own.bytes);
    const anothers = encodeIncident({ ...incident, operator: 'other' });
    await expect(of('operator').store(anothers.subject, anothers.bytes)).rejects.toBeInstanceOf(LogError);
    const opened = await of('operator').view('quarantine');
    expect((await opened.get(key))?.bytes).toEqual(bytes('text'));
    await expect(opened.put(key, bytes('other'), 1)).rejects.toBeInstanceOf(LogError);
    await expect(of('operator').log.get('stream.thought.source.note.captured.ingest.n1')).rejects.toBeInstanceOf(LogError);
    const last = bytes(JSON.stringify({ last_by_subj: `$KV.quarantine.${key}` }));
    const asks = ['STREAM.MSG.GET.KV_quarantine', 'DIRECT.GET.KV_quarantine', `DIRECT.GET.KV_quarantine.$KV.quarantine.${key}`];
    const readers = users.map(async (user) => {
      const answers = asks.map((ask) => of(user).request(`$JS.API.${ask}`, last, 500));
      return (await Promise.allSettled(answers)).some(({ status }) => status === 'fulfilled') ? [user] : [];
    });
    expect((await Promise.all(readers)).flat()).toEqual(['operator']);
  });

  test('lets an authority use its own name and no other', async () => {
    const serving = new AbortController();
    const seen: string[] = [];
    await of('judgments').serve('svc.thought.judgments.record.*', {
      queue: 'judgments',
      signal: serving.signal,
      handle: async ({ subject }) => {
        seen.push(subject);
        return bytes('answer');
      },
    });
    const reply = await of('authority').request('svc.thought.judgments.record.reviewer', bytes('{}'), 2_000);
    expect(new TextDecoder().decode(reply.bytes)).toBe('answer');
    await expect(of('authority').request('svc.thought.judgments.record.other', bytes('{}'), 2_000)).rejects.toBeInstanceOf(LogError);
    await expect(of('producer').request('svc.thought.judgments.record.reviewer', bytes('{}'), 2_000)).rejects.toBeInstanceOf(LogError);
    expect(seen).toEqual(['svc.thought.judgments.record.reviewer']);
    serving.abort();
  });

  test('stores nothing where the answer to a request is sent to a place of another', async () => {
    const own = 'stream.thought.agent.repair.requested.evil.p';
    await of('coordinator').log.append({ subject: own, bytes: bytes('{"forged":"accept"}') });
    const before = await of('projector').log.lastSequence();
    const requests = [`$JS.API.DIRECT.GET.THOUGHT.${own}`, '$JS.API.CONSUMER.INFO.THOUGHT.coordinator'];
    const attacker = await attackerAs('coordinator');
    for (const [n, request] of requests.entries()) attacker.publish(request, `stream.thought.judgment.evil.c.${n + 1}`);
    // Answered after the ones above.
    for (const request of requests) {
      attacker.publish(request, attacker.inbox);
      await attacker.answer();
    }
    attacker.close();
    expect(await of('projector').log.lastSequence()).toBe(before);
    expect(await of('judgments').log.get('stream.thought.judgment.evil.c.1')).toBeNull();
  });

  test('would be passed by in one account, where that answer is stored', async () => {
    const place = 'stream.thought.judgment.control.c.1';
    const insider = await attackerAs('bootstrap');
    insider.publish('$JS.API.CONSUMER.INFO.THOUGHT.coordinator', place);
    insider.publish('$JS.API.CONSUMER.INFO.THOUGHT.coordinator', insider.inbox);
    await insider.answer();
    insider.close();
    await expect.poll(async () => (await of('judgments').log.get(place))?.subject).toBe(place);
  });

  test('refuses every act on the streams themselves', async () => {
    const before = await of('projector').log.lastSequence();
    const acts = [
      'STREAM.PURGE.THOUGHT',
      'STREAM.DELETE.THOUGHT',
      'STREAM.UPDATE.THOUGHT',
      'STREAM.MSG.DELETE.THOUGHT',
      'STREAM.SNAPSHOT.THOUGHT',
    ];
    const more = [
      'CONSUMER.DELETE.THOUGHT.coordinator',
      'STREAM.CREATE.NEW',
      'STREAM.PURGE.OBJ_transcripts',
      'STREAM.DELETE.OBJ_transcripts',
    ];
    for (const user of users) {
      for (const act of [...acts, ...more]) {
        const answered = await of(user)
          .request(`$JS.API.${act}`, bytes('{}'), 500)
          .then(
            (reply) => new TextDecoder().decode(reply.bytes).includes('"error"'),
            () => true,
          );
        expect([user, act, answered]).toEqual([user, act, true]);
      }
    }
    expect(await of('projector').log.lastSequence()).toBe(before);
  });

  const attackerAs = (user: string): Promise<RawClient> => {
    const variable = `EMEND_NKEY_${user.toUpperCase().replaceAll('-', '_')}`;
    return rawClient(accounts.url, process.env[variable] ?? '', accounts.credentials(user).text);
  };

  /** The next message of the user's own durable is this one. */
  async function takeOne(user: string, subject: string): Promise<void> {
    const taken = new AbortController();
    const subjects: string[] = [];
    for await (const delivery of of(user).log.consume({
      durable: user,
      signal: AbortSignal.any([taken.signal, AbortSignal.timeout(10_000)]),
    })) {
      subjects.push(delivery.event.subject);
      await delivery.ack();
      taken.abort();
    }
    expect(subjects).toEqual([subject]);
  }

  async function countOf(user: string): Promise<number> {
    let count = 0;
    for await (const _ of of(user).log.read({ from: 1, to: await of(user).log.lastSequence() })) count += 1;
    return count;
  }
});
