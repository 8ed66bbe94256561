import { describe, expect, it } from 'vitest';
import {
  chainIdOf,
  decoderVersion,
  issuePathMax,
  issuesMax,
  observation,
  outputRepairPolicy,
  type PolicyDefinition,
  policyIdentityOf,
  policyTokenOf,
  readPolicyDefinition,
  repairableClasses,
  repairRunIdOf,
  runIdOf,
  sanitizerVersion,
  semanticRulesOf,
} from '../src/index.js';

/** One change for every field that a policy has. */
const changes: { readonly [Field in keyof PolicyDefinition]: PolicyDefinition[Field] } = {
  id: 'other',
  version: 2,
  contracts: [],
  classes: ['invalid_json'],
  ruleIds: [],
  limits: { issuesMax: 1, issuePathMax },
  decoder: 'strict-json@2',
  sanitizer: 'sanitizer@2',
};

describe('the policy that ships (T8)', () => {
  it('repairs observations only, in the three classes, by the decoder and sanitizer in use', () => {
    expect(outputRepairPolicy).toMatchObject({
      id: 'stream.thought.agent.output-repair',
      version: 1,
      contracts: [{ id: observation.id, version: 1 }],
      classes: [...repairableClasses],
      limits: { issuesMax, issuePathMax },
      decoder: decoderVersion,
      sanitizer: sanitizerVersion,
    });
    expect(readPolicyDefinition(outputRepairPolicy)).toEqual(outputRepairPolicy);
  });

  it('allow-lists only rules that exist', () => {
    const known = semanticRulesOf(observation.id).map(({ id }) => id);
    for (const id of outputRepairPolicy.ruleIds) expect(known).toContain(id);
  });
});

describe('policy identity (T9)', () => {
  it.each(Object.entries(changes))('another %s is another identity and another key', (field, value) => {
    const changed = policyIdentityOf({ ...outputRepairPolicy, [field]: value });
    expect(changed).not.toEqual(policyIdentityOf(outputRepairPolicy));
    expect(policyTokenOf(changed)).not.toBe(policyTokenOf(policyIdentityOf(outputRepairPolicy)));
  });

  it('the order of keys changes nothing', () => {
    const turned = Object.fromEntries(Object.entries(outputRepairPolicy).reverse()) as unknown as PolicyDefinition;
    expect(policyIdentityOf(turned)).toEqual(policyIdentityOf(outputRepairPolicy));
  });
});

describe('a written policy', () => {
  it.each([
    ['no object', null],
    ['nothing said', {}],
    ['a field that it does not have', { ...outputRepairPolicy, retries: 3 }],
    ['a class that is never repaired', { ...outputRepairPolicy, classes: ['truncated'] }],
    ['a rule id that is none', { ...outputRepairPolicy, ruleIds: ['Any Rule'] }],
    ['version 0', { ...outputRepairPolicy, version: 0 }],
    ['an id with an empty token', { ...outputRepairPolicy, id: 'a..b' }],
    ['more issues than a diagnostic has', { ...outputRepairPolicy, limits: { issuesMax: issuesMax + 1, issuePathMax } }],
    ['a contract by id alone', { ...outputRepairPolicy, contracts: [{ id: observation.id }] }],
  ])('with %s is refused', (_, written) => {
    expect(() => readPolicyDefinition(written)).toThrow('policy_definition_invalid');
  });
});

it('ids derive from every part that they are derived from', () => {
  const token = repairRunIdOf('a');
  expect(token).toBe(runIdOf({ producer: 'repair-agent', reference: 'a' }));
  expect(repairRunIdOf('b')).not.toBe(token);
  expect(chainIdOf({ authority: 'a', target: 'b' })).not.toBe(chainIdOf({ authority: 'ab', target: '' }));
  expect(chainIdOf({ authority: 'a', target: 'b' })).not.toBe(chainIdOf({ authority: 'b', target: 'a' }));
});
