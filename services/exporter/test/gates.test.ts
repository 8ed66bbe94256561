import {
  type CompletionWay,
  type ContractRef,
  type EncodedEvent,
  type JsonValue,
  observation,
  type Provenance,
  transcriptCorrection,
} from '@emend/contracts';
import { expect, it } from 'vitest';
import { minute, observed, provenance, type RunFacts, type RunStory, runStory } from '../../../test/support/history.js';
import { secondPolicy } from '../../../test/support/randomHistory.js';
import { candidatesOf } from '../src/domain/candidates.js';
import { decideExport } from '../src/domain/decideExport.js';
import type { ExportPolicy } from '../src/domain/exportPolicy.js';
import { exportRun } from '../src/domain/exportRun.js';
import { gates } from '../src/domain/gates.js';
import { trajectories } from '../src/domain/trajectory.js';
import { foldedEvents, policyOf } from './folded.js';

type Event = Pick<EncodedEvent, 'subject' | 'bytes'>;

/** The control: a public failed run, repaired, accepted by one authority who allows everything. */
const facts: Partial<RunFacts> = {};
const accepted = (run: RunStory): readonly Event[] => [...run.repaired(), run.chain('anna', run.proposed).accept()];

interface Case {
  readonly rule: string;
  readonly events: readonly Event[];
  readonly policy?: Partial<ExportPolicy>;
  /** All codes of all candidates, in order. */
  readonly codes: readonly string[];
}

function codesOf(events: readonly Event[], over?: Partial<ExportPolicy>): readonly string[] {
  const folded = foldedEvents(...events);
  const { run } = runStory(facts);
  const dossier = folded.dossier(run);
  if (dossier === null) throw new Error('no such run');
  return candidatesOf(dossier).flatMap((candidate) => {
    const decision = decideExport(candidate, policyOf(folded, over));
    return decision.kind === 'export' ? [] : decision.refusals.map(({ code }) => code);
  });
}

const run = runStory();
const closed = (over: Partial<RunFacts>): RunStory => runStory({ ...facts, ...over });
const adapter = (change: { readonly privacy?: 'public' | 'sensitive'; readonly exportPolicy?: 'allowed' | 'forbidden' }): Provenance =>
  provenance({ model: 'taught-1', learnedAdapter: { id: 'house-style', privacy: 'public', exportPolicy: 'allowed', ...change } });
const correctedOriginal = (completion: CompletionWay): readonly Event[] => [
  ...run.declared,
  run.started(),
  run.produced(observed('original'), { data: { completion } }),
  run.chain('anna', run.output).correct(observed('better')),
];
const elsewhere: ContractRef = { ...run.contract.ref, hash: 'f'.repeat(64) };

it('the control is exported: a proposal that an active, eligible accept backs', () => expect(codesOf(accepted(run))).toEqual([]));

it.each(['repair.corrected', 'original.corrected', 'repair.preferred'])('a control of %s is exported too', (type) => {
  const second = runStory({ policy: secondPolicy });
  const events: Readonly<Record<string, readonly Event[]>> = {
    'repair.corrected': [...run.repaired(), run.chain('anna', run.proposed).correct(observed('better'))],
    'original.corrected': [...run.answered(), run.chain('anna', run.output).correct(observed('better'))],
    'repair.preferred': [
      ...run.repaired(),
      second.policyDeclared,
      second.request(),
      second.claim(),
      second.proposal(observed('the other')),
      run.chain('anna', second.proposed).accept(),
      run.chain('anna', run.proposed).accept({ observedAt: minute(60) }),
      run.chain('anna', run.wholeRun).prefer(run.proposed.id, second.proposed.id),
    ],
  };
  const folded = foldedEvents(...(events[type] ?? []));
  const dossier = folded.dossier(run.run);
  const exported = exportRun(dossier as NonNullable<typeof dossier>, policyOf(folded));
  const types = exported.decided.flatMap(({ decision }) => (decision.kind === 'export' ? [decision.trajectory.type] : []));
  expect(types).toContain(type);
  expect(exported.rows['pairs.jsonl']?.trajectory.type).toBe(type);
  expect(exported.rows['sft.jsonl']?.trajectory.type).toBe(type === 'repair.preferred' ? 'repair.accepted' : type);
});

