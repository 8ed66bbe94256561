import { parseArgs } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { ConfigError, guardIds, loadConfig, processConfig, RefusedToStart, runCommand, runProgram, WrongUse } from '../src/index.js';

const CANARY = 'canary-5d1c payload text';

class OwnError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** A command that ends with this error, and what it tells. */
async function ended(error: unknown) {
  const lines: string[] = [];
  const exitCode = await runCommand({
    program: 'emend-test',
    usage: '[serve | count N]',
    ownErrors: [OwnError],
    codes: { views_missing: 'A bucket does not exist.' },
    tell: (line) => void lines.push(line),
    work: () => Promise.reject(error),
  });
  return { exitCode, lines };
}

const thrownBy = (run: () => unknown): unknown => {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

describe('a command', () => {
  test('has the exit code of its work, and says nothing of it', async () => {
    const lines: string[] = [];
    const command = { program: 'emend-test', usage: '', tell: (line: string) => void lines.push(line), work: async () => 4 };
    expect([await runCommand(command), lines]).toEqual([4, []]);
  });

  test('whose configuration cannot be used ends with 2 and every problem, and no value', async () => {
    const env = { EMEND_HTTP_PORT: CANARY, EMEND_LOG_LEVEL: CANARY };
    const { exitCode, lines } = await ended(thrownBy(() => loadConfig(processConfig, env)));
    expect(exitCode).toBe(2);
    expect(lines).toEqual([
      expect.stringMatching(/^emend-test: config_invalid/),
      '  EMEND_HTTP_PORT: expected `off`, a port, or `0` for a free port',
      '  EMEND_LOG_LEVEL: expected `debug`, `info`, `warn`, `error`, `silent`',
    ]);
    expect(lines.join()).not.toContain('canary');
    expect((await ended(new ConfigError([{ name: 'X', expected: 'y' }]))).lines).toEqual(['emend-test: config_invalid', '  X: expected y']);
  });

  test.each([
    ['an unknown option', () => parseArgs({ args: ['--nonsense'], options: {} })],
    ['a word too many', () => parseArgs({ args: ['nonsense'], options: {} })],
    ['an option without its value', () => parseArgs({ args: ['--out'], options: { out: { type: 'string' } } })],
  ])('with %s ends with 2 and the usage', async (_what, parse) => {
    expect(await ended(thrownBy(parse))).toEqual({ exitCode: 2, lines: ['usage: emend-test [serve | count N]'] });
  });

  test('with words of its own that are wrong ends with 2 and the usage, its own where it has one', async () => {
    expect(await ended(new WrongUse())).toEqual({ exitCode: 2, lines: ['usage: emend-test [serve | count N]'] });
    expect(await ended(new WrongUse('count 1|2'))).toEqual({ exitCode: 2, lines: ['usage: emend-test count 1|2'] });
  });

  test.each([
    ['views_missing', 'emend-test: views_missing: A bucket does not exist.'],
    ['other', 'emend-test: other'],
  ])('that refuses ends with 3, its code and what that means: %s', async (code, line) => {
    expect(await ended(new RefusedToStart(code))).toEqual({ exitCode: 3, lines: [line] });
  });

  test.each([
    [new OwnError('not_connected', 'no broker answers at a:1'), 'emend-test: not_connected: no broker answers at a:1'],
    [new OwnError('disk_full', 'disk_full: the disk is full'), 'emend-test: disk_full: the disk is full'],
    [Object.assign(new Error(CANARY), { code: 'ENOENT' }), 'emend-test: ENOENT'],
    [Object.assign(new Error(CANARY), { code: 'toString' }), 'emend-test: toString'],
    [new SyntaxError(CANARY), 'emend-test: SyntaxError'],
    [CANARY, 'emend-test: NonError'],
  ])('that fails ends with 1 and its code, with the message of its own errors alone (%#)', async (error, line) => {
    expect(await ended(error)).toEqual({ exitCode: 1, lines: [line] });
  });
});

describe('a program', () => {
  afterEach(() => {
    process.exitCode = undefined;
  });

  /** What the program did with these words. */
  async function calledWith(...args: string[]) {
    const done: string[] = [];
    const lines: string[] = [];
    await runProgram(
      {
        program: 'emend-test',
        usage: '[serve | count N]',
        tell: (line) => void lines.push(line),
        serve: async () => void done.push('serve'),
        commands: { count: async (words) => (done.push(`count ${words.join(' ')}`), 4) },
      },
      args,
    );
    return { done, lines, exitCode: process.exitCode };
  }

  test('serves without a word, and with that word', async () => {
    expect(await calledWith()).toEqual({ done: ['serve'], lines: [], exitCode: 0 });
    expect(await calledWith('serve')).toEqual({ done: ['serve'], lines: [], exitCode: 0 });
  });

  test('hands the other words to its command', async () =>
    expect(await calledWith('count', '1', '--json')).toEqual({ done: ['count 1 --json'], lines: [], exitCode: 4 }));

  test.each([['nonsense'], ['--help'], ['serve', 'twice'], ['toString'], ['']])(
    'called with %j does nothing and says its usage',
    async (...args) => expect(await calledWith(...args)).toEqual({ done: [], lines: ['usage: emend-test [serve | count N]'], exitCode: 2 }),
  );
});

describe('an id that begins with a dash', () => {
  const id = `-${'Ab3_-'.repeat(4)}z`;
  const parsed = (args: readonly string[]) => {
    const options = { why: { type: 'string' }, out: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args: guardIds(args, ['why']), options, allowPositionals: true });
    return { ...values, positionals };
  };

  test.each([
    [[id], { positionals: [id] }],
    [[id, '--json'], { json: true, positionals: [id] }],
    [['--json', id], { json: true, positionals: [id] }],
    [['--why', id], { why: id, positionals: [] }],
    [['--why', id, '--json'], { why: id, json: true, positionals: [] }],
    [[`--why=${id}`], { why: id, positionals: [] }],
    [['--', id], { positionals: [id] }],
    [['--json', '--', id, 'more'], { json: true, positionals: [id, 'more'] }],
    [['plain', '--out', 'dir'], { out: 'dir', positionals: ['plain'] }],
  ])('is an id in %j', (args, expected) => {
    expect(id).toHaveLength(22);
    expect(parsed(args)).toEqual(expected);
  });

  test('and what is no id stays an option', () => {
    expect(() => parsed(['-abc'])).toThrow(expect.objectContaining({ code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' }));
    expect(guardIds(['--json', 'x'])).toEqual(['--json', 'x']);
  });
});
