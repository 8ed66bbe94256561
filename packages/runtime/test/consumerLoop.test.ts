import { describe, expect, test } from 'vitest';
import {
  type ConsumerLoopOptions,
  LOOP_ABANDON_MS,
  LOOP_DRAIN_MAX_MS,
  AGAIN_MAX_MS,
  type Outcome,
  RETRY_DELAY_MAX_MS,
  again,
  createLogger,
  createMetrics,
  done,
  manualTime,
  retry,
  runConsumerLoop,
  skip,
  stop,
} from '../src/index.js';
import { type FakeDelivery, fakeDelivery, fakeLogSink, fakeSource, openPoint, turn } from './fakeDeliveries.js';

const CANARY = 'canary-7f3a payload text';

function setUp(overrides: Partial<ConsumerLoopOptions<string>> = {}) {
  const source = fakeSource();
  const time = manualTime();
  const sink = fakeLogSink();
  const metrics = createMetrics({ service: 'test' });
  const aborter = new AbortController();
  const options: ConsumerLoopOptions<string> = {
    deliveries: source.deliveries,
    handle: async () => done,
    setAside: async () => done,
    slots: 1,
    heartbeatMs: 10_000,
    signal: aborter.signal,
    log: createLogger({ name: 'test', fields: ['id'], destination: sink.destination }),
    metrics: metrics.loop('main'),
    describe: (message) => ({ id: message }),
    timers: time,
    clock: time,
    ...overrides,
  };
  return { source, time, sink, metrics, aborter, options };
}

/** Runs the loop over these deliveries to the end of the source. */
async function runOver(deliveries: FakeDelivery[], overrides: Partial<ConsumerLoopOptions<string>> = {}) {
  const set = setUp(overrides);
  const end = await runConsumerLoop({ ...set.options, deliveries: from(deliveries) });
  return { ...set, end };
}

async function* from(deliveries: FakeDelivery[]): AsyncGenerator<FakeDelivery> {
  yield* deliveries;
}

describe('what an outcome tells the broker', () => {
  const rows: { outcome: Outcome; acks: number; naks: number[]; end: string }[] = [
    { outcome: done, acks: 1, naks: [], end: 'drained' },
    { outcome: skip('not_mine'), acks: 1, naks: [], end: 'drained' },
    { outcome: retry(1_500, 'not_there_yet'), acks: 0, naks: [1_500], end: 'drained' },
    { outcome: retry(-5, 'now'), acks: 0, naks: [0], end: 'drained' },
    { outcome: retry(10 * RETRY_DELAY_MAX_MS, 'far'), acks: 0, naks: [RETRY_DELAY_MAX_MS], end: 'drained' },
    { outcome: retry(Number.NaN, 'bug'), acks: 0, naks: [1_000], end: 'drained' },
    { outcome: stop('log_full'), acks: 0, naks: [], end: 'stopped' },
  ];
  test.each(rows)('$outcome', async ({ outcome, acks, naks, end }) => {
    const delivery = fakeDelivery('m1');
    const result = await runOver([delivery], { handle: async () => outcome });
    expect(delivery.told).toEqual({ acks, naks, beats: 0 });
    expect(result.end.kind).toBe(end);
    expect(await result.metrics.text()).toContain(`emend_handled_total{loop="main",outcome="${outcome.kind}",service="test"} 1`);
    expect(result.time.pending()).toBe(0);
  });

  test('a skip is counted and logged by its code', async () => {
    const { metrics, sink } = await runOver([fakeDelivery('m1')], { handle: async () => skip('not_mine') });
    expect(await metrics.text()).toContain('emend_skipped_total{loop="main",reason="not_mine",service="test"} 1');
    expect(sink.lines).toContainEqual(expect.objectContaining({ event: 'message.skipped', reason: 'not_mine', id: 'm1' }));
  });

  test('after a stop no further message is taken, and the cause is the end', async () => {
    const second = fakeDelivery('m2');
    const { end } = await runOver([fakeDelivery('m1'), second], { handle: async () => stop('log_full') });
    expect(end).toEqual({ kind: 'stopped', cause: 'log_full' });
    expect(second.told).toEqual({ acks: 0, naks: [], beats: 0 });
  });
});

describe('too many deliveries', () => {
  test.each([
    [5, false],
    [6, true],
  ])('delivery %i is set aside: %s', async (deliveries, isSetAside) => {
    const called: string[] = [];
    const delivery = fakeDelivery('m1', { deliveries });
    const { metrics } = await runOver([delivery], {
      handle: async () => (called.push('handle'), done),
      setAside: async (message, why) => (called.push(`${message}:${why.code}:${why.deliveries}`), done),
    });
    expect(called).toEqual(isSetAside ? ['m1:deliveries_exceeded:6'] : ['handle']);
    expect(delivery.told.acks).toBe(1);
    expect(await metrics.text()).toContain(
      isSetAside ? 'emend_deliveries_set_aside_total{loop="main",service="test"} 1' : 'emend_handled_total',
    );
  });

  test('a set-aside that throws comes again', async () => {
    const delivery = fakeDelivery('m1', { deliveries: 6 });
    await runOver([delivery], { setAside: () => Promise.reject(new Error(CANARY)) });
    expect(delivery.told).toEqual({ acks: 0, naks: [32_000], beats: 0 });
  });
});

