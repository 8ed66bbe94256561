import { describe, expect, test } from 'vitest';
import { runStory, storedLog } from '../../../test/support/history.js';
import { RememberedPlaces } from '../src/adapters/rememberedPlaces.js';
import { RequestsInHand } from '../src/requestsInHand.js';
import { ServiceApi } from '../src/serviceApi.js';

describe('requests in hand', () => {
  /** Work that ends when the test says so. */
  function job(log: string[], name: string) {
    let end: () => void = () => {};
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const work = async () => {
      log.push(`${name} begins`);
      await ended;
      log.push(`${name} ends`);
      return name;
    };
    return { work, end: () => end() };
  }

  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test('work in so many slots, and the others wait in their order', async () => {
    const log: string[] = [];
    const inHand = new RequestsInHand(1);
    const [a, b, c] = ['a', 'b', 'c'].map((name) => job(log, name)) as [
      ReturnType<typeof job>,
      ReturnType<typeof job>,
      ReturnType<typeof job>,
    ];
    const all = [a, b, c].map(({ work }) => inHand.run(work));
    for (const { end } of [c, b, a]) end();
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c']);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  test('are drained when the last one has ended, also one that threw', async () => {
    const log: string[] = [];
    const inHand = new RequestsInHand(2);
    const a = job(log, 'a');
    const failing = inHand.run(() => Promise.reject(new Error('no')));
    const running = inHand.run(a.work);
    const drained = inHand.drained().then(() => log.push('drained'));
    await expect(failing).rejects.toThrow('no');
    await turn();
    expect(log).toEqual(['a begins']);
    a.end();
    await Promise.all([running, drained]);
    expect(log).toEqual(['a begins', 'a ends', 'drained']);
  });

  test('are drained at once where nothing is in hand', async () => {
    await new RequestsInHand(1).drained();
  });
});

describe('remembered places', () => {
  const events = storedLog(...runStory().repaired()).read;

  test('keep what was used last', () => {
    const remembered = new RememberedPlaces(2);
    const [a, b, c] = events as [(typeof events)[0], (typeof events)[0], (typeof events)[0]];
    remembered.keep(a);
    remembered.keep(b);
    expect(remembered.get(a.subject)).toBe(a);
    remembered.keep(c);
    expect([a, b, c].map(({ subject }) => remembered.get(subject)?.sequence ?? null)).toEqual([a.sequence, null, c.sequence]);
  });

  test('know nothing of what is not there', () => {
    expect(new RememberedPlaces(2).get('stream.thought.judgment.a.b.1')).toBeNull();
  });
});

describe('the services API', () => {
  const identity = { name: 'judgments', id: 'one', version: '0.1.0', description: 'x', queue: 'q', started: '2026-01-01T00:00:00.000Z' };
  const api = () => new ServiceApi(identity, [{ operation: 'record', subject: 'svc.thought.judgments.record.*' }]);

  test('listens for everybody, for its name and for itself', () => {
    expect(api().subjectsOf('STATS')).toEqual(['$SRV.STATS', '$SRV.STATS.judgments', '$SRV.STATS.judgments.one']);
  });

  test('counts requests, those that could not be answered, and their time', () => {
    const counted = api();
    counted.served('record', 2, null);
    counted.served('record', 4, 'log_full');
    counted.served('retract', 9, null);
    expect(counted.answer('STATS')).toEqual({
      type: 'io.nats.micro.v1.stats_response',
      name: 'judgments',
      id: 'one',
      version: '0.1.0',
      metadata: {},
      started: '2026-01-01T00:00:00.000Z',
      endpoints: [
        {
          name: 'record',
          subject: 'svc.thought.judgments.record.*',
          queue_group: 'q',
          num_requests: 2,
          num_errors: 1,
          last_error: 'log_full',
          processing_time: 6_000_000,
          average_processing_time: 3_000_000,
        },
      ],
    });
  });

  test('has an average of nothing', () => {
    expect(JSON.stringify(api().answer('STATS'))).toContain('"average_processing_time":0');
  });
});
