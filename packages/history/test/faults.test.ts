import { chainIdOf, observation, type OutputContractDefinition, repairRunIdOf, runIdOf, subjects } from '@emend/contracts';
import type { faults } from '@emend/history';
import { selectEffective } from '@emend/history';
import { describe, expect, test } from 'vitest';
import { agentDeclaration, garbageOn, observed, provenance, runStory, tampered, unfit } from '../../../test/support/history.js';
import type { Attempt } from '../../../test/support/randomHistory.js';
import { dossierOf } from './folding.js';

const run = runStory();
const other = runStory({ reference: 'run-2' });
const strict: OutputContractDefinition = { ...observation, promptDescription: 'Another description under the same version.' };
const failedRun = [...run.declared, run.started(), run.failed()];
const claimed = [...failedRun, run.request(), run.claim()];
const anna = { authority: 'anna', target: run.proposed, n: 1 };
const correct = (replacement?: unknown) =>
  run.judgment(anna, { verdict: 'correct', ...(replacement === undefined ? {} : { replacementOutput: replacement as never }) });
const prefer = (preferred: string, over: string) =>
  run.judgment({ ...anna, target: run.wholeRun }, { verdict: 'prefer', prefer: { preferred, over } });
/** A well-formed end of the same run, on a place of another producer's, as that producer may write it. */
const intruding = runStory({ producer: 'intruder' }).failed({ data: { run: run.run } });
const foreignPlace = (subject: string): string => subject.replace('.notes.', '.intruder.');

/** For each rule a log whose last event breaks it and no rule before it. */
const broken: Readonly<Record<keyof typeof faults, readonly Attempt[]>> = {
  run_mismatch: [...run.declared, tampered(run.started(), { data: { reference: 'another' } })],
  foreign_producer: [...failedRun, garbageOn(foreignPlace(run.failed().subject))],
  started_mismatch: [...run.declared, run.started(), run.produced(observed('a'), { data: { started: other.idOf.started } })],
  failure_mismatch: [...failedRun, run.request({ data: { failed: other.idOf.ended } })],
  contract_mismatch: [
    ...run.declared,
    run.started(),
    run.produced(observed('a'), { data: { contract: { ...run.contract.ref, version: 2 } } }),
  ],
  evidence_mismatch: [...failedRun, run.request({ data: { contract: { ...run.contract.ref, version: 2 } } })],
  request_mismatch: [
    ...failedRun,
    run.request(),
    run.claim({ data: { repair: { request: other.idOf.request, run: run.run, policy: run.policy } } }),
  ],
  claim_mismatch: [...claimed, run.proposal(observed('a'), { data: { started: other.idOf.claim } })],
  repair_run_mismatch: [...failedRun, run.request(), run.claim({ data: { run: repairRunIdOf(other.idOf.request) } })],
  contract_unknown: [run.source(), run.started(), run.produced()],
  contract_hash_differs: [runStory({ contract: strict }).contractDeclared, run.source(), run.started(), run.produced()],
  output_invalid: [...claimed, run.proposal(unfit)],
  chain_mismatch: [
    ...run.repaired(),
    run.judgment(anna, { verdict: 'accept', chain: chainIdOf({ authority: 'ben', target: run.proposed.id }) }),
  ],
  chain_gap: [...run.repaired(), run.judgment({ ...anna, n: 2 }, { verdict: 'accept' })],
  target_unknown: [...claimed, run.judgment(anna, { verdict: 'accept' })],
  supersedes_mismatch: [...run.repaired(), run.judgment(anna, { verdict: 'accept', supersedes: other.idOf.settlement })],
  retracts_mismatch: [...run.repaired(), run.retraction(anna, other.idOf.settlement)],
  verdict_target_mismatch: [
    ...run.repaired(),
    run.judgment(anna, { verdict: 'prefer', prefer: { preferred: run.idOf.settlement, over: run.idOf.ended } }),
  ],
  prefer_invalid: [...run.repaired(), prefer(run.idOf.settlement, run.idOf.ended)],
  replacement_missing: [...run.repaired(), correct()],
  replacement_invalid: [...run.repaired(), correct(unfit)],
};

describe('an event that breaks a rule of its place has no effect and is kept with its code', () => {
  test.each(Object.entries(broken))('%s', (code, events) => {
    const dossier = dossierOf(run.run, ...events);
    expect(dossier.ignored).toEqual([{ subject: events.at(-1)?.subject, code }]);
  });
});

