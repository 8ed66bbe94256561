import { type JsonValue, type RecordJudgmentInput, type RetractJudgmentInput, outputRepairPolicy } from '@emend/contracts';
import { describe, expect, test } from 'vitest';
import { garbageOn, observed, runStory, unfit } from '../../../test/support/history.js';
import { rules } from '../src/domain/rules.js';
import { codesOf, decided, type Events, pointers, preferOf, recordOf, retractOf } from './commands.js';

const story = runStory();
const other = runStory({ reference: 'run-2' });
const second = runStory({ policy: { ...outputRepairPolicy, id: 'example.other-repair' } });
const at = pointers(story);
const elsewhere = pointers(second);
const ofOther = pointers(other);

type Body = RecordJudgmentInput | RetractJudgmentInput;

/** A failed run with a proposal, and a run with a valid output: from these, one thing is changed. */
const repaired: Events = [...story.repaired()];
const answered: Events = [...story.answered()];
const twice: Events = [...repaired, second.request(), second.claim(), second.proposal(observed('second'))];

const accept = recordOf(story, { target: at.proposal, verdict: 'accept' });
const correct = recordOf(story, { target: at.proposal, verdict: 'correct', replacementOutput: observed('better') as never });
const direct = recordOf(story, { target: at.output, verdict: 'correct', replacementOutput: observed('better') as never });

const anna = story.chain('anna', story.proposed);
const j1 = anna.accept();
const j2 = anna.correct(observed('mine'));
const taken = story.chain('anna', story.proposed);
const retraction = (taken.accept(), taken.retract());
const retracted: Events = [...repaired, j1, retraction];
const ben = story.chain('ben', story.proposed).accept();
const ownElsewhere = second.chain('anna', second.proposed).accept();
const unreadable = garbageOn(j2.subject);

describe('the controls', () => {
  test.each<[string, Events, Body]>([
    ['accept of a proposal', repaired, accept],
    ['reject of a proposal', repaired, { ...accept, verdict: 'reject' }],
    ['correct of a proposal', repaired, correct],
    ['correct of a valid output', answered, direct],
    ['accept of a valid output, which changes nothing that is effective (T117)', answered, { ...accept, target: at.output }],
    ['prefer between two proposals', twice, preferOf(story, at.proposal, elsewhere.proposal)],
    ['a judgment that supersedes its own', [...repaired, j1], { ...accept, supersedes: j1.id }],
    ['a judgment after a retraction, which names none', retracted, accept],
    ['a judgment beside another authority', [...repaired, ben], accept],
    ['a judgment after a void one, which names the last valid one', [...repaired, j1, unreadable], { ...accept, supersedes: j1.id }],
    ['a retraction', [...repaired, j1], retractOf(story, { target: at.proposal, retracts: j1.id })],
  ])('%s is recorded', (_title, events, body) => {
    expect(codesOf(decided(story, events, body))).toEqual(['record']);
  });
});

