import { type AgentWritten, declareAgent, encodeEvent, type EventRead, readEvent } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { decideActivation, type Refusal } from '../src/domain/activation.js';
import { readModelMapping } from '../src/domain/modelMapping.js';
import { repairTable, stateOf } from '../src/domain/repairTable.js';
import { admit } from '../src/domain/startPosition.js';
import { repairAgentFor } from './story.js';

const declared = (change: Partial<AgentWritten> = {}, data = repairAgentFor(undefined, change)): EventRead =>
  readEvent(
    encodeEvent({
      name: 'agentDeclared',
      source: 'emend',
      time: '2026-11-30T10:00:00.000Z',
      privacy: 'public',
      sourceClass: 'public-source',
      data,
    }),
  );

const enabled = { enabled: true, escalationModel: 'org/Big-1' };

describe('activation', () => {
  it('is ready with the mapping and an intact declaration', () => {
    expect(decideActivation(enabled, declared())).toMatchObject({ kind: 'ready', model: 'org/Big-1', agent: { id: 'output-repair' } });
  });

  it('needs the log for no more than the declaration', () => {
    expect(decideActivation(enabled, 'not_read')).toEqual({ kind: 'needs_declaration' });
  });

  it.each([
    ['without a mapping', undefined],
    ['with one', 'org/Big-1'],
    ['with one that cannot be read', 'not a model'],
  ])('disabled %s loads (T58, T61)', (_name, escalationModel) => {
    expect(decideActivation({ enabled: false, escalationModel }, 'not_read')).toEqual({ kind: 'disabled' });
  });

  it('what a declaration says of `enabled` is not the host’s decision', () => {
    expect(decideActivation(enabled, declared({ enabled: true })).kind).toBe('ready');
    expect(decideActivation({ ...enabled, enabled: false }, declared({ enabled: true })).kind).toBe('disabled');
  });

  const other = declareAgent({ ...repairAgentFor(), prompt: 'Other.' });
  const cases: readonly (readonly [string, string | undefined, EventRead | null, Refusal])[] = [
    ['no mapping (T60)', undefined, declared(), 'escalation_model_missing'],
    ['a mapping that is none', 'two words', declared(), 'escalation_model_malformed'],
    ['no declaration', 'org/Big-1', null, 'declaration_missing'],
    ['a void declaration', 'org/Big-1', { kind: 'void', code: 'not_json' }, 'declaration_unreadable'],
    ['a declaration from a newer writer', 'org/Big-1', { kind: 'unknown_version' }, 'declaration_unreadable'],
    ['an exchanged prompt', 'org/Big-1', declared({}, { ...repairAgentFor(), prompt: other.prompt }), 'declaration_not_intact'],
    ['a standard role (T55)', 'org/Big-1', declared({ role: 'standard' }), 'declaration_role_not_repair'],
    ['another tier (T56)', 'org/Big-1', declared({ tier: 'primary' }), 'declaration_tier_not_escalation'],
    ['no subscription', 'org/Big-1', declared({ subscriptions: [] }), 'declaration_subscription_differs'],
    [
      'one subscription more (T57)',
      'org/Big-1',
      declared({ subscriptions: ['stream.thought.agent.repair.requested', 'stream.thought.agent.run.ended'] }),
      'declaration_subscription_differs',
    ],
  ];
  it.each(cases)('refuses for %s', (_name, escalationModel, declaration, reason) => {
    expect(decideActivation({ enabled: true, escalationModel }, declaration)).toEqual({ kind: 'refuses', reason });
  });
});

describe('the model mapping', () => {
  it.each(['big', 'org/Name-1.5', 'org/Name:peft:4096', 'tinker://run-1/sampler_weights/000', 'org/Name;tinker://run/sampler_weights/1'])(
    '%s is one',
    (text) => {
      expect(readModelMapping(text)).toBe(text);
    },
  );
  it.each(['', ' ', 'two words', 'org/', '/name', 'tinker://run', 'a;b', 'a;tinker://r/sampler_weights/1;c', 'x'.repeat(129), 'a\nb'])(
    '%j is none',
    (text) => {
      expect(readModelMapping(text)).toBeNull();
    },
  );
});

describe('the four rows', () => {
  const claimed = (claimant: string): EventRead =>
    ({ kind: 'event', event: { name: 'runStarted', data: { claimant } } }) as unknown as EventRead;
  const junk: EventRead = { kind: 'void', code: 'not_json' };

  it.each([
    ['nothing on either place', null, null, 'unseen'],
    ['my claim', claimed('me'), null, 'claimed_by_me'],
    ['another’s claim', claimed('you'), null, 'claimed_by_another'],
    ['a void claim', junk, null, 'claimed_by_another'],
    ['a claim from a newer writer', { kind: 'unknown_version' } as const, null, 'claimed_by_another'],
    ['a settlement beside my claim', claimed('me'), junk, 'settled'],
    ['a settlement without a claim', null, junk, 'settled'],
  ] as const)('%s', (_name, claim, settlement, state) => {
    expect(stateOf({ claim, settlement }, 'me')).toBe(state);
  });

  it('each state has one step, and each step one state', () => {
    expect(repairTable.map(({ state, step }) => `${state} ${step}`)).toEqual([
      'unseen claim',
      'claimed_by_me generate',
      'claimed_by_another abandon',
      'settled nothing',
    ]);
  });
});

describe('the start position', () => {
  it.each([
    [10, 0, 0, 'generate'],
    [10, 10, 0, 'generate'],
    [10, 11, 0, 'leave'],
    [10, 0, 10, 'generate'],
    [10, 0, 11, 'abandon'],
    [10, 11, 11, 'abandon'],
  ] as const)('request %i, start %i, restored up to %i: %s', (sequence, start, abandonBefore, admission) => {
    expect(admit(sequence, { start, abandonBefore })).toBe(admission);
  });
});
