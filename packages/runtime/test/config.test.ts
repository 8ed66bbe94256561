import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Config, commonConfig, configTable, flag, loadConfig, oneOf, setting, wholeNumber } from '../src/index.js';

const SECRET = 'canary-5e1c';

const table = {
  slots: setting({ name: 'T_SLOTS', type: wholeNumber({ min: 1, max: 64 }), default: 4, description: 'Messages in hand.' }),
  enabled: setting({ name: 'T_ENABLED', type: flag(), default: false, description: 'On or off.' }),
  mode: setting({ name: 'T_MODE', type: oneOf(['a', 'b']), description: 'Which way.' }),
  key: setting({ name: 'T_KEY', type: z.string().regex(/^k-/).describe('a key').optional(), description: 'For the door.', secret: true }),
} as const;

function problemsOf(env: NodeJS.ProcessEnv): unknown {
  try {
    return loadConfig(table, env);
  } catch (error) {
    expect(`${String(error)} ${JSON.stringify(error)}`).not.toContain('canary');
    return (error as { problems?: unknown }).problems;
  }
}

describe('loading', () => {
  test('values are parsed, and the result is typed', () => {
    const config: Config<typeof table> = loadConfig(table, { T_SLOTS: '8', T_ENABLED: 'true', T_MODE: 'b', T_KEY: 'k-1' });
    const typed: { slots: number; enabled: boolean; mode: 'a' | 'b'; key: string | undefined } = config;
    expect(typed).toEqual({ slots: 8, enabled: true, mode: 'b', key: 'k-1' });
  });

  test('unset and empty take the default', () => {
    expect(loadConfig(table, { T_SLOTS: '', T_MODE: 'a' })).toEqual({ slots: 4, enabled: false, mode: 'a', key: undefined });
  });

  test('every problem is reported at once, with what was expected and never the value', () => {
    expect(problemsOf({ T_SLOTS: SECRET, T_ENABLED: SECRET, T_KEY: SECRET })).toEqual([
      { name: 'T_SLOTS', expected: 'a whole number from 1 to 64' },
      { name: 'T_ENABLED', expected: '`true` or `false`' },
      { name: 'T_MODE', expected: '`a`, `b`' },
      { name: 'T_KEY', expected: 'a key' },
    ]);
  });

  test.each(['0', '65', '1.5', '1e1', ' 8', '0x8', 'NaN', ''.padEnd(20, '9')])('T_SLOTS %o is not a whole number within limits', (text) => {
    expect(problemsOf({ T_SLOTS: text, T_MODE: 'a' })).toHaveLength(1);
  });

  test.each(['1', 'yes', 'TRUE', 'false '])('T_ENABLED %o is not guessed at', (text) => {
    expect(problemsOf({ T_ENABLED: text, T_MODE: 'a' })).toHaveLength(1);
  });

  test('one variable under two keys is refused', () => {
    expect(() => loadConfig({ a: table.mode, b: table.mode }, {})).toThrow(/T_MODE stands twice/);
  });
});

describe('the common settings', () => {
  test('have working defaults', () => {
    expect(loadConfig(commonConfig, {})).toEqual({
      natsUrl: 'nats://127.0.0.1:4222',
      natsCredentials: undefined,
      stream: 'THOUGHT',
      httpHost: '127.0.0.1',
      httpPort: 'off',
      logLevel: 'info',
    });
  });

  test.each([
    ['EMEND_NATS_URL', 'nats://a:4222,tls://b:4222', true],
    ['EMEND_NATS_URL', 'nats://user:pass@a:4222', false],
    ['EMEND_NATS_URL', 'http://a', false],
    ['EMEND_STREAM', 'THOUGHT.X', false],
    ['EMEND_HTTP_PORT', 'off', true],
    ['EMEND_HTTP_PORT', '0', true],
    ['EMEND_HTTP_PORT', '8080', true],
    ['EMEND_HTTP_PORT', '65536', false],
    ['EMEND_LOG_LEVEL', 'loud', false],
  ])('%s=%s is accepted: %s', (name, text, accepted) => {
    const load = () => loadConfig(commonConfig, { [name]: text });
    if (accepted) expect(load).not.toThrow();
    else expect(load).toThrow(expect.objectContaining({ code: 'config_invalid' }));
  });
});

test('the table for a README', () => {
  const withPipe = {
    ...table,
    token: setting({ name: 'T_TOKEN', type: z.string(), default: SECRET, description: 'A | B.', secret: true }),
  };
  expect(configTable(withPipe).split('\n')).toEqual([
    '| variable | value | default | meaning |',
    '| --- | --- | --- | --- |',
    '| `T_SLOTS` | a whole number from 1 to 64 | `4` | Messages in hand. |',
    '| `T_ENABLED` | `true` or `false` | `false` | On or off. |',
    '| `T_MODE` | `a`, `b` | required | Which way. |',
    '| `T_KEY` | a key | none | For the door. Secret. |',
    '| `T_TOKEN` | a valid value | set | A \\| B. Secret. |',
  ]);
});