describe('a handler that throws', () => {
  test.each([
    [1, 1_000],
    [2, 2_000],
    [5, 16_000],
  ])('at delivery %i comes again after %i ms', async (deliveries, delayMs) => {
    const delivery = fakeDelivery('m1', { deliveries });
    const { end } = await runOver([delivery], { handle: () => Promise.reject(new TypeError(CANARY)) });
    expect(delivery.told).toEqual({ acks: 0, naks: [delayMs], beats: 0 });
    expect(end.kind).toBe('drained');
  });

  test('the delay has a limit', async () => {
    const delivery = fakeDelivery('m1', { deliveries: 4_000 });
    await runOver([delivery], { maxDeliveries: 5_000, handle: () => Promise.reject(new Error()) });
    expect(delivery.told.naks).toEqual([RETRY_DELAY_MAX_MS]);
  });

  test('is logged by class, code and place, never by message', async () => {
    const thrown = Object.assign(new TypeError(CANARY), { code: 'ERR_SOME' });
    const { sink, metrics } = await runOver([fakeDelivery('m1')], {
      handle: () => {
        throw thrown;
      },
    });
    expect(sink.lines).toContainEqual(
      expect.objectContaining({
        event: 'handler.threw',
        id: 'm1',
        error: 'TypeError',
        code: 'ERR_SOME',
        at: expect.stringMatching(/^consumerLoop\.test\.ts:\d+:\d+$/),
      }),
    );
    expect(sink.text() + (await metrics.text())).not.toContain('canary');
    expect(await metrics.text()).toContain('emend_handler_faults_total{loop="main",service="test"} 1');
  });

  test('whose error is its message’s own comes again, whatever its nature is called', async () => {
    const delivery = fakeDelivery('m1');
    await runOver([delivery], { handle: () => Promise.reject(fault('too_large', 'of_event')) });
    expect(delivery.told.naks).toEqual([1_000]);
  });

  test('a describe that throws costs the ids, not the message', async () => {
    const delivery = fakeDelivery('m1');
    await runOver([delivery], {
      describe: () => {
        throw new Error(CANARY);
      },
    });
    expect(delivery.told.acks).toBe(1);
  });
});

/** An error as those of the log are. */
const fault = (code: string, nature: string): Error => Object.assign(new Error(CANARY), { code, nature });