const rows: readonly [string, string, Events, Body, readonly string[]][] = [
  [
    'J1',
    'the same action with another verdict',
    [...repaired, j1],
    { ...accept, verdict: 'reject', action: 'anna-1', supersedes: j1.id },
    ['action_conflict'],
  ],
  ['J2', 'nothing of the run', [], accept, ['run_unknown']],
  ['J2', 'no end', [...story.declared, story.started()], accept, ['run_not_ended']],
  ['J2', 'an end that is no event', [...story.declared, story.started(), garbageOn(story.failed().subject)], accept, ['run_void']],
  ['J2', 'an output that its contract refuses', [...story.answered(unfit)], direct, ['run_void']],
  ['J2', 'an erased end', [...story.declared, story.started(), story.erased(story.failed().subject)], accept, ['run_erased']],
  ['J2', "another producer's events of this run", [...story.declared, ...foreign()], { ...accept, producer: 'others' }, ['run_void']],
  ['J2', 'an erased start', [...story.declared, story.erased(story.started().subject), story.failed()], accept, ['run_erased']],
  [
    'J3',
    "another run's output (F34)",
    [...answered, ...other.answered().slice(3)],
    { ...direct, target: ofOther.output },
    ['target_mismatch'],
  ],
  ['J3', 'an id that was made up (F34)', answered, { ...direct, target: { kind: 'output', id: 'A'.repeat(22) } }, ['target_mismatch']],
  ['J3', "the start's id", answered, { ...direct, target: { kind: 'output', id: story.idOf.started } }, ['target_mismatch']],
  ['J3', 'a failed run, which has no output to correct', repaired, direct, ['run_has_no_output']],
  ['J3', "another policy's id", twice, { ...accept, target: { ...at.proposal, policy: second.policy } }, ['target_mismatch']],
  ['J3', 'a proposal that is not there', repaired.slice(0, -1), accept, ['target_unknown']],
  ['J3', 'a proposal that its contract refuses', [...story.repaired(unfit)], accept, ['target_not_valid']],
  ['J3', 'a repair that failed', [...repaired.slice(0, -1), story.repairFailed()], accept, ['target_not_valid']],
  ['J3', 'an erased proposal', [...repaired.slice(0, -1), story.erased(story.proposal().subject)], accept, ['target_not_valid']],
  ['J4', 'an accept of a run', repaired, { ...accept, target: at.run }, ['verdict_target_mismatch']],
  [
    'J4',
    'a prefer of a proposal',
    twice,
    { ...preferOf(story, at.proposal, elsewhere.proposal), target: at.proposal },
    ['verdict_target_mismatch'],
  ],
  ['J5', 'a correct without a replacement', repaired, { ...accept, verdict: 'correct' }, ['replacement_missing']],
  ['J5', 'an accept with a replacement', repaired, { ...accept, replacementOutput: observed('x') as never }, ['replacement_unexpected']],
  ['J5', 'a prefer without its outputs', twice, recordOf(story, { target: at.run, verdict: 'prefer' }), ['prefer_missing']],
  [
    'J5',
    'an accept with outputs to prefer',
    twice,
    { ...preferOf(story, at.proposal, elsewhere.proposal), verdict: 'accept', target: at.proposal },
    ['prefer_unexpected'],
  ],
  ['J6', 'a replacement that misses a field (F35)', repaired, { ...correct, replacementOutput: unfit as never }, ['replacement_invalid']],
  ['J6', 'a replacement with a wrong type (F35)', repaired, { ...correct, replacementOutput: [] }, ['replacement_invalid']],
  ['J6', 'a replacement past the bound', repaired, { ...correct, replacementOutput: 'x'.repeat(65_536) }, ['replacement_too_large']],
  ['J6', 'a contract that was never declared', repaired.slice(1), correct, ['target_not_valid', 'contract_unknown']],
  [
    'J6',
    'a contract declared with other content',
    [{ ...otherContract(), subject: story.contractDeclared.subject }, ...repaired.slice(1)],
    correct,
    ['target_not_valid', 'contract_hash_differs'],
  ],
  ['J7', 'an output preferred to itself', twice, preferOf(story, at.proposal, at.proposal), ['prefer_same']],
  ['J7', 'an output that is not there', repaired, preferOf(story, at.proposal, elsewhere.proposal), ['prefer_unknown']],
  ['J7', "another run's output", twice, preferOf(story, at.proposal, ofOther.output), ['prefer_unknown']],
  ['J7', 'the output of a run that failed', twice, preferOf(story, at.proposal, at.output), ['prefer_unknown']],
  ['J8', 'one is active and not named', [...repaired, j1], accept, ['supersedes_required']],
  ['J8', 'the superseded one (F28)', [...repaired, j1, j2], { ...accept, supersedes: j1.id }, ['supersedes_superseded']],
  ['J8', 'the retracted one (F27)', retracted, { ...accept, supersedes: j1.id }, ['supersedes_retracted']],
  ['J8', 'a retraction', retracted, { ...accept, supersedes: retraction.id }, ['supersedes_retraction']],
  ['J8', 'a void one', [...repaired, j1, unreadable], { ...accept, supersedes: j2.id }, ['supersedes_void']],
  ['J8', 'itself (F28)', repaired, { ...accept, supersedes: j1.id }, ['supersedes_itself']],
  ['J8', 'an id of nothing (F28)', repaired, { ...accept, supersedes: story.idOf.source }, ['supersedes_unknown']],
  ['J8', "another authority's", [...repaired, ben], { ...accept, supersedes: ben.id }, ['supersedes_other_authority']],
  [
    'J8',
    'its own on another target (F28)',
    [...twice, ownElsewhere],
    { ...accept, supersedes: ownElsewhere.id },
    ['supersedes_other_target'],
  ],
  ['J9', 'nothing is active', repaired, retractOf(story, { target: at.proposal, retracts: j1.id }), ['retracts_mismatch']],
  ['J9', 'the superseded one', [...repaired, j1, j2], retractOf(story, { target: at.proposal, retracts: j1.id }), ['retracts_mismatch']],
  ['J9', "another authority's", [...repaired, ben], retractOf(story, { target: at.proposal, retracts: ben.id }), ['retracts_mismatch']],
  ['J9', 'what is retracted already', retracted, retractOf(story, { target: at.proposal, retracts: j1.id }), ['retracts_mismatch']],
];

