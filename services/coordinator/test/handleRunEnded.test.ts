import { agentRefOf, outputRepairPolicy, policyIdentityOf, policyTokenOf, subjects } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { garbageOn, runStory, type StoredLog, storedLog, tampered } from '../../../test/support/history.js';
import { explainRun } from '../src/explain.js';
import { handleRunEnded } from '../src/handleRunEnded.js';
import { differingPolicies, policyInForce } from '../src/policyInForce.js';
import type { AppendOutcome } from '../src/ports.js';
import { scan } from '../src/scan.js';
import { setAsideRunEnded } from '../src/setAsideRunEnded.js';
import { appenderTo, readerOf } from './support.js';

const run = runStory();
const definitions = [outputRepairPolicy];
const events = { ineligible: () => {}, requested: () => {} };

const endOf = (log: StoredLog) => {
  const stored = log.events.findLast(({ subject }) => subject.includes('.run.ended.'));
  if (!stored) throw new Error('no end');
  return stored;
};

const handle = (log: StoredLog, append?: AppendOutcome) =>
  handleRunEnded(
    { reader: readerOf(log), requests: append ? { append: async () => append } : appenderTo(log), definitions, events },
    endOf(log),
  );

const requestsIn = (log: StoredLog) => log.events.filter(({ subject }) => subject.includes('.repair.requested.'));

describe('an ended run', () => {
  it('that is eligible gets one request, however often it is handled (T10, T12, F01)', async () => {
    const log = storedLog(...run.declared, run.started(), run.failed());
    expect([await handle(log), await handle(log), await handle(log)]).toEqual([{ kind: 'done' }, { kind: 'done' }, { kind: 'done' }]);
    expect(requestsIn(log)).toHaveLength(1);
  });

  it('seen by two coordinators at once gets one request (F02)', async () => {
    const log = storedLog(...run.declared, run.started(), run.failed());
    await Promise.all([handle(log), handle(log)]);
    expect(requestsIn(log)).toHaveLength(1);
  });

  const outcomes = [
    ['conflict', { kind: 'skip', reason: 'request_conflict' }],
    ['full', { kind: 'stop', cause: 'log_full' }],
    ['unknown', { kind: 'again', cause: 'append_unknown' }],
  ] as const;
  it.each(outcomes)('whose append is %s is handled so', async (append, outcome) => {
    expect(await handle(storedLog(...run.declared, run.started(), run.failed()), append)).toEqual(outcome);
  });

  it('that succeeded needs nothing', async () => {
    expect(await handle(storedLog(...run.declared, run.started(), run.produced()))).toEqual({ kind: 'skip', reason: 'run_succeeded' });
  });

  it('whose end is void is left alone', async () => {
    const place = subjects.runEnded({ producer: 'notes', run: run.run });
    expect(await handle(storedLog(...run.declared, run.started(), garbageOn(place)))).toEqual({ kind: 'skip', reason: 'void_not_json' });
  });

  const { promptHash, fingerprint, ...named } = agentRefOf(run.agent);
  const { hash: _, ...unbound } = run.contract.ref;
  const unsaid: readonly (readonly [string, object])[] = [
    ['prompt hash', { agent: { ...named, fingerprint } }],
    ['fingerprint', { agent: { ...named, promptHash } }],
    ['contract hash', { contract: unbound }],
    ['diagnostic', { diagnostic: undefined }],
  ];
  it.each(unsaid)('that does not say its %s is void and gets no request (T21 to T24)', async (_part, data) => {
    const log = storedLog(...run.declared, run.started(), tampered(run.failed(), { data: { ...data } }));
    expect(await handle(log)).toEqual({ kind: 'skip', reason: 'void_data_invalid' });
    expect(requestsIn(log)).toHaveLength(0);
  });

  it('of a repair run gets no request, whoever hands it over: there is no repair of a repair (T88, T90, F09)', async () => {
    const log = storedLog(...run.repaired().slice(0, -1), run.repairFailed());
    const reader = readerOf(log);
    const settlement = log.events.at(-1);
    if (!settlement) throw new Error('no settlement');
    const outcome = await handleRunEnded({ reader, requests: appenderTo(log), definitions, events }, settlement);
    expect(outcome).toEqual({ kind: 'skip', reason: 'ineligible' });
    expect(await explainRun({ reader, definitions }, settlement)).toMatchObject({
      eligible: false,
      reasons: expect.arrayContaining([{ rule: 'E4', code: 'repair_origin' }]),
    });
    expect(requestsIn(log)).toHaveLength(1);
  });

  it('from a newer writer waits, and is never skipped', async () => {
    const newer = tampered(run.failed(), { envelope: { type: 'stream.thought.agent.run.failed@2' } });
    expect(await handle(storedLog(...run.declared, run.started(), newer))).toEqual({ kind: 'again', cause: 'unknown_version' });
  });

  it('that rests on an event from a newer writer waits too', async () => {
    const newer = tampered(run.started(), { envelope: { type: 'stream.thought.agent.run.started@2' } });
    expect(await handle(storedLog(...run.declared, newer, run.failed()))).toEqual({ kind: 'again', cause: 'unknown_version' });
  });

  it('is decided from its own five places and the policy alone: no quarantine, no trace, no text (T45)', async () => {
    const log = storedLog(...run.declared, run.started(), run.failed());
    const reader = readerOf(log);
    await handleRunEnded({ reader, requests: appenderTo(log), definitions, events }, endOf(log));
    expect(new Set(reader.asked)).toEqual(
      new Set([
        subjects.policy({ id: outputRepairPolicy.id, version: 2 }),
        subjects.policy(outputRepairPolicy),
        subjects.runStarted({ producer: 'notes', run: run.run }),
        run.trigger,
        subjects.agent(run.agent),
        subjects.contract(run.contract.ref),
      ]),
    );
  });
});