const excluded: readonly Case[] = [
  {
    rule: 'a rejected repair is not exported',
    events: [...run.repaired(), run.chain('anna', run.proposed).reject()],
    codes: ['rejected'],
  },
  { rule: 'an unresolved failure is not exported', events: [...run.declared, run.started(), run.failed()], codes: ['unresolved'] },
  {
    rule: 'a repair whose accept was retracted is not exported',
    events: (() => {
      const chain = run.chain('anna', run.proposed);
      return [...run.repaired(), chain.accept(), chain.retract()];
    })(),
    codes: ['retracted'],
  },
  {
    rule: 'a failed repair is not exported',
    events: [...run.declared, run.started(), run.failed(), run.request(), run.claim(), run.repairFailed()],
    codes: ['repair_failed'],
  },
  { rule: 'a merely proposed repair is not exported', events: run.repaired(), codes: ['never_judged'] },
  { rule: 'a run that has not ended is not exported', events: [...run.declared, run.started()], codes: ['not_ended'] },
  { rule: 'an original alone is not exported', events: run.answered(), codes: ['original_alone'] },
  {
    rule: 'an erased end is not exported',
    events: [...run.declared, run.started(), run.erased(run.failed().subject)],
    codes: ['not_ended'],
  },
  {
    rule: 'a repair whose accept was superseded by a reject is not exported',
    events: (() => {
      const chain = run.chain('anna', run.proposed);
      return [...run.repaired(), chain.accept(), chain.reject()];
    })(),
    codes: ['rejected'],
  },
];

