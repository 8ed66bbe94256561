import { canonicalText, type Privacy, privacyLevels } from '@emend/contracts';
import { type EffectiveRow, effectiveRowText, publicEvidence } from '@emend/history';
import { describe, expect, test } from 'vitest';
import { observed, provenance, type RunFacts, runStory, tampered } from '../../../test/support/history.js';
import type { Attempt } from '../../../test/support/randomHistory.js';
import { rowOf } from './folding.js';

const run = runStory();
const row = (...events: readonly Attempt[]): EffectiveRow => {
  const found = rowOf(run.run, ...events);
  if (found === null) throw new Error('no row');
  return found;
};
const corrected = () => row(...run.answered(), run.chain('anna', run.output).correct(observed('better')));
const repaired = () => row(...run.repaired(), run.chain('anna', run.proposed).accept());

/** All names in a row but those of the output itself, which are its contract's. */
const namesOf = (value: unknown, path = ''): readonly string[] =>
  typeof value !== 'object' || value === null || path === '/output'
    ? [path]
    : Object.entries(value).flatMap(([name, child]) => namesOf(child, `${path}/${name}`));

const evidenceNames = ['provider', 'model', 'executionAdapter', 'learnedAdapter', 'catalog/digest', 'catalog/generation'];
const provenanceNames = ['source', 'trigger', 'started', 'ended', 'request', 'repairRun', 'proposal', 'judgment'];
/** T118, frozen: a name more is a decision, not a change. */
const frozen = [
  '/run',
  '/contract/id',
  '/contract/version',
  '/contract/hash',
  '/status',
  '/authority',
  '/output',
  '/privacy',
  ...provenanceNames.map((name) => `/provenance/${name}`),
  ...evidenceNames.map((name) => `/original/${name}`),
  ...evidenceNames.map((name) => `/repair/${name}`),
];

describe('T118 a row contains exactly what consumers may read', () => {
  test.each([
    ['an original output', () => row(...run.answered()), frozen.filter((name) => !name.startsWith('/repair/')).concat('/repair')],
    ['a direct correction', corrected, frozen.filter((name) => !name.startsWith('/repair/')).concat('/repair')],
    ['a repaired failure', repaired, frozen],
    ['an unresolved failure', () => row(...run.repaired()), frozen.filter((name) => !name.startsWith('/repair/')).concat('/repair')],
  ])('for %s', (_what, of, names) => {
    expect([...namesOf(of())].sort()).toEqual([...names].sort());
  });

  test('what a stored event holds beyond its schema gets into no row', () => {
    const chatty = [
      ...run.declared,
      run.started(),
      tampered(run.produced(), { data: { reasoning: 'CANARY' }, envelope: { actor: 'CANARY' } }),
    ];
    expect(effectiveRowText(row(...chatty))).not.toContain('CANARY');
  });

  test('a model of its own says nothing more either', () => {
    expect(Object.keys(publicEvidence({ ...provenance(), apiKey: 'CANARY' } as never)).sort()).toEqual([
      'catalog',
      'executionAdapter',
      'learnedAdapter',
      'model',
      'provider',
    ]);
  });
});

describe('T119 the row of a direct correction', () => {
  test('says `corrected` by `correct`, and holds the output event, the judgment and the replacement', () => {
    const judgment = run.chain('anna', run.output).correct(observed('better'));
    expect(row(...run.answered(), judgment)).toMatchObject({
      status: 'corrected',
      authority: 'correct',
      output: observed('better'),
      provenance: { ended: run.idOf.ended, judgment: judgment.id, proposal: null, repairRun: null },
    });
  });

  test('holds the replacement in canonical form, however it was written', () => {
    const better = observed('better') as Readonly<Record<string, never>>;
    const backwards = Object.fromEntries(Object.entries(better).reverse());
    const written = row(...run.answered(), run.chain('anna', run.output).correct(backwards));
    expect(JSON.stringify(written.output)).toBe(canonicalText(better));
  });
});

describe('the row of a repaired failure', () => {
  test('names every event that took part, and keeps original and repair apart', () => {
    const judgment = run.chain('anna', run.proposed).accept();
    expect(row(...run.repaired(), judgment)).toMatchObject({
      status: 'repaired',
      authority: 'accept',
      provenance: {
        source: run.idOf.source,
        trigger: run.idOf.source,
        started: run.idOf.started,
        ended: run.idOf.ended,
        request: run.idOf.request,
        repairRun: run.repairRun,
        proposal: run.idOf.settlement,
        judgment: judgment.id,
      },
      original: { model: 'small-1' },
      repair: { model: 'large-1' },
    });
  });
});