/** More than one way to break one rule. */
const alsoBroken: readonly (readonly [string, keyof typeof faults, readonly Attempt[]])[] = [
  [
    'an end whose run id is not its own',
    'run_mismatch',
    [...run.declared, run.started(), tampered(run.failed(), { data: { reference: 'another' } })],
  ],
  ['an output without a start', 'started_mismatch', [...run.declared, run.produced()]],
  ['a request for a run with a valid output', 'failure_mismatch', [...run.answered(), run.request()]],
  ['a request for a run that has not ended', 'failure_mismatch', [...run.declared, run.started(), run.request()]],
  ['a request that names another start', 'started_mismatch', [...failedRun, run.request({ data: { started: other.idOf.started } })]],
  ['a request that names another trigger', 'started_mismatch', [...failedRun, run.request({ data: { trigger: other.trigger } })]],
  [
    'a request that names another agent',
    'evidence_mismatch',
    [...failedRun, run.request({ data: { agent: { ...agentDeclaration(run.contract), version: 2 } } })],
  ],
  ['a claim without a request', 'request_mismatch', [...failedRun, run.claim()]],
  ['a proposal without a request', 'request_mismatch', [...failedRun, run.proposal()]],
  ['a repair failure without a request', 'request_mismatch', [...failedRun, run.repairFailed()]],
  [
    'a proposal that answers another request',
    'request_mismatch',
    [...claimed, run.proposal(observed('a'), { data: { request: other.idOf.request } })],
  ],
  [
    'a repair failure that answers another request',
    'request_mismatch',
    [...claimed, run.repairFailed({ data: { repair: { request: other.idOf.request, run: run.run, policy: run.policy } } })],
  ],
  ['a proposal without a claim', 'claim_mismatch', [...failedRun, run.request(), run.proposal()]],
  [
    'a proposal of another repair run',
    'claim_mismatch',
    [...claimed, run.proposal(observed('a'), { data: { repairRun: other.repairRun } })],
  ],
  ['a proposal for another failure', 'failure_mismatch', [...claimed, run.proposal(observed('a'), { data: { failed: other.idOf.ended } })]],
  ['a proposal for another trigger', 'started_mismatch', [...claimed, run.proposal(observed('a'), { data: { trigger: other.trigger } })]],
  [
    'a proposal under another contract',
    'contract_mismatch',
    [...claimed, run.proposal(observed('a'), { data: { contract: { ...run.contract.ref, version: 2 } } })],
  ],
  ['an output that breaks its contract', 'output_invalid', [...run.declared, run.started(), run.produced(unfit)]],
  ['a judgment on an output of a failed run', 'target_unknown', [...failedRun, run.chain('anna', run.output).accept()]],
  ['a judgment on another run', 'target_unknown', [...failedRun, run.chain('anna', other.wholeRun).accept()]],
  ['a judgment on the output of another run', 'target_unknown', [...run.answered(), run.chain('anna', other.output).accept()]],
  ['an output called a proposal', 'target_unknown', [...run.answered(), run.chain('anna', { ...run.output, kind: 'proposal' }).accept()]],
  ['a preference of an output over itself', 'prefer_invalid', [...run.repaired(), prefer(run.idOf.settlement, run.idOf.settlement)]],
  [
    'a preference that names nothing',
    'prefer_invalid',
    [...run.repaired(), run.judgment({ ...anna, target: run.wholeRun }, { verdict: 'prefer' })],
  ],
  ['an accept of a whole run', 'verdict_target_mismatch', [...run.repaired(), run.chain('anna', run.wholeRun).accept()]],
  ['another producer that names the same run', 'foreign_producer', [...failedRun, intruding]],
];

describe('more ways to break a rule', () => {
  test.each(alsoBroken)('%s: %s', (_what, code, events) => {
    expect(dossierOf(run.run, ...events).ignored).toEqual([{ subject: events.at(-1)?.subject, code }]);
  });
});

describe('an event that cannot be read has no effect, and takes its place', () => {
  const places: readonly (readonly [string, readonly Attempt[], Attempt])[] = [
    ['start', run.declared, run.started()],
    ['end', [...run.declared, run.started()], run.failed()],
    ['request', failedRun, run.request()],
    ['claim', [...failedRun, run.request()], run.claim()],
    ['settlement', claimed, run.proposal()],
    ['judgment', run.repaired(), run.chain('anna', run.proposed).accept()],
  ];

  test.each(places)('on the place of a %s', (_name, before, event) => {
    const dossier = dossierOf(run.run, ...before, garbageOn(event.subject), event);
    expect(dossier.ignored).toEqual([{ subject: event.subject, code: 'not_json' }]);
  });

  test.each(places)('a tombstone on the place of a %s is no fault', (_name, before, event) => {
    const dossier = dossierOf(run.run, ...before, run.erased(event.subject), event);
    expect(dossier.ignored).toEqual([]);
  });
});