const ineligible: readonly Case[] = [
  {
    rule: 'an accept without quality carries nothing',
    events: [...run.repaired(), run.chain('anna', run.proposed).accept({ quality: false })],
    codes: ['quality_not_eligible'],
  },
  {
    rule: 'an accept without external export carries nothing',
    events: [...run.repaired(), run.chain('anna', run.proposed).accept({ externalExport: false })],
    codes: ['export_not_eligible'],
  },
  {
    rule: 'a contested proposal is not exported',
    events: [...accepted(run), run.chain('ben', run.proposed).reject()],
    codes: ['contested'],
  },
  {
    rule: 'of two backing judgments the older one brings no row',
    events: [...accepted(run), run.chain('ben', run.proposed).correct(observed('better'), { observedAt: minute(60) })],
    codes: ['not_effective'],
  },
  {
    rule: 'an older eligible accept does not stand in for a newer one without eligibility',
    events: [...accepted(run), run.chain('ben', run.proposed).accept({ observedAt: minute(60), externalExport: false })],
    codes: ['not_effective', 'export_not_eligible'],
  },
  {
    rule: 'a valid original that somebody accepts is on no allow-list',
    events: [...run.answered(), run.chain('anna', run.output).accept()],
    codes: ['trajectory_not_listed'],
  },
  {
    rule: 'a source that no event before the run names is unknown, and so is its privacy',
    events: accepted(run).filter(({ subject }) => subject !== run.trigger),
    codes: ['source_unknown', 'not_public_source:source', 'not_public:source', 'destination_not_named'],
  },
  {
    rule: 'a kind of source that the host has not listed is not named in a row',
    events: accepted(run),
    policy: { sourceKinds: ['letter'] },
    codes: ['source_kind_not_listed'],
  },
  {
    rule: 'an output that came to be valid in a way that the host has not listed stays at home, corrected or not',
    events: correctedOriginal('repaired'),
    policy: { completions: ['exact', 'overseen'] },
    codes: ['completion_not_listed'],
  },
  {
    rule: 'so does one of the overseer',
    events: correctedOriginal('overseen'),
    policy: { completions: ['exact'] },
    codes: ['completion_not_listed'],
  },
  { rule: 'one of a listed way is exported', events: correctedOriginal('overseen'), policy: { completions: ['overseen'] }, codes: [] },
  { rule: 'a failed run has no output of its own that could be asked', events: accepted(run), policy: { completions: [] }, codes: [] },
  {
    rule: 'a contract that is not in the log gives no prompt',
    events: accepted(run),
    policy: { contract: () => ({ kind: 'unknown' }) },
    codes: ['contract_unknown', 'chosen_invalid'],
  },
  {
    rule: 'a contract of another hash is no reason to use a similar one',
    events: accepted(run),
    policy: { contract: () => ({ kind: 'hash_differs' }) },
    codes: ['contract_hash_differs', 'chosen_invalid'],
  },
  {
    rule: 'a failure that names another contract is no part of the chain',
    events: [
      ...run.declared,
      run.started(),
      run.failed({ data: { contract: elsewhere } }),
      run.request(),
      run.claim(),
      run.proposal(),
      run.chain('anna', run.proposed).accept(),
    ],
    codes: ['contract_differs:ended'],
  },
  {
    rule: 'a proposal that names another original model than the run did is not exported',
    events: [
      ...run.declared,
      run.started(),
      run.failed(),
      run.request(),
      run.claim(),
      run.proposal(observed('p'), { data: { original: provenance({ model: 'another' }) } }),
      run.chain('anna', run.proposed).accept(),
    ],
    codes: ['provenance_differs:original'],
  },
  {
    rule: 'a proposal that names another repair model than its claim did is not exported',
    events: [
      ...run.declared,
      run.started(),
      run.failed(),
      run.request(),
      run.claim(),
      run.proposal(observed('p'), { data: { repair: provenance({ model: 'another' }) } }),
      run.chain('anna', run.proposed).accept(),
    ],
    codes: ['provenance_differs:repair'],
  },
  {
    rule: 'a correction that says what it corrects teaches nothing',
    events: [...run.repaired(), run.chain('anna', run.proposed).correct(observed('proposed'))],
    codes: ['sides_equal'],
  },
  {
    rule: 'a preference for a proposal that nobody accepts brings none out',
    events: (() => {
      const second = runStory({ policy: secondPolicy });
      return [
        ...run.repaired(),
        second.policyDeclared,
        second.request(),
        second.claim(),
        second.proposal(observed('the other')),
        run.chain('anna', run.wholeRun).prefer(run.proposed.id, second.proposed.id),
      ];
    })(),
    codes: ['preference_not_backed', 'not_effective'],
  },
  {
    rule: 'a merely proposed repair is no rejected side either',
    events: (() => {
      const second = runStory({ policy: secondPolicy });
      return [
        ...run.repaired(),
        second.policyDeclared,
        second.request(),
        second.claim(),
        second.proposal(observed('the other')),
        run.chain('anna', run.proposed).accept(),
        run.chain('anna', run.wholeRun).prefer(run.proposed.id, second.proposed.id),
      ];
    })(),
    codes: ['preference_not_backed'],
  },
];

/** One participant at a time is not public, or not public-source. */
const participants = ['source', 'started', 'ended', 'request', 'claim', 'proposal', 'judgment'] as const;
const witness = (
  role: (typeof participants)[number],
  over: { readonly privacy?: 'sensitive' | 'private'; readonly sourceClass?: 'restricted-source' },
): readonly Event[] => {
  const of = (one: (typeof participants)[number]) => (one === role ? over : {});
  return [
    run.contractDeclared,
    run.source(of('source')),
    run.started(of('started')),
    run.failed(of('ended')),
    run.request(of('request')),
    run.claim(of('claim')),
    run.proposal(observed('proposed'), of('proposal')),
    run.chain('anna', run.proposed).accept(of('judgment')),
  ];
};

const restricted = participants.map((role) => ({
  rule: `a restricted ${role} keeps the whole chain at home`,
  events: witness(role, { sourceClass: 'restricted-source' }),
  codes: [`not_public_source:${role}`],
}));