describe('an ended run that came back too often', () => {
  const raised: string[] = [];
  const setAside = (log: StoredLog, known = definitions) =>
    setAsideRunEnded(
      { reader: readerOf(log), definitions: known, incidents: { raise: async ({ code }) => void raised.push(code) } },
      endOf(log),
      { code: 'deliveries_exceeded', deliveries: 6 },
    );

  it('leaves an incident and is set aside', async () => {
    expect(await setAside(storedLog(...run.declared, run.started(), run.failed()))).toEqual({ kind: 'done' });
    expect(raised).toEqual(['deliveries_exceeded']);
  });

  it('from a newer writer waits all the same', async () => {
    const newer = tampered(run.failed(), { envelope: { type: 'stream.thought.agent.run.failed@2' } });
    expect(await setAside(storedLog(...run.declared, run.started(), newer))).toEqual({ kind: 'again', cause: 'unknown_version' });
  });

  it('under a policy that this replica has no definition of goes to another', async () => {
    const second = runStory({ policy: { ...outputRepairPolicy, version: 2 } }).policyDeclared;
    const log = storedLog(...run.declared, second, run.started(), run.failed());
    expect(await setAside(log)).toMatchObject({ kind: 'retry', cause: 'policy_not_mine' });
    expect(await handle(log)).toMatchObject({ kind: 'retry', cause: 'policy_not_mine' });
  });
});

describe('the policy in force', () => {
  const second = { ...outputRepairPolicy, version: 2, ruleIds: [] };
  const declared = (policy: typeof outputRepairPolicy) => runStory({ policy }).policyDeclared;
  const at = (log: StoredLog, known = [outputRepairPolicy, second]) =>
    policyInForce({ reader: readerOf(log), definitions: known, before: 3 });

  it('is the newest that was declared before the end of the run', async () => {
    expect(await at(storedLog(declared(outputRepairPolicy), declared(second)))).toEqual({ kind: 'in_force', policy: second });
  });

  it('is not one that was declared after it', async () => {
    const log = storedLog(declared(outputRepairPolicy), run.source(), run.started(), declared(second));
    expect(await at(log)).toEqual({ kind: 'in_force', policy: outputRepairPolicy });
  });

  it("is another replica's business where this one has no definition of it", async () => {
    const log = storedLog(declared(outputRepairPolicy), declared(second));
    expect(await at(log, [outputRepairPolicy])).toEqual({ kind: 'not_mine' });
  });

  it('is decided by nobody who has another definition of it', async () => {
    const log = storedLog(declared(outputRepairPolicy));
    expect(await at(log, [{ ...outputRepairPolicy, ruleIds: [] }])).toEqual({ kind: 'differs' });
  });

  it('is none where none was declared', async () => {
    expect(await at(storedLog())).toEqual({ kind: 'none' });
    expect(await handle(storedLog(run.contractDeclared, run.agentDeclared, run.source(), run.started(), run.failed()))).toEqual({
      kind: 'skip',
      reason: 'no_policy_in_force',
    });
  });

  it('a changed definition under an unchanged version is noticed', async () => {
    const log = storedLog(declared(outputRepairPolicy));
    expect(await differingPolicies(readerOf(log), [outputRepairPolicy])).toEqual([]);
    expect(await differingPolicies(readerOf(log), [{ ...outputRepairPolicy, ruleIds: [] }])).toEqual([
      'stream.thought.agent.output-repair@1',
    ]);
  });
});