describe('what stands on a place without effect', () => {
  test('a void end leaves the run without a row', () => {
    expect(selectEffective(dossierOf(run.run, ...run.declared, run.started(), garbageOn(run.failed().subject), run.failed()))).toBeNull();
  });

  test('a void claim counts as a claim: no proposal follows from it', () => {
    const dossier = dossierOf(run.run, ...failedRun, run.request(), garbageOn(run.claim().subject), run.claim(), run.proposal());
    expect(dossier.repairs[run.policy]?.claim).toEqual({ kind: 'void', code: 'not_json' });
    expect(dossier.repairs[run.policy]?.settlement).toEqual({ kind: 'void', code: 'claim_mismatch' });
  });

  test('a void settlement settles: a late proposal is refused by the log', () => {
    const dossier = dossierOf(run.run, ...claimed, garbageOn(run.proposal().subject), run.proposal());
    expect(dossier.repairs[run.policy]?.settlement).toEqual({ kind: 'void', code: 'not_json' });
  });

  test('a failure whose diagnostic says more than one may is still a failure, without the diagnostic', () => {
    const leaky = tampered(run.failed(), { data: { diagnostic: { class: 'contract_violation', text: 'what the model wrote' } } });
    expect(dossierOf(run.run, ...run.declared, run.started(), leaky).ended).toMatchObject({ kind: 'failed', diagnostic: null });
  });

  test('a repair failure whose diagnostic says more than one may keeps no word of it', () => {
    const leaky = tampered(run.repairFailed(), { data: { diagnostic: { class: 'what the model wrote' } } });
    expect(dossierOf(run.run, ...claimed, leaky).repairs[run.policy]?.settlement).toMatchObject({
      kind: 'repair_failed',
      class: 'unsanitized',
    });
  });
});

describe('a run belongs to the producer that its id follows from', () => {
  test('what another producer writes about it changes nothing, before or after', () => {
    const plain = dossierOf(run.run, ...run.repaired());
    for (const at of [0, 4, 5, 6, 9]) {
      const dossier = dossierOf(run.run, ...run.repaired().toSpliced(at, 0, intruding));
      expect(selectEffective(dossier)).toEqual(selectEffective(plain));
      expect(dossier.producer).toBe('notes');
      expect(dossier.ignoredCount).toBe(1);
    }
  });

  test('garbage of another producer that came first does not stand in its way', () => {
    const dossier = dossierOf(run.run, garbageOn(intruding.subject), ...run.repaired());
    expect(dossier.ended?.kind).toBe('failed');
  });

  test('garbage of another producer on the start does not hide that there is none', () => {
    const { subject } = runStory({ producer: 'intruder' }).started({ data: { run: run.run } });
    expect(dossierOf(run.run, garbageOn(subject), run.failed()).started).toBeNull();
  });

  test('its id is a hash over producer and reference', () => {
    expect(run.run).toBe(runIdOf({ producer: 'notes', reference: 'run-1' }));
  });
});

describe('half of a surrogate pair, which no canonical form exists for, makes an event void', () => {
  test.each([
    ['in what ran', tampered(run.started(), { data: { model: { ...provenance(), provider: '\ud800' } } })],
    ['in the act of a judgment', tampered(run.judgment(anna, { verdict: 'accept' }), { data: { action: '\udc00' } })],
    ['beside a verdict', tampered(run.judgment(anna, { verdict: 'accept' }), { data: { replacementOutput: { ['\ud800']: 1 } } })],
  ])('%s', (_where, event) => {
    const before = run.repaired().filter(({ subject }) => subject !== event.subject);
    expect(dossierOf(run.run, ...before.slice(0, 4), event, ...before.slice(4)).ignored[0]?.subject).toBe(event.subject);
  });
});

describe('places that no writer of ours names', () => {
  test.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('a token `%s` is a key like any other', (token) => {
    const events = [subjects.repairRequested({ run: run.run, policy: token }), subjects.judgment({ run: run.run, chain: token, n: 1 })].map(
      (subject) => garbageOn(subject),
    );
    const dossier = dossierOf(run.run, ...run.repaired(), ...events);
    expect(dossier.ignoredCount).toBe(2);
    expect(dossier.repairs[token]).toEqual({ request: { kind: 'void', code: 'not_json' }, claim: null, settlement: null });
    expect(JSON.stringify(JSON.parse(JSON.stringify(dossier)))).toBe(JSON.stringify(dossier));
  });

  test.each(['01', '0', '1e0', 'one', '99999999'])('`%s` is no n, and takes no place of the chain', (n) => {
    const chain = run.chain('anna', run.proposed);
    const accept = chain.accept();
    const dossier = dossierOf(run.run, ...run.repaired(), garbageOn(accept.subject.replace(/1$/, n)), accept, chain.retract());
    expect(dossier.ignored).toEqual([{ subject: accept.subject.replace(/1$/, n), code: 'not_json' }]);
    expect(Object.values(dossier.chains).flatMap(({ links }) => links.map((link) => link.fault))).toEqual([null, null]);
  });
});

test('a dossier remembers the first 32 events without effect one by one, and counts the others', () => {
  const many = Array.from({ length: 40 }, (_, at) => garbageOn(subjects.judgment({ run: run.run, chain: run.policy, n: at + 1 })));
  const dossier = dossierOf(run.run, ...many);
  expect(dossier.ignored).toHaveLength(32);
  expect(dossier.ignoredCount).toBe(40);
});
