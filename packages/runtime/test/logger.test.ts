import { describe, expect, test } from 'vitest';
import { type LogFields, LOG_TEXT_MAX_CHARS, createLogger, describeError } from '../src/index.js';
import { fakeLogSink } from './fakeDeliveries.js';

const CANARY = 'canary-9d2b';

function setUp(level: 'debug' | 'info' = 'info') {
  const sink = fakeLogSink();
  let dropped = 0;
  const log = createLogger({
    name: 'test',
    fields: ['run'],
    level,
    destination: sink.destination,
    onDropped: (count) => {
      dropped += count;
    },
  });
  return { log, sink, dropped: () => dropped };
}

describe('the allow-list', () => {
  test('allowed fields are written, with the service and the event', () => {
    const { log, sink } = setUp();
    log.info('request.stored', { run: 'r1', deliveries: 2 });
    expect(sink.lines).toEqual([
      { level: 'info', time: expect.any(String), service: 'test', event: 'request.stored', run: 'r1', deliveries: 2 },
    ]);
  });

  const refused: [string, Record<string, unknown>][] = [
    ['an unknown name', { text: CANARY }],
    ['a name that is payload', { [CANARY]: 1 }],
    ['an object under an allowed name', { run: { text: CANARY } }],
    ['an array under an allowed name', { run: [CANARY] }],
    ['an error under an allowed name', { error: new Error(CANARY) }],
    ["pino's own error key", { err: new Error(CANARY) }],
    ['a function', { run: () => CANARY }],
  ];
  test.each(refused)('%s is dropped and counted', (_, fields) => {
    const { log, sink, dropped } = setUp();
    log.error('something.happened', fields as LogFields);
    log.child(fields as LogFields).error('something.happened');
    expect(sink.text()).not.toContain('canary');
    expect(sink.lines.map((line) => line['droppedFields'])).toEqual([1, 1]);
    expect(dropped()).toBe(2);
  });

  test('an event name that is not shaped like a code is replaced', () => {
    const { log, sink } = setUp();
    log.info(`model said ${CANARY}`);
    expect(sink.events()).toEqual(['event_name_refused']);
  });

  test('absent is not dropped', () => {
    const { log, dropped } = setUp();
    log.info('request.stored', { run: undefined, text: undefined });
    expect(dropped()).toBe(0);
  });
});

test('strings are cut', () => {
  const { log, sink } = setUp();
  log.info('request.stored', { run: 'x'.repeat(1_000) });
  expect(sink.lines[0]?.['run']).toBe('x'.repeat(LOG_TEXT_MAX_CHARS));
});

test('below the level nothing is written', () => {
  const { log, sink } = setUp();
  log.debug('request.seen');
  expect(sink.lines).toEqual([]);
  const verbose = setUp('debug');
  verbose.log.debug('request.seen');
  expect(verbose.sink.events()).toEqual(['request.seen']);
});

describe('the facts of an error', () => {
  class Coded extends Error {
    override readonly name = 'Coded';
    readonly code = 'some_code';
  }
  const at = expect.stringMatching(/^logger\.test\.ts:\d+:\d+$/);
  const rows: [string, unknown, object][] = [
    ['class, code and place', new Coded(CANARY), { error: 'Coded', code: 'some_code', at }],
    ['no message: no matter', new TypeError(), { error: 'TypeError', at }],
    ['a message that imitates a frame', new Error(`x\n    at f (/a/${CANARY}.ts:1:1)`), { error: 'Error', at }],
    ['a code that is payload', Object.assign(new Error('x'), { code: `${CANARY} text` }), { error: 'Error', code: 'unsafe_code', at }],
    ['a name that is payload', Object.assign(new Error('x'), { name: `${CANARY} text` }), { error: 'Error', at }],
    ['a stack that was replaced', Object.assign(new Error('x'), { stack: CANARY }), { error: 'Error' }],
    ['a thrown string', CANARY, { error: 'NonError' }],
    ['nothing', undefined, { error: 'NonError' }],
  ];
  test.each(rows)('%s', (_, error, facts) => {
    expect(describeError(error)).toEqual(facts);
    expect(JSON.stringify(describeError(error))).not.toContain('canary');
  });

  test('a parser that quotes its input is not quoted', () => {
    const facts = JSON.stringify(describeError(errorOf(() => JSON.parse(`{"${CANARY}"`))));
    expect(facts).not.toContain('canary');
    expect(facts).toContain('SyntaxError');
  });
});

function errorOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
