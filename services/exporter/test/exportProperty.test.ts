import { activeJudgments, type Dossier, type Judgment, proposalsOf, selectEffective } from '@emend/history';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Attempt, interleaved, randomHistory } from '../../../test/support/randomHistory.js';
import { type StoredEvent, StoredLog, tampered } from '../../../test/support/storedLog.js';
import { exportRun } from '../src/domain/exportRun.js';
import { trainingFiles } from '../src/domain/trainingRow.js';
import { fileFaults } from '../src/domain/trlLine.js';
import { planExport } from '../src/planExport.js';
import { RowLines } from '../src/rowLines.js';
import type { FoldedRuns } from '../src/ports.js';
import { foldedRuns, policyOf } from './folded.js';

const runsOf = (folded: FoldedRuns): readonly Dossier[] => [...folded.runs()].flatMap((run) => folded.dossier(run) ?? []);

type Sides = Readonly<Record<'chosen' | 'rejected' | 'completion', string | null>>;
const nothing: Sides = { chosen: null, rejected: null, completion: null };

/** What a run may bring, written a second time from the seed's sentences and without a table. */
function expectedOf(dossier: Dossier): Sides {
  const { started, ended } = dossier;
  const row = selectEffective(dossier);
  const active = activeJudgments(dossier);
  const judgment = active.find(({ eventId }) => eventId === row?.provenance.judgment);
  if (!row || !judgment || started?.kind !== 'started' || ended === null || !('contract' in ended)) return nothing;
  const rejects = (id: string): boolean => active.some(({ verdict, target }) => verdict === 'reject' && target.id === id);
  const mayLeave = (judgments: readonly Judgment[], ids: readonly string[]): boolean => {
    const repairs = proposalsOf(dossier).filter(({ proposal }) => ids.includes(proposal.eventId));
    const events = [
      started.source,
      started,
      ended,
      ...judgments,
      ...repairs.flatMap(({ proposal, repair }) => [proposal, repair.request, repair.claim]),
    ];
    const isPublic = events.every(
      (event) => event !== null && 'privacy' in event && event.privacy === 'public' && event.sourceClass === 'public-source',
    );
    const models = [
      started.model,
      ...repairs.flatMap(({ proposal, repair }) => [proposal.repair, repair.claim?.kind === 'claimed' ? repair.claim.model : null]),
    ];
    const adaptersAllow = models.every(
      (model) => !model?.learnedAdapter || (model.learnedAdapter.privacy === 'public' && model.learnedAdapter.exportPolicy === 'allowed'),
    );
    return isPublic && adaptersAllow && judgments.every(({ quality, externalExport }) => quality && externalExport) && !ids.some(rejects);
  };
  const target = judgment.target.id;
  if (!mayLeave([judgment], [target])) return { ...nothing, ...preferredOf(dossier, judgment, mayLeave) };
  const before =
    ended.kind === 'produced' ? ended.output : proposalsOf(dossier).find(({ proposal }) => proposal.eventId === target)?.proposal.output;
  if (judgment.verdict === 'accept') return { ...preferredOf(dossier, judgment, mayLeave), completion: before ?? null };
  return judgment.replacement === before
    ? nothing
    : { chosen: judgment.replacement, rejected: before ?? null, completion: judgment.replacement };
}

function preferredOf(
  dossier: Dossier,
  accepted: Judgment,
  mayLeave: (judgments: readonly Judgment[], ids: readonly string[]) => boolean,
): Sides {
  const active = activeJudgments(dossier);
  const prefer = active.findLast(({ verdict }) => verdict === 'prefer');
  const outputs = new Map(proposalsOf(dossier).map(({ proposal }) => [proposal.eventId, proposal.output]));
  if (accepted.verdict !== 'accept' || !prefer?.prefer || prefer.prefer.preferred !== accepted.target.id) return nothing;
  const { preferred, over } = prefer.prefer;
  const behind = active.filter(({ verdict, target }) => target.id === over && (verdict === 'accept' || verdict === 'correct'));
  const other = behind.findLast(({ quality, externalExport }) => quality && externalExport);
  const [chosen, rejected] = [outputs.get(preferred) ?? null, outputs.get(over) ?? null];
  if (chosen === rejected || !other || !mayLeave([accepted, other, prefer], [preferred, over])) return nothing;
  return { chosen, rejected, completion: null };
}

/**
 * Random histories in which most events are public and most judgments agree, event by event: as they come, hardly any is
 * without one participant that keeps it at home.
 */
