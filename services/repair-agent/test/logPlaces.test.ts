import { LogError } from '@emend/log';
import { done } from '@emend/runtime';
import { describe, expect, it } from 'vitest';
import { orLogFault } from '../src/adapters/logFaults.js';
import { logAppender } from '../src/adapters/logPlaces.js';

describe('the log as the agent sees it', () => {
  it.each(['permission_denied', 'stream_missing', 'stream_unfit'] as const)('%s refuses an append for good', async (code) => {
    const appender = logAppender({ append: () => Promise.reject(new LogError(code, 'no')) });
    expect(await appender.append({ id: 'x', subject: 'x', bytes: new Uint8Array(), headers: {} })).toEqual({ kind: 'refused', code });
  });

  it('a fault that is none of the log’s is not hidden', async () => {
    const appender = logAppender({ append: () => Promise.reject(new TypeError('bug')) });
    await expect(appender.append({ id: 'x', subject: 'x', bytes: new Uint8Array(), headers: {} })).rejects.toThrow(TypeError);
  });
});

describe('a question that got no answer', () => {
  it.each([
    ['timeout', { kind: 'retry', afterMs: 5_000, cause: 'timeout' }],
    ['closed', { kind: 'retry', afterMs: 5_000, cause: 'closed' }],
    ['permission_denied', { kind: 'stop', cause: 'permission_denied' }],
    ['stream_missing', { kind: 'stop', cause: 'stream_missing' }],
  ] as const)('%s', async (code, outcome) => {
    expect(await orLogFault(Promise.reject(new LogError(code, 'no answer')))).toEqual(outcome);
  });

  it('an outcome is passed on, and a bug too', async () => {
    expect(await orLogFault(Promise.resolve(done))).toBe(done);
    await expect(orLogFault(Promise.reject(new TypeError('bug')))).rejects.toThrow(TypeError);
  });
});
