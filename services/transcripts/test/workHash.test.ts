import { describe, expect, it } from 'vitest';
import { type WorkFacts, workHash } from '../src/domain/workHash.js';

const facts: WorkFacts = {
  prompts: 'a'.repeat(64),
  stages: { grammar: { budget: 1, profile: 'small', repairProfile: 'large' } },
  models: { small: { provider: 'p', model: 'm-1' }, large: { provider: 'p', model: 'm-2' } },
  replyRepair: 'self',
};

describe('what a claim has as its prompt hash', () => {
  it.each<[string, Partial<WorkFacts>]>([
    ['a prompt', { prompts: 'b'.repeat(64) }],
    ['a budget', { stages: { grammar: { budget: 2, profile: 'small', repairProfile: 'large' } } }],
    ['a profile', { stages: { grammar: { budget: 1, profile: 'large', repairProfile: 'large' } } }],
    ['a repair profile', { stages: { grammar: { budget: 1, profile: 'small', repairProfile: 'small' } } }],
    ['a model behind a profile', { models: { ...facts.models, large: { provider: 'p', model: 'm-3' } } }],
    ['who repairs replies', { replyRepair: null }],
  ])('changes with %s', (_, change) => {
    expect(workHash({ ...facts, ...change })).not.toBe(workHash(facts));
  });

  it('is the same for the same rules, whatever else the catalogue says of a model', () => {
    const models = Object.fromEntries(Object.entries(facts.models).map(([name, one]) => [name, { ...one, baseUrl: 'http://elsewhere' }]));
    expect(workHash({ ...facts, models })).toBe(workHash(facts));
    expect(workHash(facts)).toMatch(/^[0-9a-f]{64}$/);
  });
});
