import { describe, expect, test } from 'vitest';
import {
  ConfigError,
  DISPOSE_MAX_MS,
  DRAIN_MAX_MS,
  Life,
  type LifeOptions,
  type LoopEnd,
  RefusedToStart,
  commonConfig,
  exitCodes,
  manualTime,
} from '../src/index.js';
import { nextState } from '../src/lifeState.js';
import { fakeLogSink, openPoint, turn } from './fakeDeliveries.js';

type Options = LifeOptions<typeof commonConfig>;
const CANARY = 'canary-3c8e';

function setUp(start: Options['start'] = async () => {}, env: NodeJS.ProcessEnv = {}) {
  const sink = fakeLogSink();
  const time = manualTime();
  const ready = openPoint();
  const life = new Life({
    name: 'test',
    version: '1.0.0',
    env,
    config: commonConfig,
    timers: time,
    logDestination: {
      write: (line) => {
        sink.destination.write(line);
        if (sink.lines.at(-1)?.['event'] === 'process.ready') ready.reach();
      },
    },
    start,
  });
  return { life, sink, time, ready: ready.reached };
}

/** Running work that ends as told, whatever the signal says. */
function work<T = LoopEnd | void>() {
  let end: (value: T) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const running = new Promise<T>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { running, end, fail };
}

test('the states, as a table', () => {
  const states = ['idle', 'starting', 'ready', 'draining', 'stopped'] as const;
  const row = (state: (typeof states)[number]) => (['start', 'started', 'stop', 'ended'] as const).map((event) => nextState(state, event));
  expect(Object.fromEntries(states.map((state) => [state, row(state)]))).toEqual({
    idle: ['starting', 'idle', 'stopped', 'idle'],
    starting: ['starting', 'ready', 'draining', 'stopped'],
    ready: ['ready', 'ready', 'draining', 'stopped'],
    draining: ['draining', 'draining', 'draining', 'stopped'],
    stopped: ['stopped', 'stopped', 'stopped', 'stopped'],
  });
});

describe('a life', () => {
  test('goes from starting to ready to draining to stopped, and what was opened last closes first', async () => {
    const closed: string[] = [];
    const states: string[] = [];
    const { life, ready, sink } = setUp(async ({ defer, signal }) => {
      states.push(life.state);
      defer(() => void closed.push('first'));
      defer(async () => void closed.push('second'));
      signal.addEventListener('abort', () => states.push(life.state));
    });
    const ended = life.run();
    await ready;
    states.push(life.state);
    life.stop('SIGTERM');
    expect(await ended).toBe(exitCodes.clean);
    expect([...states, life.state]).toEqual(['starting', 'ready', 'draining', 'stopped']);
    expect(closed).toEqual(['second', 'first']);
    expect(sink.lines.filter((line) => 'droppedFields' in line)).toEqual([]);
    expect(sink.events()).toEqual(['process.starting', 'process.ready', 'process.stopping', 'process.stopped']);
  });

  test('stopped twice stops once, and says so', async () => {
    const { running, end } = work();
    const { life, ready, sink } = setUp(async () => ({ running }));
    const ended = life.run();
    await ready;
    life.stop('SIGTERM');
    life.stop('SIGTERM');
    expect(life.state).toBe('draining');
    end();
    expect(await ended).toBe(0);
    life.stop('late');
    expect(sink.events().filter((event) => event === 'process.stopping')).toHaveLength(1);
    expect(sink.events().filter((event) => event === 'process.already_stopping')).toHaveLength(2);
  });

  test('stopped before the start never starts', async () => {
    let started = false;
    const { life } = setUp(async () => {
      started = true;
    });
    life.stop('SIGTERM');
    expect(await life.run()).toBe(0);
    expect([started, life.state]).toEqual([false, 'stopped']);
  });

  test('stopped while starting is never ready', async () => {
    const opened = openPoint();
    const { life, sink } = setUp(() => opened.reached);
    const ended = life.run();
    await turn();
    life.stop('SIGTERM');
    opened.reach();
    expect(await ended).toBe(0);
    expect(sink.events()).not.toContain('process.ready');
  });

  test('run twice is one life', async () => {
    let starts = 0;
    const { life, ready } = setUp(async () => {
      starts += 1;
    });
    const [first, second] = [life.run(), life.run()];
    await ready;
    life.stop('SIGTERM');
    expect([await first, await second, starts]).toEqual([0, 0, 1]);
  });

  test('a fault while starting closes what was opened', async () => {
    const closed: string[] = [];
    const { life, sink } = setUp(async ({ defer, signal }) => {
      defer(() => void closed.push(`connection, told to stop: ${signal.aborted}`));
      throw new Error(CANARY);
    });
    expect(await life.run()).toBe(exitCodes.fault);
    expect(closed).toEqual(['connection, told to stop: true']);
    expect(sink.text()).not.toContain('canary');
  });
});