describe('what does not answer', () => {
  /** A loop over one message whose handler meets these ends before it is done. */
  function waiting(ends: readonly (() => Promise<Outcome>)[], deliveries = 1) {
    const left = [...ends];
    const begun = { count: 0 };
    const set = setUp({
      handle: () => {
        begun.count += 1;
        return left.shift()?.() ?? Promise.resolve(done);
      },
    });
    const delivery = fakeDelivery('m1', { deliveries });
    set.source.push(delivery);
    return { ...set, begun, delivery, ended: runConsumerLoop(set.options) };
  }
  const away = () => Promise.reject(fault('timeout', 'passes'));

  test.each([
    ['thrown', away],
    ['said', async () => again('append_unknown')],
  ])('keeps its message in hand, at its last delivery too, until it is handled: %s', async (_how, end) => {
    const { time, delivery, ended, aborter, begun, metrics, sink } = waiting(Array(20).fill(end), 5);
    while (delivery.told.acks === 0) {
      await turn();
      time.advance(AGAIN_MAX_MS);
    }
    expect(begun.count).toBe(21);
    expect([delivery.told.acks, delivery.told.naks]).toEqual([1, []]);
    // In hand means under heartbeats.
    expect(delivery.told.beats).toBeGreaterThan(20);
    expect(await metrics.text()).toContain('emend_handler_waits_total{loop="main",service="test"} 20');
    expect(await metrics.text()).not.toContain('emend_handler_faults_total{');
    expect(sink.lines).toContainEqual(expect.objectContaining({ event: 'message.waits', id: 'm1', delayMs: 500 }));
    expect(sink.text()).not.toContain('canary');
    aborter.abort();
    expect(await ended).toEqual({ kind: 'drained' });
  });

  test('waits half a second, then twice as long each time, and never longer than the bound', async () => {
    const { time, begun, delivery, aborter, ended, sink } = waiting(Array(7).fill(away));
    while (delivery.told.acks === 0) {
      await turn();
      time.advance(AGAIN_MAX_MS);
    }
    expect(begun.count).toBe(8);
    const delays = sink.lines.filter(({ event }) => event === 'message.waits').map(({ delayMs }) => delayMs);
    expect(delays).toEqual([500, 1_000, 2_000, 4_000, 8_000, AGAIN_MAX_MS, AGAIN_MAX_MS]);
    aborter.abort();
    await ended;
  });

  test('is not waited for once the loop closes: the message goes back at once', async () => {
    const { delivery, aborter, ended, begun } = waiting([away]);
    await turn();
    aborter.abort();
    expect(await ended).toEqual({ kind: 'drained' });
    expect(delivery.told).toEqual({ acks: 0, naks: [0], beats: 0 });
    expect(begun.count).toBe(1);
  });

  test('is not waited for when another message has stopped the loop', async () => {
    const { source, options } = setUp({ slots: 2, handle: async (message) => (message === 'm2' ? stop('log_full') : away()) });
    const first = fakeDelivery('m1');
    source.push(first);
    source.push(fakeDelivery('m2'));
    expect(await runConsumerLoop(options)).toEqual({ kind: 'stopped', cause: 'log_full' });
    expect(first.told.naks).toEqual([0]);
  });

  test('keeps a message that is to be set aside in hand too', async () => {
    const incidents = [away, async () => done];
    const { source, options, time, metrics, aborter } = setUp({ setAside: () => incidents.shift()?.() ?? away() });
    const delivery = fakeDelivery('m1', { deliveries: 6 });
    source.push(delivery);
    const ended = runConsumerLoop(options);
    await turn();
    expect(delivery.told.acks).toBe(0);
    time.advance(500);
    await delivery.settled;
    aborter.abort();
    await ended;
    expect(await metrics.text()).toContain('emend_deliveries_set_aside_total{loop="main",service="test"} 1');
  });
});

test.each([1, 6])('a fault that lasts stops the loop with its code, and the message stays (delivery %i)', async (deliveries) => {
  const delivery = fakeDelivery('m1', { deliveries });
  const denied = () => Promise.reject(fault('permission_denied', 'lasts'));
  const { end, sink } = await runOver([delivery], { handle: denied, setAside: denied });
  expect(end).toEqual({ kind: 'stopped', cause: 'permission_denied' });
  expect(delivery.told).toEqual({ acks: 0, naks: [], beats: 0 });
  expect(sink.text()).not.toContain('canary');
});

test('an ack that fails is logged and counted, and the loop goes on', async () => {
  const second = fakeDelivery('m2');
  const { sink, metrics } = await runOver([fakeDelivery('m1', { ackFails: true }), second]);
  expect(sink.events()).toContain('ack.failed');
  expect(await metrics.text()).toContain('emend_acks_failed_total{loop="main",service="test"} 1');
  expect(second.told.acks).toBe(1);
});

describe('heartbeats', () => {
  test('go out every interval while the handler is in hand, and end with it', async () => {
    const begun = openPoint();
    const finish = openPoint();
    const { source, time, aborter, options } = setUp({
      handle: async () => {
        begun.reach();
        await finish.reached;
        return done;
      },
    });
    const delivery = fakeDelivery('m1');
    const ended = runConsumerLoop(options);
    source.push(delivery);
    await begun.reached;
    time.advance(9_999);
    expect(delivery.told.beats).toBe(0);
    time.advance(20_001);
    expect(delivery.told.beats).toBe(3);
    finish.reach();
    await delivery.settled;
    await turn();
    time.advance(60_000);
    expect(delivery.told.beats).toBe(3);
    aborter.abort();
    await ended;
  });

  test('one that throws is logged and the handler goes on', async () => {
    const time = manualTime();
    const delivery = {
      ...fakeDelivery('m1'),
      working() {
        throw new Error(CANARY);
      },
    };
    const { sink } = await runOver([delivery], {
      timers: time,
      handle: async () => {
        time.advance(10_000);
        return done;
      },
    });
    expect(sink.events()).toContain('heartbeat.failed');
    expect(delivery.told.acks).toBe(1);
  });
});