const mostlyOpen = fc
  .tuple(randomHistory(), fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), fc.nat(9))
  .map(([history, kept, rate]) => {
    const log = new StoredLog();
    for (const [index, event] of history.log.events.entries())
      log.append(kept[index % kept.length] && index % (rate + 2) === 0 ? event : opened(event));
    return log;
  });

function opened(event: Pick<StoredEvent, 'subject' | 'bytes'>): Pick<StoredEvent, 'subject' | 'bytes'> {
  let data: Record<string, unknown>;
  try {
    data = (JSON.parse(new TextDecoder().decode(event.bytes)) as { data: Record<string, unknown> }).data;
  } catch {
    return event;
  }
  const flags = 'verdict' in data ? { quality: true, externalExport: true } : {};
  return tampered(event, { envelope: { privacy: 'public', sourceclass: 'public-source' }, data: flags });
}

const sideOf = (line: string | undefined, column: string): string | null => {
  if (line === undefined) return null;
  const row = JSON.parse(line) as Record<string, readonly { readonly content: string }[]>;
  return row[column]?.[0]?.content ?? null;
};

const gathered = async (folded: FoldedRuns): Promise<Readonly<Record<string, string>>> => {
  const policy = policyOf(folded);
  const plan = await planExport(folded, policy);
  return Object.fromEntries(
    trainingFiles.map((file) => [file, [...new RowLines({ file, rows: plan.rows[file], folded, policy }).lines()].join('')]),
  );
};

it('over random histories a run is exported exactly where every sentence of the seed allows it', () => {
  const counts = { withheld: 0, pairs: 0, sft: 0 };
  fc.assert(
    fc.property(
      fc.oneof(
        mostlyOpen,
        mostlyOpen,
        randomHistory().map(({ log }) => log),
      ),
      (log) => {
        const folded = foldedRuns(log);
        for (const dossier of runsOf(folded)) {
          const { rows } = exportRun(dossier, policyOf(folded));
          const found: Sides = {
            chosen: sideOf(rows['pairs.jsonl']?.line, 'chosen'),
            rejected: sideOf(rows['pairs.jsonl']?.line, 'rejected'),
            completion: sideOf(rows['sft.jsonl']?.line, 'completion'),
          };
          expect(found).toEqual(expectedOf(dossier));
          if (found.completion !== null) counts.sft += 1;
          else if (found.chosen === null) counts.withheld += 1;
          if (found.chosen !== null) counts.pairs += 1;
        }
      },
    ),
    { numRuns: 400 },
  );
  // The law holds of nothing as well; so there must have been something.
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(10);
});

it('over random histories every line loads, its outputs pass the contract, and rows stand in the order of the log', async () => {
  await fc.assert(
    fc.asyncProperty(mostlyOpen, async (log) => {
      const folded = foldedRuns(log);
      const policy = policyOf(folded);
      const plan = await planExport(folded, policy);
      const files = await gathered(folded);
      for (const file of trainingFiles) {
        const positions = plan.rows[file].map(({ position }) => position);
        expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
        expect(fileFaults(file, files[file] ?? '')).toEqual([]);
        for (const line of (files[file] ?? '').split('\n').filter((one) => one !== '')) {
          const row = JSON.parse(line) as { emend_contract_hash: string };
          const started = runsOf(folded).find(
            (one) => one.started?.kind === 'started' && one.started.contract.hash === row.emend_contract_hash,
          )?.started;
          if (started?.kind !== 'started') throw new Error('a row of a known contract');
          const resolved = policy.contract(started.contract);
          for (const column of ['chosen', 'rejected', 'completion']) {
            const side = sideOf(line, column);
            if (side !== null) expect(resolved.kind === 'found' && resolved.contract.check(JSON.parse(side)).kind).toBe('valid');
          }
        }
      }
    }),
    { numRuns: 100 },
  );
});

it('where each run keeps its own order, another order of the log gives the same rows', async () => {
  const lines = async (attempts: readonly Attempt[]): Promise<readonly string[]> => {
    const log = new StoredLog();
    log.append(...attempts);
    return Object.values(await gathered(foldedRuns(log)))
      .flatMap((text) => text.split('\n'))
      .sort();
  };
  await fc.assert(
    fc.asyncProperty(randomHistory(), fc.array(fc.nat(5), { maxLength: 40 }), async ({ runs, declared }, turns) => {
      const apart = runs.flatMap(({ attempts }) => attempts);
      const one = await lines([...declared, ...apart].map(opened));
      expect(await lines([...declared, ...interleaved(runs, turns)].map(opened))).toEqual(one);
    }),
    { numRuns: 60 },
  );
});