/** A start and an end that a producer wrote on its own places, under a run id that does not follow from its name. */
function foreign() {
  const data = { producer: 'others' };
  return [story.started({ data }), story.failed({ data })];
}

function otherContract() {
  const declared = runStory({ contract: { ...story.facts.contract, promptDescription: 'Other words.' } }).contractDeclared;
  return { subject: declared.subject, bytes: declared.bytes };
}

describe('each rule, one thing changed', () => {
  test.each(rows)('%s: %s', (rule, _title, events, body, codes) => {
    const decision = decided(story, events, body);
    expect(codesOf(decision)).toEqual(codes);
    const ruled = rules.find(({ id }) => id === rule)!;
    expect(ruled.codes).toContain(codes.at(-1));
  });

  test('every code of the table has its row', () => {
    const seen = new Set(rows.flatMap(([, , , , codes]) => codes));
    expect(rules.flatMap(({ codes }) => codes).filter((code) => !seen.has(code))).toEqual([]);
  });

  test('all reasons are told, in the order of the rules', () => {
    const body = { ...correct, action: 'anna-1', target: at.output, replacementOutput: unfit as never };
    const chain = story.chain('anna', story.output).accept({ action: 'anna-1' });
    expect(codesOf(decided(story, [...answered, chain], body))).toEqual(['action_conflict', 'replacement_invalid', 'supersedes_required']);
  });
});

describe('what a refusal names', () => {
  const reasonOf = (events: Events, body: Body) => {
    const decision = decided(story, events, body);
    return decision.kind === 'refused' ? decision.reasons[0] : decision;
  };

  test.each<[string, Events, Body, string | undefined]>([
    ['the active judgment that has to be named', [...repaired, j1, j2], accept, j2.id],
    ['the active judgment in place of the superseded one', [...repaired, j1, j2], { ...accept, supersedes: j1.id }, j2.id],
    [
      'the active judgment in place of the one to retract',
      [...repaired, j1, j2],
      retractOf(story, { target: at.proposal, retracts: j1.id }),
      j2.id,
    ],
    ['nothing, where nothing is active', retracted, { ...accept, supersedes: j1.id }, undefined],
    ['the first act of the same action id', [...repaired, j1], { ...accept, verdict: 'reject', action: 'anna-1' }, j1.id],
    ['the output that is not valid', repaired, preferOf(story, at.proposal, elsewhere.proposal), elsewhere.proposal.id],
  ])('%s', (_title, events, body, names) => {
    expect(reasonOf(events, body)).toEqual(
      names === undefined ? expect.not.objectContaining({ names: expect.anything() }) : expect.objectContaining({ names }),
    );
  });

  test('issues of a replacement are codes and paths, and a name of its own is a star', () => {
    const replacementOutput: JsonValue = { title: 7, summary: 'x', tags: [], confidence: 0, evidence: [], 'canary-key': 'canary-value' };
    expect(reasonOf(repaired, { ...correct, replacementOutput: replacementOutput as never })).toEqual({
      code: 'replacement_invalid',
      issues: expect.arrayContaining([
        { code: 'type', path: '/title' },
        { code: 'unexpected_property', path: '/*' },
      ]),
    });
  });
});