describe('slots', () => {
  test('never more in hand than slots, and the next is not asked for before one is free', async () => {
    const finish = [openPoint(), openPoint(), openPoint()];
    let inHand = 0;
    let most = 0;
    const { source, aborter, options } = setUp({
      slots: 2,
      handle: async (message) => {
        most = Math.max(most, (inHand += 1));
        await finish[Number(message)]?.reached;
        inHand -= 1;
        return done;
      },
    });
    const deliveries = ['0', '1', '2'].map((id) => fakeDelivery(id));
    for (const delivery of deliveries) source.push(delivery);
    const ended = runConsumerLoop(options);
    await turn();
    expect([inHand, source.told.pulls]).toEqual([2, 2]);
    finish[0]?.reach();
    await turn();
    expect([inHand, source.told.pulls]).toEqual([2, 3]);
    for (const point of finish) point.reach();
    await Promise.all(deliveries.map(({ settled }) => settled));
    aborter.abort();
    expect(await ended).toEqual({ kind: 'drained' });
    expect(most).toBe(2);
  });

  test.each([{ slots: 0 }, { slots: 1.5 }, { heartbeatMs: 0 }, { heartbeatMs: Number.NaN }])('%o is refused', async (wrong) => {
    await expect(runConsumerLoop(setUp(wrong).options)).rejects.toMatchObject({ code: 'options_invalid' });
  });
});

describe('draining', () => {
  /** A loop with one handler in hand that ends when told, or when its signal aborts. */
  async function withOneInHand() {
    const begun = openPoint();
    const finish = openPoint();
    const seen = { aborted: false };
    const set = setUp({
      slots: 2,
      handle: async (_, { signal }) => {
        signal.addEventListener('abort', () => {
          seen.aborted = true;
        });
        begun.reach();
        await finish.reached;
        return done;
      },
    });
    const first = fakeDelivery('m1');
    set.source.push(first);
    const ended = runConsumerLoop(set.options);
    await begun.reached;
    return { ...set, first, finish, seen, ended };
  }

  test('a handler in hand finishes and is acked; its signal stays quiet', async () => {
    const { aborter, finish, first, ended, seen, time } = await withOneInHand();
    aborter.abort();
    await turn();
    expect(first.told.acks).toBe(0);
    finish.reach();
    expect(await ended).toEqual({ kind: 'drained' });
    expect(first.told.acks).toBe(1);
    expect(seen.aborted).toBe(false);
    expect(time.pending()).toBe(0);
  });

  test('a message that comes after the signal is not handled and goes back at once', async () => {
    const { aborter, finish, ended, source } = await withOneInHand();
    aborter.abort();
    await turn();
    const late = fakeDelivery('late');
    source.push(late);
    await late.settled;
    finish.reach();
    await ended;
    expect(late.told).toEqual({ acks: 0, naks: [0], beats: 0 });
    expect(source.told.returns).toBe(1);
  });

  test('heartbeats go on during the drain', async () => {
    const { aborter, finish, first, ended, time } = await withOneInHand();
    aborter.abort();
    await turn();
    time.advance(10_000);
    expect(first.told.beats).toBe(1);
    finish.reach();
    await ended;
  });

  test('past the bound the handler is told to give up, beats no more, and the loop ends as stopped', async () => {
    const { aborter, first, ended, seen, time, sink } = await withOneInHand();
    aborter.abort();
    await turn();
    time.advance(LOOP_DRAIN_MAX_MS);
    await turn();
    expect(seen.aborted).toBe(true);
    const beats = first.told.beats;
    time.advance(LOOP_ABANDON_MS);
    expect(await ended).toEqual({ kind: 'stopped', cause: 'drain_expired' });
    time.advance(60_000);
    expect(first.told).toEqual({ acks: 0, naks: [], beats });
    expect(sink.lines).toContainEqual(expect.objectContaining({ event: 'loop.drain_expired', inHand: 1 }));
  });

  test('a signal that was aborted before the loop began takes no message', async () => {
    const { aborter, source, options } = setUp();
    source.push(fakeDelivery('m1'));
    aborter.abort();
    expect(await runConsumerLoop(options)).toEqual({ kind: 'drained' });
    expect(source.told).toEqual({ pulls: 0, returns: 1 });
  });

  test('a stop drains the other handlers in hand', async () => {
    const finish = openPoint();
    const [slow, stopping] = [fakeDelivery('slow'), fakeDelivery('stopping')];
    const { source, options } = setUp({
      slots: 2,
      handle: async (message) => {
        if (message === 'stopping') return stop('log_full');
        await finish.reached;
        return done;
      },
    });
    source.push(slow);
    source.push(stopping);
    const ended = runConsumerLoop(options);
    await turn();
    finish.reach();
    expect(await ended).toEqual({ kind: 'stopped', cause: 'log_full' });
    expect([slow.told.acks, stopping.told.acks]).toEqual([1, 0]);
  });
});

test('a source that fails ends the loop with the code of its error, its message unseen', async () => {
  async function* failing(): AsyncGenerator<FakeDelivery> {
    throw Object.assign(new Error(CANARY), { code: 'consumer_deleted' });
  }
  const { options, sink } = setUp();
  expect(await runConsumerLoop({ ...options, deliveries: failing() })).toEqual({ kind: 'stopped', cause: 'consumer_deleted' });
  expect(sink.text()).not.toContain('canary');
});
