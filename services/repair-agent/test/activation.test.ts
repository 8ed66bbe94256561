import { type AgentWritten, declareAgent, encodeEvent, type EventRead, readEvent } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { namesEndpoint } from '../src/config.js';
import { type ActivationSettings, decideActivation, type Refusal } from '../src/domain/activation.js';
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

const enabled: ActivationSettings = {
  enabled: true,
  escalationModel: 'org/Big-1',
  catalogueFile: undefined,
  playerFile: undefined,
  namesEndpoint: false,
};
const sandbox = { kind: 'ready' } as const;
const nothingKnown = { declaration: 'not_read', sandbox: 'not_opened' } as const;

describe('activation', () => {
  it('is ready with the mapping, an intact declaration and a sandbox', () => {
    const activation = decideActivation(enabled, { declaration: declared(), sandbox });
    expect(activation).toMatchObject({ kind: 'ready', model: 'org/Big-1', agent: { id: 'output-repair' } });
  });

  it('asks for one fact after the other, each once those before it allow it', () => {
    expect(decideActivation(enabled, nothingKnown)).toEqual({ kind: 'needs_declaration' });
    expect(decideActivation(enabled, { ...nothingKnown, declaration: declared() })).toEqual({ kind: 'needs_sandbox' });
  });

  it.each([
    ['without a mapping', undefined, 'escalation_model_missing'],
    ['with one', 'org/Big-1', 'not_enabled'],
    ['with one that cannot be read', 'not a model', 'not_enabled'],
  ])('disabled %s loads (T58, T61)', (_name, escalationModel, reason) => {
    expect(decideActivation({ ...enabled, enabled: false, escalationModel }, nothingKnown)).toEqual({ kind: 'disabled', reason });
  });

  it('disabled it is, whatever else stands', () => {
    const unavailable = { kind: 'unavailable', code: 'canary_silent' } as const;
    const settings = { ...enabled, enabled: false, catalogueFile: '/c.yaml', namesEndpoint: true };
    expect(decideActivation(settings, { declaration: null, sandbox: unavailable }).kind).toBe('disabled');
  });

  it('without a sandbox is unavailable, with the sandbox’s own reason', () => {
    const facts = { declaration: declared(), sandbox: { kind: 'unavailable', code: 'bubblewrap_missing' } } as const;
    expect(decideActivation(enabled, facts)).toEqual({ kind: 'unavailable', reason: 'bubblewrap_missing' });
    expect(decideActivation(enabled, { ...facts, declaration: null })).toEqual({ kind: 'refuses', reason: 'declaration_missing' });
  });

  it('refuses a catalogue file beside a setting of the endpoint, before it asks the log', () => {
    const catalogueFile = '/c.yaml';
    expect(decideActivation({ ...enabled, catalogueFile }, nothingKnown)).toEqual({ kind: 'needs_declaration' });
    expect(decideActivation({ ...enabled, namesEndpoint: true }, nothingKnown)).toEqual({ kind: 'needs_declaration' });
    expect(decideActivation({ ...enabled, catalogueFile, namesEndpoint: true }, nothingKnown)).toEqual({
      kind: 'refuses',
      reason: 'catalogue_and_endpoint',
    });
  });

  it('refuses recordings beside a catalogue file or a setting of the endpoint, before it asks the log', () => {
    const played = { ...enabled, playerFile: '/p.jsonl' };
    expect(decideActivation(played, nothingKnown)).toEqual({ kind: 'needs_declaration' });
    for (const beside of [{ catalogueFile: '/c.yaml' }, { namesEndpoint: true }]) {
      expect(decideActivation({ ...played, ...beside }, nothingKnown)).toEqual({ kind: 'refuses', reason: 'player_and_model' });
    }
  });

  it('what a declaration says of `enabled` is not the host’s decision', () => {
    const facts = { declaration: declared({ enabled: true }), sandbox };
    expect(decideActivation(enabled, facts).kind).toBe('ready');
    expect(decideActivation({ ...enabled, enabled: false }, facts).kind).toBe('disabled');
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
    expect(decideActivation({ ...enabled, escalationModel }, { declaration, sandbox })).toEqual({ kind: 'refuses', reason });
  });
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

describe('the settings of the endpoint', () => {
  it.each(['EMEND_REPAIR_ENDPOINT', 'EMEND_REPAIR_PROVIDER', 'EMEND_REPAIR_API_KEY_FILE', 'EMEND_REPAIR_STRUCTURED_OUTPUT'])(
    '%s is one, where it is named',
    (name) => {
      expect(namesEndpoint({ [name]: 'x' })).toBe(true);
      expect(namesEndpoint({ [name]: '', EMEND_REPAIR_SLOTS: '2' })).toBe(false);
    },
  );
});
