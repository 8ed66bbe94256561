import { type AgentWritten, type EventRead, readEvent } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { type ActivationSettings, decideActivation, type DeclarationRead, type Refusal } from '../src/domain/activation.js';
import { agentDeclared, contractDeclared, noteCaptured, observer } from './scene.js';

const contract = readEvent(contractDeclared);
const declared = (change: Partial<AgentWritten> = {}): EventRead => readEvent(agentDeclared(observer(change)));
const good: DeclarationRead = { declaration: declared(), contract };
const settings: ActivationSettings = {
  agents: ['observer@1'],
  catalogueFile: '/c.yaml',
  playerFile: undefined,
  outputRepairModel: undefined,
};
const sandbox = { kind: 'ready' } as const;
const nothingKnown = { declarations: 'not_read', sandbox: 'not_opened' } as const;

describe('activation', () => {
  it('is ready with declarations, their contracts and a sandbox', () => {
    const facts = { declarations: [good], sandbox };
    expect(decideActivation(settings, facts)).toMatchObject({ kind: 'ready', agents: [{ agent: { id: 'observer' } }] });
  });

  it('asks for one fact after the other, each once those before it allow it', () => {
    expect(decideActivation(settings, nothingKnown)).toEqual({ kind: 'needs_declarations' });
    expect(decideActivation(settings, { ...nothingKnown, declarations: [good] })).toEqual({ kind: 'needs_sandbox' });
  });

  it('without a named declaration is disabled, whatever else stands', () => {
    expect(decideActivation({ ...settings, agents: [], catalogueFile: undefined }, nothingKnown)).toEqual({
      kind: 'disabled',
      reason: 'no_agents',
    });
  });

  it('without a sandbox is unavailable, with the sandbox’s own reason', () => {
    const facts = { declarations: [good], sandbox: { kind: 'unavailable', code: 'bubblewrap_missing' } } as const;
    expect(decideActivation(settings, facts)).toEqual({ kind: 'unavailable', reason: 'bubblewrap_missing' });
  });

  it('without a catalogue refuses before it asks the log', () => {
    expect(decideActivation({ ...settings, catalogueFile: undefined }, nothingKnown)).toEqual({
      kind: 'refuses',
      reason: 'catalogue_missing',
    });
  });

  it('with recordings in place of a catalogue goes on', () => {
    const played = { ...settings, catalogueFile: undefined, playerFile: '/p.jsonl', outputRepairModel: ' ' };
    expect(decideActivation(played, nothingKnown)).toEqual({ kind: 'needs_declarations' });
  });

  it.each([
    ['a catalogue', {}],
    ['a model that repairs', { catalogueFile: undefined, outputRepairModel: 'other' }],
  ])('with recordings beside %s refuses before it asks the log', (_name, change) => {
    const settled = { ...settings, playerFile: '/p.jsonl', ...change };
    expect(decideActivation(settled, nothingKnown)).toEqual({ kind: 'refuses', reason: 'player_and_model' });
  });

  const unlike: readonly [string, DeclarationRead, Refusal][] = [
    ['no declaration', { ...good, declaration: null }, 'declaration_missing'],
    ['another event', { ...good, declaration: readEvent(noteCaptured()) }, 'declaration_unreadable'],
    ['a changed prompt', { ...good, declaration: readEvent(agentDeclared({ ...observer(), prompt: 'Other.' })) }, 'declaration_not_intact'],
    ['role `repair`', { ...good, declaration: declared({ role: 'repair' }) }, 'declaration_role_not_standard'],
    ['no contract', { ...good, contract: null }, 'contract_missing'],
    ['what is no contract', { ...good, contract: readEvent(noteCaptured()) }, 'contract_unusable'],
    [
      'another hash of its contract',
      { ...good, declaration: declared({ contract: { ...observer().contract, hash: 'a'.repeat(64) } }) },
      'contract_unusable',
    ],
  ];
  it.each(unlike)('refuses for %s', (_name, read, reason) => {
    expect(decideActivation(settings, { declarations: [good, read], sandbox })).toEqual({ kind: 'refuses', reason });
  });
});
