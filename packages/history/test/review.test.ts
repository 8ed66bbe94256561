import { compileContract, type JsonValue, observation, outputDepthMax } from '@emend/contracts';
import { isContested, reviewRowOf, reviewRowText, selectEffective, effectiveRowText } from '@emend/history';
import { describe, expect, test } from 'vitest';
import { observed, runStory } from '../../../test/support/history.js';
import { type Attempt, secondPolicy } from '../../../test/support/randomHistory.js';
import { dossierOf } from './folding.js';

const run = runStory();
const second = runStory({ policy: secondPolicy });
const twice = [...run.repaired(), second.request(), second.claim(), second.proposal(observed('other'))];
const on = (authority: string, target: Parameters<typeof run.chain>[1] = run.proposed) => run.chain(authority, target);
const stateOf = (...events: readonly Attempt[]) => {
  const row = reviewRowOf(dossierOf(run.run, ...events));
  return row === null ? null : 'closed' in row ? 'closed' : row.state;
};

describe('the review queue', () => {
  const cases: readonly (readonly [string, readonly Attempt[], string | null])[] = [
    ['a run with a valid output never needs review', run.answered(), null],
    ['a failure without a proposal does not either', [...run.declared, run.started(), run.failed()], null],
    ['a proposal awaits its first judgment', run.repaired(), 'awaiting'],
    ['an accept closes it', [...run.repaired(), on('anna').accept()], 'closed'],
    ['a correct closes it', [...run.repaired(), on('anna').correct(observed('better'))], 'closed'],
    ['a reject closes it', [...run.repaired(), on('anna').reject()], 'closed'],
    [
      'an accept beside a reject of another authority is contested',
      [...run.repaired(), on('anna').accept(), on('ben').reject()],
      'contested',
    ],
    [
      'a correct beside a reject is contested',
      [...run.repaired(), on('anna').correct(observed('better')), on('ben').reject()],
      'contested',
    ],
    [
      'one authority that stands behind one proposal and rejects the other contests nothing',
      [...twice, on('anna').accept(), on('anna', second.proposed).reject()],
      'closed',
    ],
    ['a second proposal awaits its judgment where the first is rejected', [...twice, on('anna').reject()], 'awaiting'],
    ['a second proposal awaits nothing where somebody stands behind the first', [...twice, on('anna').accept()], 'closed'],
    ['two rejected proposals are closed', [...twice, on('anna').reject(), on('ben', second.proposed).reject()], 'closed'],
  ];

  test.each(cases)('%s', (_rule, events, state) => {
    expect(stateOf(...events)).toBe(state);
  });

  test('a retraction opens it again', () => {
    const anna = on('anna');
    expect(stateOf(...run.repaired(), anna.accept(), anna.retract())).toBe('awaiting');
  });

  test('a reject that supersedes the accept of the same authority settles the contest', () => {
    const anna = on('anna');
    expect(stateOf(...run.repaired(), anna.accept(), on('ben').reject(), anna.reject())).toBe('closed');
  });

  test('a proposal is contested only where both stand on it', () => {
    const dossier = dossierOf(run.run, ...twice, on('anna').accept(), on('ben', second.proposed).reject());
    expect([isContested(dossier, run.idOf.settlement), isContested(dossier, second.idOf.settlement)]).toEqual([false, false]);
  });
});

test('a review item shows the proposals, the judgments and why the run failed, and exactly that', () => {
  const accept = on('anna').accept();
  const reject = on('ben').reject();
  expect(reviewRowOf(dossierOf(run.run, ...run.repaired(), accept, reject))).toEqual({
    run: run.run,
    producer: 'notes',
    state: 'contested',
    contract: run.contract.ref,
    privacy: 'public',
    failure: { class: 'contract_violation', issues: [{ code: 'required', path: '/summary' }] },
    proposals: [{ id: run.idOf.settlement, policy: run.policy, output: observed('proposed') }],
    judgments: [
      { id: accept.id, authority: 'anna', verdict: 'accept', target: run.idOf.settlement },
      { id: reject.id, authority: 'ben', verdict: 'reject', target: run.idOf.settlement },
    ].sort((a, b) => (a.id < b.id ? -1 : 1)),
  });
});

test('a review item is as private as the source, which its proposals may quote', () => {
  const [contract, agent, policy, , ...rest] = run.repaired();
  const events = [contract, agent, policy, run.source({ privacy: 'sensitive' }), ...rest] as readonly Attempt[];
  expect(reviewRowOf(dossierOf(run.run, ...events))).toMatchObject({ privacy: 'sensitive' });
});

test('an output as deep as a contract lets through fits every row', () => {
  const anything = { ...observation, id: 'example.anything', schema: { type: 'array' } as const };
  const deep = JSON.parse(`${'['.repeat(outputDepthMax)}${']'.repeat(outputDepthMax)}`) as JsonValue;
  const story = runStory({ contract: anything });
  expect(compileContract(anything).check(deep).kind).toBe('valid');
  const dossier = dossierOf(story.run, ...story.repaired(deep));
  const [review, effective] = [reviewRowOf(dossier), selectEffective(dossierOf(story.run, ...story.answered(deep)))];
  expect(review && reviewRowText(review)).toContain('[[[');
  expect(effective && effectiveRowText(effective)).toContain('[[[');
});
