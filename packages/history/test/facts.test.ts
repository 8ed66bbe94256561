import { compileContract, type EventOf, observation, OutputContracts, type ThoughtEvent } from '@emend/contracts';
import { FactsSoFar, learnContract, sourceFactOf } from '@emend/history';
import { describe, expect, test } from 'vitest';
import { readStored, runStory } from '../../../test/support/history.js';
import type { Attempt } from '../../../test/support/randomHistory.js';

const run = runStory();
const eventOf = (attempt: Attempt): ThoughtEvent => {
  const { read } = readStored({ ...attempt, sequence: 1 });
  if (read.kind !== 'event') throw new Error(read.kind);
  return read.event;
};
const declared = eventOf(run.contractDeclared) as EventOf<'contractDeclared'>;
const changed = (data: Partial<EventOf<'contractDeclared'>['data']>): EventOf<'contractDeclared'> => ({
  ...declared,
  data: { ...declared.data, ...data },
});

describe('a declared contract', () => {
  test('binds its id and version', () => {
    const contracts = new OutputContracts();
    expect(learnContract(contracts, declared)).toBe('bound');
    expect(contracts.resolve(run.contract.ref).kind).toBe('found');
  });

  test.each([
    ['that does not compile', changed({ definition: { ...declared.data.definition, schema: { type: 'no such type' } } })],
    ['that is not what its hash says', changed({ hash: '0'.repeat(64) })],
  ])('%s binds nothing', (_what, event) => {
    const contracts = new OutputContracts();
    expect(learnContract(contracts, event)).toBe('void');
    expect(contracts.resolve(run.contract.ref).kind).toBe('unknown');
  });

  test('with other content under a bound version changes nothing', () => {
    const contracts = new OutputContracts();
    learnContract(contracts, declared);
    const other = { ...observation, promptDescription: 'Another one.' };
    expect(learnContract(contracts, changed({ definition: other, hash: compileContract(other).ref.hash }))).toBe('void');
    expect(contracts.resolve(run.contract.ref).kind).toBe('found');
  });
});

describe('the facts so far', () => {
  test('know a source by its event id once it was learned, and nothing of its text', () => {
    const facts = new FactsSoFar();
    expect(facts.source(run.idOf.source)).toBeUndefined();
    facts.learn(eventOf(run.source({ privacy: 'sensitive' })));
    expect(facts.source(run.idOf.source)).toEqual({
      eventId: run.idOf.source,
      kind: 'note',
      privacy: 'sensitive',
      sourceClass: 'public-source',
    });
  });

  test('know a contract once it was declared', () => {
    const facts = new FactsSoFar();
    expect(facts.contract(run.contract.ref).kind).toBe('unknown');
    facts.learn(declared);
    expect(facts.contract(run.contract.ref).kind).toBe('found');
    expect(facts.contract({ ...run.contract.ref, hash: '0'.repeat(64) }).kind).toBe('hash_differs');
  });

  test('of a source are exactly these keys', () => {
    expect(Object.keys(sourceFactOf(eventOf(run.source()) as EventOf<'sourceCaptured'>)).sort()).toEqual([
      'eventId',
      'kind',
      'privacy',
      'sourceClass',
    ]);
  });
});