describe('a scan over history', () => {
  const second = runStory({ reference: 'run-2' });
  const third = runStory({ reference: 'run-3' });
  const history = () =>
    storedLog(
      ...run.declared,
      run.started(),
      run.failed(),
      second.source(),
      second.started(),
      second.failed({
        data: { diagnostic: { class: 'timeout', contract: run.contract.ref, issues: [], issueCount: 0, candidateBytes: 0 } },
      }),
      third.source(),
      third.started(),
      third.produced(),
      garbageOn(subjects.runEnded({ producer: 'notes', run: runStory({ reference: 'void' }).run })),
    );
  async function* ends(log: StoredLog) {
    yield* log.events.filter(({ subject }) => subject.includes('.run.ended.'));
  }
  const scanned = (log: StoredLog, dryRun: boolean) =>
    scan({
      reader: readerOf(log),
      requests: dryRun ? null : appenderTo(log),
      policy: outputRepairPolicy,
      ends: ends(log),
      onProgress: () => {},
    });

  it('counts what it decided, appends once, and a second scan appends nothing (T12)', async () => {
    const log = history();
    const report = { ends: 4, failed: 2, eligible: 1, conflict: 0, ineligible: { diagnostic_not_repairable: 1 }, unreadable: 1 };
    expect(await scanned(log, false)).toEqual({ ...report, appended: 1, already: 0 });
    expect(await scanned(log, false)).toEqual({ ...report, appended: 0, already: 1 });
    expect(requestsIn(log)).toHaveLength(1);
  });

  it('makes the request that live handling makes, byte for byte', async () => {
    const [scannedLog, liveLog] = [history(), storedLog(...run.declared, run.started(), run.failed())];
    await scanned(scannedLog, false);
    await handle(liveLog);
    expect(requestsIn(scannedLog)[0]?.bytes).toEqual(requestsIn(liveLog)[0]?.bytes);
  });

  it('on a dry run appends nothing', async () => {
    const log = history();
    expect(await scanned(log, true)).toMatchObject({ eligible: 1, appended: 0 });
    expect(requestsIn(log)).toHaveLength(0);
  });
});

describe('explain', () => {
  const explain = (log: StoredLog, stored = endOf(log)) => explainRun({ reader: readerOf(log), definitions }, stored);

  it('gives the decision of an eligible run and says whether its request is in the log', async () => {
    const log = storedLog(...run.declared, run.started(), run.failed());
    const decided = { kind: 'decided', policy: 'stream.thought.agent.output-repair@1', eligible: true, reasons: [] };
    expect(await explain(log)).toEqual({ ...decided, requested: false });
    await handle(log);
    expect(await explain(log)).toEqual({ ...decided, requested: true });
  });

  it('gives every reason of an ineligible one', async () => {
    expect(await explain(storedLog(...run.declared, run.failed()))).toMatchObject({
      eligible: false,
      reasons: [{ rule: 'E6', code: 'evidence_missing:started' }],
    });
  });

  it('says so where a run has not ended, succeeded, or cannot be read', async () => {
    expect(await explainRun({ reader: readerOf(storedLog()), definitions }, null)).toEqual({ kind: 'not_ended' });
    expect(await explain(storedLog(...run.declared, run.started(), run.produced()))).toEqual({ kind: 'succeeded' });
    const place = subjects.runEnded({ producer: 'notes', run: run.run });
    expect(await explain(storedLog(garbageOn(place)))).toEqual({ kind: 'unreadable', code: 'not_json' });
  });
});

it('the key of a request is the run and the whole policy identity (T11)', () => {
  const changed = policyTokenOf({ ...policyIdentityOf(outputRepairPolicy), hash: 'a'.repeat(64) });
  expect(changed).not.toBe(policyTokenOf(policyIdentityOf(outputRepairPolicy)));
});
