import { createHealth, createLogger, createMetrics, RefusedToStart } from '@emend/runtime';
import { describe, expect, it } from 'vitest';
import { goesOn, providerWaits, startEvents, startLogFields } from '../src/index.js';

const outcomes = {
  disabled: { ok: true, logs: 'counter.disabled' },
  ready: { ok: true, logs: 'counter.wired' },
  refuses: { ok: false, logs: 'counter.refused' },
  unavailable: { ok: false, logs: 'counter.sandbox_unavailable' },
};

function process() {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    name: 'counter',
    level: 'debug',
    fields: [...startLogFields, 'run'],
    destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const health = createHealth(() => 'ready');
  const metrics = createMetrics({ service: 'counter' });
  return { lines, log, health, metrics, events: startEvents({ log, health }, { service: 'counter', outcomes }) };
}

describe('a start', () => {
  it.each([
    ['needs a fact', { kind: 'needs_sandbox' } as const],
    ['is ready', { kind: 'ready' } as const],
  ])('that %s goes on, and nothing is said', (_name, decided) => {
    const { lines, health, events } = process();
    expect([goesOn(decided, events), lines, health.report().components]).toEqual([true, [], {}]);
  });

  it('that is switched off does not, and is healthy', () => {
    const { lines, health, events } = process();
    expect(goesOn({ kind: 'disabled', reason: 'not_named' }, events)).toBe(false);
    expect(health.report()).toMatchObject({ ready: true, components: { activation: { ok: true, reason: 'not_named' } } });
    expect(lines).toMatchObject([{ event: 'counter.disabled', reason: 'not_named' }]);
  });

  it('that is refused ends the process with its reason', () => {
    const { lines, events } = process();
    expect(() => goesOn({ kind: 'refuses', reason: 'contract_missing' }, events)).toThrow(RefusedToStart);
    expect(lines).toMatchObject([{ event: 'counter.refused', reason: 'contract_missing' }]);
  });

  it('without a sandbox stays up and is not ready, with what the self-test said', () => {
    const { lines, health, events } = process();
    events.sandboxUnavailable({ code: 'canary_escaped', misses: ['a', 'b'], said: 'words' });
    expect(goesOn({ kind: 'unavailable', reason: 'canary_escaped' }, events)).toBe(false);
    expect(health.report()).toMatchObject({ ready: false, components: { sandbox: { ok: false }, activation: { ok: false } } });
    expect(lines).toMatchObject([{ event: 'counter.sandbox_unavailable', code: 'canary_escaped', misses: 'a b', said: 'words' }]);
    expect(lines[0]).not.toHaveProperty('droppedFields');
  });
});

describe('a provider that does not generate', () => {
  it('keeps the process unready until the last holder has ended its wait', async () => {
    const { lines, health, metrics, log } = process();
    const waits = providerWaits({ log, metrics, health }, { lines: 'run', metrics: 'counter', id: 'run' });
    const ready = () => health.report().ready;
    waits.providerAwaited('r1', 'rate_limited', 1_000);
    waits.providerAwaited('r2', 'rate_limited', 1_000);
    waits.providerWaitEnded('r1');
    expect(ready()).toBe(false);
    waits.providerWaitEnded('r2');
    expect(ready()).toBe(true);
    expect(lines.map(({ event, run }) => [event, run])).toEqual([
      ['run.provider_awaited', 'r1'],
      ['run.provider_awaited', 'r2'],
      ['run.provider_wait_ended', 'r1'],
      ['run.provider_wait_ended', 'r2'],
    ]);
    expect(await metrics.text()).toMatch(/emend_counter_provider_waits_total\{[^}]*code="rate_limited"[^}]*\} 2/);
  });
});