describe('T118 a learned adapter is shown only where it is public', () => {
  const adapter = (privacy: Privacy) => provenance({ learnedAdapter: { id: 'house-style', privacy, exportPolicy: 'allowed' } });

  test.each([
    ['public', 'house-style'],
    ['sensitive', null],
    ['private', null],
  ] as const)('%s', (privacy, shown) => {
    for (const facts of [{ model: adapter(privacy) }, { repairModel: adapter(privacy) }] as readonly Partial<RunFacts>[]) {
      const story = runStory(facts);
      const found = row(...story.repaired(), story.chain('anna', story.proposed).accept());
      expect([found.original.learnedAdapter, found.repair?.learnedAdapter].filter((id) => id !== null)).toEqual(
        shown === null ? [] : [shown],
      );
      expect(effectiveRowText(found).includes('house-style')).toBe(shown !== null);
    }
  });

  test('T95 a proposal is at least as private as the adapter of its model, whether its claim or itself says so', () => {
    const story = runStory({ repairModel: adapter('sensitive') });
    const accept = story.chain('anna', story.proposed).accept();
    const claimedOnly = run.claim({ data: { model: adapter('sensitive') } });
    const proposedOnly = run.proposal(undefined, { data: { repair: adapter('sensitive') } });
    const before = run.repaired();
    expect(row(...story.repaired(), accept).privacy).toBe('sensitive');
    expect(row(...before.slice(0, -2), claimedOnly, run.proposal(), accept).privacy).toBe('sensitive');
    expect(row(...before.slice(0, -1), proposedOnly, accept).privacy).toBe('sensitive');
  });
});

describe('T116 the privacy of a row is the join of all that took part', () => {
  /** One participant at a time is changed; all others are public. */
  const participants: readonly (readonly [string, (privacy: Privacy) => EffectiveRow])[] = [
    ['the source of a corrected run', (privacy) => direct({ source: privacy })],
    ['the run', (privacy) => direct({ started: privacy })],
    ['the output', (privacy) => direct({ ended: privacy })],
    ['the judgment', (privacy) => direct({ judgment: privacy })],
    ['the source of a repaired run', (privacy) => indirect({ source: privacy })],
    ['the failed run', (privacy) => indirect({ started: privacy })],
    ['the failure', (privacy) => indirect({ ended: privacy })],
    ['the request', (privacy) => indirect({ request: privacy })],
    ['the proposal', (privacy) => indirect({ proposal: privacy })],
    ['the judgment on a proposal', (privacy) => indirect({ judgment: privacy })],
  ];
  type Changed = Partial<Record<'source' | 'started' | 'ended' | 'request' | 'proposal' | 'judgment', Privacy>>;
  const at = (privacy: Privacy | undefined) => (privacy ? { privacy } : {});
  const before = (changed: Changed) => [run.contractDeclared, run.source(at(changed.source)), run.started(at(changed.started))];
  const direct = (changed: Changed) =>
    row(
      ...before(changed),
      run.produced(undefined, at(changed.ended)),
      run.chain('anna', run.output).correct(observed('better'), at(changed.judgment)),
    );
  const indirect = (changed: Changed) =>
    row(
      ...before(changed),
      run.failed(at(changed.ended)),
      run.request(at(changed.request)),
      run.claim(),
      run.proposal(undefined, at(changed.proposal)),
      run.chain('anna', run.proposed).accept(at(changed.judgment)),
    );

  test.each(participants)('%s', (_who, of) => {
    expect(privacyLevels.map(of).map(({ privacy }) => privacy)).toEqual(privacyLevels);
  });

  test('a word of privacy that nobody knows counts as private', () => {
    expect(row(...before({}), tampered(run.produced(), { envelope: { privacy: 'internal' } })).privacy).toBe('private');
  });

  test('a source that is not in the log counts as private', () => {
    expect(row(run.contractDeclared, run.started(), run.produced()).privacy).toBe('private');
  });

  test('a source that came after the run counts as private', () => {
    expect(row(run.contractDeclared, run.started(), run.source(), run.produced()).privacy).toBe('private');
  });

  test('a judgment that takes no part does not count', () => {
    expect(row(...run.answered(), run.chain('anna', run.output).accept({ privacy: 'private' })).privacy).toBe('public');
  });
});