const notPublic = participants.flatMap((role) =>
  (['sensitive', 'private'] as const).map((privacy) => ({
    rule: `a ${privacy} ${role} keeps the whole chain at home`,
    events: witness(role, { privacy }),
    // A proposal is at least as private as its request.
    codes: [...(role === 'request' ? ['not_public:request', 'not_public:proposal'] : [`not_public:${role}`]), 'destination_not_named'],
  })),
);

const adapters: readonly Case[] = (['original', 'repair'] as const).flatMap((role) => {
  const taught = (change: Parameters<typeof adapter>[0]): readonly Event[] =>
    accepted(closed(role === 'original' ? { model: adapter(change) } : { repairModel: adapter(change) }));
  const joined = role === 'repair' ? ['not_public:proposal', 'destination_not_named'] : [];
  return [
    {
      rule: `an adapter of the ${role} run whose policy forbids export keeps it at home`,
      events: taught({ exportPolicy: 'forbidden' }),
      codes: [`adapter_export_forbidden:${role}`],
    },
    {
      rule: `an adapter of the ${role} run that is not public keeps it at home`,
      events: taught({ privacy: 'sensitive' }),
      codes: [...joined, `adapter_not_public:${role}`],
    },
    { rule: `a public adapter of the ${role} run that may be exported does not`, events: taught({}), codes: [] },
  ];
});

/** What only one of two events says of a model counts as well. */
const saidOnce: readonly Case[] = [
  {
    rule: 'an adapter that the repair run names and its proposal does not is asked all the same',
    events: [
      ...run.declared,
      run.started(),
      run.failed(),
      run.request(),
      run.claim({ data: { model: adapter({ exportPolicy: 'forbidden' }) } }),
      run.proposal(),
      run.chain('anna', run.proposed).accept(),
    ],
    codes: ['adapter_export_forbidden:repair', 'provenance_differs:repair'],
  },
  {
    rule: 'an adapter that a proposal names and its run does not is asked all the same',
    events: [
      ...run.declared,
      run.started(),
      run.failed(),
      run.request(),
      run.claim(),
      run.proposal(observed('p'), { data: { original: adapter({ exportPolicy: 'forbidden' }) } }),
      run.chain('anna', run.proposed).accept(),
    ],
    codes: ['adapter_export_forbidden:original', 'provenance_differs:original'],
  },
  {
    rule: 'the adapter of a run without a repair is asked too',
    events: (() => {
      const taught = runStory({ model: adapter({ exportPolicy: 'forbidden' }) });
      return [...taught.answered(), taught.chain('anna', taught.output).correct(observed('better'))];
    })(),
    codes: ['adapter_export_forbidden:original'],
  },
];

const tally = { calls: 1, transportRetries: 0, structuralRepairs: 0, repairedReplies: 0, promptTokens: null, completionTokens: null };
const corrected = (text: string): JsonValue => ({
  language: 'en',
  report: { sections: 1, proposed: 0, applied: 0, dispositions: {}, calls: { proposals: tally, decisions: tally, revisions: tally } },
  body: { segments: [{ speaker: null, startMs: null, endMs: null, text }], corrections: [] },
});
const unprompted: readonly Case[] = [
  {
    rule: 'a corrected transcript stays at home, whatever is judged: no model was asked for it, and its prompts cannot be rendered again',
    events: (() => {
      const transcript = runStory({ contract: transcriptCorrection });
      const answered = [...transcript.declared, transcript.started(), transcript.produced(corrected('as it was'))];
      return [...answered, transcript.chain('anna', transcript.output).correct(corrected('as it is'))];
    })(),
    codes: ['prompt_not_renderable'],
  },
];

const cases: readonly Case[] = [...unprompted, ...excluded, ...ineligible, ...restricted, ...notPublic, ...adapters, ...saidOnce];

it.each(cases)('$rule', ({ events, policy, codes }) => expect(codesOf(events, policy)).toEqual(codes));

it('the default is no: without a gate nothing is exported, and a gate that decides nothing lets nothing out', () => {
  const folded = foldedEvents(...run.repaired());
  const [candidate] = candidatesOf(folded.dossier(run.run) as never);
  const verdicts = gates.map(({ test }) => test(candidate as never, policyOf(folded)).kind);
  expect(verdicts).toEqual(['refuse', ...gates.slice(1).map(() => 'undecided')]);
});

