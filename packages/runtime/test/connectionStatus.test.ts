import { expect, it } from 'vitest';
import { connectionStatus, createHealth, silentLogger } from '../src/index.js';

it('a connection that waits, goes or comes back shows in health; other reports do not', () => {
  const health = createHealth(() => 'ready');
  const { onStatus, connected } = connectionStatus({ log: silentLogger, health });
  const seen = (kind: string): unknown => {
    onStatus({ kind });
    return health.report().components['broker'];
  };
  expect(seen('waiting')).toEqual({ ok: false, reason: 'unreachable' });
  connected();
  expect(seen('ping')).toEqual({ ok: true });
  expect(seen('disconnect')).toEqual({ ok: false, reason: 'disconnected' });
  expect(seen('reconnect')).toEqual({ ok: true });
});
