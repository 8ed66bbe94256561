import type { OutputRepairEvent } from '@emend/contracts';
import type { View } from '@emend/log';
import { fixedClock, loadConfig } from '@emend/runtime';
import { describe, expect, it } from 'vitest';
import { quarantineView } from '../src/adapters/quarantineView.js';
import { runTrace } from '../src/adapters/runTrace.js';
import { runnerConfig } from '../src/index.js';

const textBytesMax = 261_120;
const run = 'r'.repeat(22);

/** A bucket with one key's value. */
function bucket() {
  const values = new Map<string, string>();
  const view: Pick<View, 'put'> = {
    put(key, bytes, expectedRevision) {
      if (expectedRevision !== (values.has(key) ? 1 : 0)) return Promise.resolve({ kind: 'conflict' });
      values.set(key, new TextDecoder().decode(bytes));
      return Promise.resolve({ kind: 'put', revision: 1 });
    },
  };
  return { values, view };
}

const lost: string[] = [];
const events = { quarantineLost: (_run: string, code: string) => void lost.push(code), traceLost: () => void lost.push('trace') };

describe('the quarantine', () => {
  it('holds the text of a run, up to its bound, and says what it does not hold', async () => {
    const { values, view } = bucket();
    const quarantine = quarantineView(view, events);
    await quarantine.setAside(run, 'é'.repeat(textBytesMax / 2));
    expect(values.get(run)).toHaveLength(textBytesMax / 2);
    await quarantine.setAside('other', `${'é'.repeat(textBytesMax / 2)}x`);
    expect([...values.keys()]).toEqual([run]);
    expect(lost.splice(0)).toEqual(['too_large']);
  });

  it('holds the text that was first: a run has one', async () => {
    const { values, view } = bucket();
    const quarantine = quarantineView(view, events);
    await quarantine.setAside(run, 'first');
    await quarantine.setAside(run, 'second');
    expect([values.get(run), lost.splice(0)]).toEqual(['first', ['not_stored']]);
  });

  it('that cannot be written hurts no run', async () => {
    const broken = { put: () => Promise.reject(new Error('closed')) };
    await quarantineView(broken, events).setAside(run, 'text');
    const contended = { put: () => Promise.resolve({ kind: 'conflict' } as const) };
    await quarantineView(contended, events).setAside(run, 'text');
    expect(lost.splice(0)).toEqual(['not_stored', 'not_stored']);
  });
});

describe('the run trace', () => {
  const started: OutputRepairEvent = { kind: 'started', invocation: run, run, model: 'm', bytes: 3, issueCodes: ['required'] };

  it('gets each event under its kind, producer and run, in order, and one that is lost is counted', async () => {
    const subjects: string[] = [];
    const store = (subject: string): Promise<void> => {
      subjects.push(subject);
      return subjects.length === 1 ? Promise.reject(new Error('closed')) : Promise.resolve();
    };
    const trace = runTrace({ store }, { producer: 'runner', clock: fixedClock(0), events });
    trace(started);
    trace({ ...started, kind: 'failed', reason: 'call_failed', usage: { promptTokens: null, completionTokens: null } });
    while (subjects.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(subjects).toEqual([`trace.thought.output-repair.started.runner.${run}`, `trace.thought.output-repair.failed.runner.${run}`]);
    expect(lost.splice(0)).toEqual(['trace']);
  });
});

describe('the declarations of a host', () => {
  it.each([
    ['observer@1', ['observer@1']],
    ['observer@1,notes.other@12', ['observer@1', 'notes.other@12']],
    ['', undefined],
  ])('%j', (text, agents) => {
    expect(loadConfig(runnerConfig, { EMEND_RUNNER_AGENTS: text }).agents).toEqual(agents);
  });

  it.each(['observer', 'observer@0', 'observer@1,observer@1', 'observer@1,', 'a b@1'])('%j is refused', (text) => {
    expect(() => loadConfig(runnerConfig, { EMEND_RUNNER_AGENTS: text })).toThrow('EMEND_RUNNER_AGENTS');
  });
});