describe('exit codes', () => {
  const rows: [string, Options['start'], number, string][] = [
    ['a completed task', async () => ({ running: Promise.resolve() }), 0, 'stopped'],
    ['a loop that stopped', async () => ({ running: Promise.resolve({ kind: 'stopped', cause: 'log_full' }) }), 1, 'log_full'],
    ['a loop that ran dry unasked', async () => ({ running: Promise.resolve({ kind: 'drained' }) }), 1, 'loop_ended_unasked'],
    ['an error at work', async () => ({ running: Promise.reject(new TypeError(CANARY)) }), 1, 'TypeError'],
    ['an abort that nobody asked for', async () => ({ running: Promise.reject(new DOMException('x', 'AbortError')) }), 1, 'AbortError'],
    [
      'an error at start',
      async () => {
        throw Object.assign(new Error(CANARY), { code: 'stream_missing' });
      },
      1,
      'stream_missing',
    ],
    [
      'a configuration found wrong by the service',
      async () => {
        throw new ConfigError([{ name: 'T_A', expected: 'less than T_B' }]);
      },
      2,
      'config_invalid',
    ],
    [
      'a refusal',
      async () => {
        throw new RefusedToStart('model_missing');
      },
      3,
      'model_missing',
    ],
    [
      'something closed badly',
      async ({ defer }) => {
        defer(() => {
          throw new Error(CANARY);
        });
        return { running: Promise.resolve() };
      },
      1,
      'dispose_failed',
    ],
  ];
  test.each(rows)('%s', async (_, start, exitCode, cause) => {
    const { life, sink } = setUp(start);
    expect(await life.run()).toBe(exitCode);
    expect(sink.lines.at(-1)).toMatchObject({ event: 'process.stopped', exitCode, cause });
    expect(sink.text()).not.toContain('canary');
  });

  test('a bad configuration: every variable on a line of its own, no value, and no start', async () => {
    let started = false;
    const { life, sink } = setUp(
      async () => {
        started = true;
      },
      { EMEND_NATS_URL: `http://${CANARY}`, EMEND_LOG_LEVEL: CANARY },
    );
    expect(await life.run()).toBe(exitCodes.badConfig);
    expect(started).toBe(false);
    expect(
      sink.lines
        .filter(({ event }) => event === 'config.invalid')
        .map(({ setting }) => setting)
        .sort(),
    ).toEqual(['EMEND_LOG_LEVEL', 'EMEND_NATS_URL']);
    expect(sink.text()).not.toContain('canary');
  });

  test('work that rejects because it was told to stop ends clean', async () => {
    const { life, ready } = setUp(async ({ signal }) => ({
      running: new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    }));
    const ended = life.run();
    await ready;
    life.stop('SIGTERM');
    expect(await ended).toBe(0);
  });
});

describe('several pieces of work', () => {
  test('when one ends the others drain, and the fault is the ending', async () => {
    const [failing, other] = [work(), work()];
    const { life, ready } = setUp(async ({ signal }) => {
      signal.addEventListener('abort', () => other.end({ kind: 'drained' }));
      return { running: [failing.running, other.running] };
    });
    const ended = life.run();
    await ready;
    failing.end({ kind: 'stopped', cause: 'log_full' });
    expect(await ended).toBe(1);
  });

  test('none at all: it lives until it is told to stop', async () => {
    const { life, ready } = setUp(async () => {});
    const ended = life.run();
    await ready;
    await turn();
    expect(life.state).toBe('ready');
    life.stop('SIGTERM');
    expect(await ended).toBe(0);
  });
});

describe('bounds', () => {
  test('work that does not end within the drain is left, and what was opened is closed', async () => {
    const closed: string[] = [];
    const { life, ready, time, sink } = setUp(async ({ defer }) => {
      defer(() => void closed.push('connection'));
      return { running: work().running };
    });
    const ended = life.run();
    await ready;
    life.stop('SIGTERM');
    await turn();
    time.advance(DRAIN_MAX_MS);
    expect(await ended).toBe(1);
    expect(closed).toEqual(['connection']);
    expect(sink.lines.at(-1)).toMatchObject({ cause: 'drain_expired' });
  });

  test('a start that ignores the signal is left too, and what it opens late is closed at once', async () => {
    const opened = openPoint();
    const closed: string[] = [];
    const { life, time } = setUp(async ({ defer }) => {
      await opened.reached;
      defer(() => void closed.push('late'));
    });
    const ended = life.run();
    await turn();
    life.stop('SIGTERM');
    await turn();
    time.advance(DRAIN_MAX_MS);
    expect(await ended).toBe(1);
    opened.reach();
    await turn();
    expect(closed).toEqual(['late']);
  });

  test('closing that hangs is left', async () => {
    const { life, ready, time, sink } = setUp(async ({ defer }) => {
      defer(() => new Promise(() => {}));
    });
    const ended = life.run();
    await ready;
    life.stop('SIGTERM');
    await turn();
    time.advance(DISPOSE_MAX_MS);
    expect(await ended).toBe(1);
    expect(sink.lines.at(-1)).toMatchObject({ cause: 'dispose_expired' });
  });
});

test('the HTTP port answers while starting, and is closed last', async () => {
  const seen: number[] = [];
  const { life, sink, ready } = setUp(
    async ({ health, defer, metrics }) => {
      metrics.counter({ name: 'things_total', help: 'Things.' }).inc();
      seen.push((await fetch(`${base()}/ready`)).status);
      defer(async () => void seen.push((await fetch(`${base()}/health`)).status));
      health.set('broker', { ok: true });
    },
    { EMEND_HTTP_PORT: '0' },
  );
  const base = () => `http://127.0.0.1:${sink.lines.find(({ event }) => event === 'http.listening')?.['port']}`;
  const ended = life.run();
  await ready;
  seen.push((await fetch(`${base()}/ready`)).status);
  expect(await (await fetch(`${base()}/metrics`)).text()).toContain('emend_things_total{service="test"} 1');
  life.stop('SIGTERM');
  expect(await ended).toBe(0);
  expect(seen).toEqual([503, 200, 200]);
  await expect(fetch(`${base()}/health`)).rejects.toThrow();
});

test('fields that a service did not declare are dropped and counted in the metrics', async () => {
  let text = '';
  const { life, sink } = setUp(async ({ log, metrics }) => {
    log.info('something.happened', { text: CANARY });
    text = await metrics.text();
    return { running: Promise.resolve() };
  });
  await life.run();
  expect(text).toContain('emend_log_fields_dropped_total{service="test"} 1');
  expect(sink.text()).not.toContain('canary');
});
