import { createHealth, createLogger } from '@emend/runtime';
import { ModelError } from '@emend/model';
import { describe, expect, it } from 'vitest';
import { type Activation, outcomes } from '../src/domain/activation.js';
import { repairAgentLogFields } from '../src/events.js';
import { startEvents } from '@emend/runs';
import { repairAgentFor } from './story.js';

function starting() {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({
    name: 'repair-agent',
    level: 'debug',
    fields: repairAgentLogFields,
    destination: { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
  });
  const health = createHealth(() => 'ready');
  return { lines, health, events: startEvents({ log, health }, { service: 'repair_agent', outcomes }) };
}

describe('each outcome of an activation is on /health with its reason', () => {
  const activations: readonly (readonly [Activation, string, boolean])[] = [
    [{ kind: 'disabled', reason: 'not_enabled' }, 'not_enabled', true],
    [{ kind: 'disabled', reason: 'escalation_model_missing' }, 'escalation_model_missing', true],
    [{ kind: 'ready', agent: repairAgentFor(), model: 'm' }, 'ready', true],
    [{ kind: 'refuses', reason: 'declaration_missing' }, 'declaration_missing', false],
    [{ kind: 'unavailable', reason: 'canary_silent' }, 'canary_silent', false],
  ];
  it.each(activations)('%j', (activation, reason, ok) => {
    const { health, events } = starting();
    events.activation(activation);
    expect(health.report()).toMatchObject({ ready: ok, components: { activation: { ok, reason } } });
  });

  it.each([[{ kind: 'disabled', reason: 'not_enabled' }], [{ kind: 'refuses', reason: 'declaration_missing' }]] as const)(
    'and in the log, where nothing else says it: %j',
    (activation) => {
      const { lines, events } = starting();
      events.activation(activation);
      expect(lines).toMatchObject([{ event: outcomes[activation.kind].logs, reason: activation.reason }]);
    },
  );

  it('a missing sandbox is a component and a line of its own, with what the self-test said', () => {
    const { lines, health, events } = starting();
    events.sandboxUnavailable({ code: 'canary_escaped', misses: ['a', 'b'], said: 'words' });
    expect(health.report().components).toEqual({ sandbox: { ok: false, reason: 'canary_escaped' } });
    expect(lines).toMatchObject([{ event: outcomes.unavailable.logs, code: 'canary_escaped', misses: 'a b', said: 'words' }]);
  });
});

it('a host that names no model is told the place and what was expected', () => {
  const { lines, events } = starting();
  events.modelRefused(new ModelError('catalogue_invalid', 'tiers.escalation.model', 'a model'));
  expect(lines).toMatchObject([
    { event: 'repair_agent.model_refused', code: 'catalogue_invalid', place: 'tiers.escalation.model', expected: 'a model' },
  ]);
  expect(lines[0]).not.toHaveProperty('droppedFields');
});
