import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Health, type HealthServer, type LifeState, createHealth, createMetrics, startHealthServer } from '../src/index.js';

let state: LifeState;
let health: Health;
let server: HealthServer;

beforeEach(async () => {
  state = 'ready';
  health = createHealth(() => state);
  const metrics = createMetrics({ service: 'test' });
  metrics.loop('main').skipped('not_mine');
  server = await startHealthServer({ host: '127.0.0.1', port: 0, health, metrics, about: { service: 'test', version: '1.2.3' } });
});

afterEach(() => server.close());

const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method });

describe('ready', () => {
  test.each<[LifeState, number]>([
    ['idle', 503],
    ['starting', 503],
    ['ready', 200],
    ['draining', 503],
    ['stopped', 503],
  ])('%s: %i', async (at, status) => {
    state = at;
    expect((await ask('/ready')).status).toBe(status);
    expect((await ask('/health')).status).toBe(200);
  });

  test('a component that is not ok makes it unready, with its reason, and alive all the same', async () => {
    health.set('broker', { ok: false, reason: 'disconnected' });
    const answer = await ask('/ready');
    expect([answer.status, await answer.json()]).toEqual([
      503,
      { ready: false, state: 'ready', components: { broker: { ok: false, reason: 'disconnected' } } },
    ]);
    expect((await ask('/health')).status).toBe(200);
    health.set('broker', { ok: true });
    expect((await ask('/ready')).status).toBe(200);
  });
});

test('health says who answers and how the parts are', async () => {
  health.set('broker', { ok: true });
  expect(await (await ask('/health')).json()).toEqual({
    service: 'test',
    version: '1.2.3',
    state: 'ready',
    ready: true,
    components: { broker: { ok: true } },
  });
});

test('a reason that is prose is not told', async () => {
  health.set('broker', { ok: false, reason: 'canary said this' });
  expect(await (await ask('/health')).text()).not.toContain('canary');
});

test('the number of components is bounded', () => {
  const many = Array.from({ length: 33 }, (_, index) => `c${index}`);
  expect(() => {
    for (const name of many) health.set(name, { ok: true });
  }).toThrow(/at most 32/);
});

test('metrics are exposed as text', async () => {
  const answer = await ask('/metrics');
  expect(answer.headers.get('content-type')).toContain('text/plain');
  expect(await answer.text()).toContain('emend_skipped_total{loop="main",reason="not_mine",service="test"} 1');
});

test.each([
  ['GET', '/', 404],
  ['GET', '/healthz', 404],
  ['POST', '/nowhere', 404],
  ['GET', '/constructor', 404],
  ['POST', '/health', 405],
  ['DELETE', '/metrics', 405],
  ['HEAD', '/health', 200],
  ['GET', '/ready?verbose', 200],
])('%s %s: %i', async (method, path, status) => {
  const answer = await ask(path, method);
  expect(answer.status).toBe(status);
  if (status === 405) expect(answer.headers.get('allow')).toBe('GET, HEAD');
});

test('closing does not wait for a connection that is held open', async () => {
  const second = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    health,
    metrics: { contentType: 'text/plain', text: () => new Promise(() => {}) },
    about: { service: 'test' },
  });
  const hanging = fetch(`http://127.0.0.1:${second.port}/metrics`).catch(() => 'cut');
  await fetch(`http://127.0.0.1:${second.port}/health`);
  await second.close();
  expect(await hanging).toBe('cut');
});

test('skip reasons beyond the limit are counted as other', async () => {
  const metrics = createMetrics({ service: 'test' });
  for (let index = 0; index < 70; index += 1) metrics.loop('main').skipped(`reason_${index}`);
  metrics.loop('main').skipped('free text');
  expect(await metrics.text()).toContain('reason="other",service="test"} 7');
});