it('every refusal is returned, in the order of the gates', () => {
  const events = [
    ...run.declared.slice(0, 3),
    run.source({ sourceClass: 'restricted-source', privacy: 'private' }),
    run.started(),
    run.failed(),
    run.request(),
    run.claim(),
    run.proposal(),
    run.chain('anna', run.proposed).accept({ quality: false, externalExport: false }),
    run.chain('ben', run.proposed).reject(),
  ];
  expect(codesOf(events, { sourceKinds: [] })).toEqual([
    'contested',
    'quality_not_eligible',
    'export_not_eligible',
    'source_kind_not_listed',
    'not_public_source:source',
    'not_public:source',
    'destination_not_named',
  ]);
});

it('sensitive material leaves where both files name it, and only then', () => {
  const secret = closed({ privacy: 'sensitive' });
  const events = accepted(secret);
  const all = new Set(Object.values(secret.idOf));
  const judgment = foldedEvents(...events).dossier(secret.run)?.chains ?? {};
  for (const { active } of Object.values(judgment)) if (active) all.add(active.eventId);
  const declassification = { events: all };
  const destination = { upTo: 'sensitive' as const, contracts: [`${observation.id}@1`] };
  expect(codesOf(events, { declassification, destination })).toEqual([]);
  expect(codesOf(events, { declassification })).toEqual(['destination_not_named']);
  expect(codesOf(events, { destination }).every((code) => code.startsWith('not_public:'))).toBe(true);
  expect(
    codesOf(events, { declassification: { events: new Set([...all].filter((id) => id !== secret.idOf.source)) }, destination }),
  ).toEqual(['not_public:source']);
  expect(codesOf(events, { declassification, destination: { ...destination, contracts: ['another@1'] } })).toEqual([
    'destination_not_named',
  ]);
});

it('private material does not go where only sensitive material may', () => {
  const secret = closed({ privacy: 'private' });
  const destination = { upTo: 'sensitive' as const, contracts: [`${observation.id}@1`] };
  expect(codesOf(accepted(secret), { destination })).toContain('destination_not_named');
});

it('every code that a gate gave stands in its own row of the table', () => {
  const all = cases.flatMap(({ codes }) => codes);
  const known = gates.flatMap(({ codes }) => codes.split(' | '));
  for (const code of all) expect(known).toContain(code.replace(/:.*/, (word) => (/original|repair/.test(word) ? ':<run>' : ':<role>')));
});

it('a trajectory type is allowed by name, and a steps sentence goes with it', () => {
  const allowed = Object.entries(trajectories).flatMap(([type, { allowed: isAllowed }]) => (isAllowed ? [type] : []));
  expect(allowed).toEqual(['repair.accepted', 'repair.corrected', 'repair.preferred', 'original.corrected']);
});

it('a run judged by three people brings one row per file, the newest of them', () => {
  const events = [
    ...run.repaired(),
    run.chain('anna', run.proposed).correct(observed('anna says'), { observedAt: minute(30) }),
    run.chain('ben', run.proposed).correct(observed('ben says'), { observedAt: minute(50) }),
    run.chain('cleo', run.proposed).accept({ observedAt: minute(40) }),
  ];
  const folded = foldedEvents(...events);
  const { rows } = exportRun(folded.dossier(run.run) as never, policyOf(folded));
  const said = (row: unknown): JsonValue => JSON.parse((row as { content: string }[])[0]?.content ?? 'null') as JsonValue;
  const pair = JSON.parse(rows['pairs.jsonl']?.line ?? '{}') as Record<string, unknown>;
  expect(said(pair['chosen'])).toEqual(observed('ben says'));
  expect(said(pair['rejected'])).toEqual(observed('proposed'));
  expect(said((JSON.parse(rows['sft.jsonl']?.line ?? '{}') as Record<string, unknown>)['completion'])).toEqual(observed('ben says'));
});
