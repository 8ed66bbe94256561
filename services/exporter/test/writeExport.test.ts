import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '@emend/contracts';
import { expect, it } from 'vitest';
import { minute, observed, runStory } from '../../../test/support/history.js';
import { nodeDisk } from '../src/adapters/nodeDisk.js';
import type { Manifest } from '../src/domain/manifest.js';
import { fileFaults } from '../src/domain/trlLine.js';
import { exportTo, fileOf, filesUnder, freshFolder } from './exports.js';
import { FailingDisk, Killed, type Mishap } from './fakeDisk.js';
import { foldedEvents } from './folded.js';

const run = runStory();
const other = runStory({ reference: 'run-2' });
const chain = () => run.chain('anna', run.proposed);

/** Monday: two rows to learn from. Wednesday: one of them was retracted. */
const monday = () => {
  const anna = chain();
  const events = [
    ...run.repaired(),
    ...other.repaired().slice(3),
    anna.correct(observed('better')),
    other.chain('ben', other.proposed).accept(),
  ];
  return { events, wednesday: [...events, anna.retract()] };
};

const manifestOf = (root: string, name: string): Manifest => JSON.parse(fileOf(root, `${name}/manifest.json`)) as Manifest;
const idsOf = (text: string): string[] => text.trimEnd().split('\n').map(sha256);

it('an export is three files in a folder of its position, and a pointer to it', async () => {
  const root = freshFolder();
  const folded = foldedEvents(...monday().events);
  const written = await exportTo(folded, { root });
  const name = String(folded.position()).padStart(12, '0');
  expect(written).toMatchObject({ kind: 'written', directory: name });
  const files = filesUnder(root);
  expect(Object.keys(files)).toEqual([`${name}/manifest.json`, `${name}/pairs.jsonl`, `${name}/sft.jsonl`, 'latest.json']);
  expect(JSON.parse(files['latest.json'] ?? '')).toEqual({
    directory: name,
    position: folded.position(),
    manifest: sha256(files[`${name}/manifest.json`] ?? ''),
  });
});

it('the manifest counts what stands in the files, row by row', async () => {
  const root = freshFolder();
  const folded = foldedEvents(...monday().events, ...runStory({ reference: 'run-3' }).answered().slice(3));
  await exportTo(folded, { root });
  const name = String(folded.position()).padStart(12, '0');
  const manifest = manifestOf(root, name);
  const [pairs, sft] = [fileOf(root, `${name}/pairs.jsonl`), fileOf(root, `${name}/sft.jsonl`)];
  expect(manifest).toMatchObject({
    format: 'emend.export@1',
    position: folded.position(),
    runs: 3,
    considered: 3,
    exported: 2,
    withheld: { original_alone: 1 },
    trajectories: { 'repair.accepted': 1, 'repair.corrected': 1 },
    contracts: [run.contract.ref],
    base: null,
    withdrawn: [],
    rows: { 'pairs.jsonl': idsOf(pairs), 'sft.jsonl': idsOf(sft) },
    files: {
      'pairs.jsonl': { rows: 1, bytes: Buffer.byteLength(pairs), sha256: sha256(pairs), longestLine: pairs.length - 1 },
      'sft.jsonl': { rows: 2, bytes: Buffer.byteLength(sft), sha256: sha256(sft) },
    },
  });
});

it('rows stand in the order of their runs on the log, whatever the run ids are', async () => {
  const root = freshFolder();
  const runs = [4, 2, 9, 7].map((n) => runStory({ reference: `run-${n}` }));
  const [first] = runs;
  const events = runs.flatMap((one, index) => [
    ...(one === first ? one.repaired(observed(`title ${index}`)) : one.repaired(observed(`title ${index}`)).slice(3)),
    one.chain('anna', one.proposed).accept(),
  ]);
  const folded = foldedEvents(...events);
  await exportTo(folded, { root });
  const sft = fileOf(root, `${String(folded.position()).padStart(12, '0')}/sft.jsonl`);
  expect([...sft.matchAll(/title (\d)\\"/g)].map(([, index]) => index)).toEqual(['0', '1', '2', '3']);
});

it('the same position gives the same bytes, in any folder and again in the same one', async () => {
  const [one, two] = [freshFolder(), freshFolder()];
  const folded = foldedEvents(...monday().events);
  await exportTo(folded, { root: one });
  await exportTo(foldedEvents(...monday().events), { root: two });
  const before = filesUnder(one);
  expect(filesUnder(two)).toEqual(before);
  expect(await exportTo(folded, { root: one })).toMatchObject({ kind: 'already' });
  expect(filesUnder(one)).toEqual(before);
});

it('a row whose judgment was retracted is absent, and the next manifest lists it as withdrawn (F43)', async () => {
  const root = freshFolder();
  const { events, wednesday } = monday();
  const [first, second] = [foldedEvents(...events), foldedEvents(...wednesday)];
  const [before, after] = [await exportTo(first, { root }), await exportTo(second, { root })];
  if (before.kind !== 'written' || after.kind !== 'written') throw new Error('both are written');
  expect(after.manifest.base).toBe(before.directory);
  const [pair] = before.manifest.rows['pairs.jsonl'];
  const [sft] = before.manifest.rows['sft.jsonl'].filter((row) => !after.manifest.rows['sft.jsonl'].includes(row));
  expect(after.manifest.withdrawn).toEqual([
    { file: 'pairs.jsonl', row: pair, lastExported: first.position() },
    { file: 'sft.jsonl', row: sft, lastExported: first.position() },
  ]);
  expect(fileOf(root, `${before.directory}/pairs.jsonl`)).toContain('better');
});

it('a withdrawn row stays listed by every later export, until it holds again', async () => {
  const root = freshFolder();
  const anna = chain();
  const [correct, retract] = [anna.correct(observed('better')), anna.retract()];
  const again = anna.correct(observed('better'));
  const late = runStory({ reference: 'run-4' });
  const steps = [
    [...run.repaired(), correct],
    [...run.repaired(), correct, retract],
    [...run.repaired(), correct, retract, ...late.declared.slice(3), late.started()],
    [...run.repaired(), correct, retract, ...late.declared.slice(3), late.started(), again],
  ];
  const counts: number[] = [];
  for (const events of steps) {
    const written = await exportTo(foldedEvents(...events), { root });
    if (written.kind === 'written') counts.push(written.manifest.withdrawn.length);
  }
  expect(counts).toEqual([0, 2, 2, 0]);
});

it('other settings at the same position are another export beside the first, and say what they withdrew', async () => {
  const root = freshFolder();
  const folded = foldedEvents(...monday().events);
  const first = await exportTo(folded, { root });
  const second = await exportTo(folded, { root, policy: { sourceKinds: ['letter'] } });
  if (first.kind !== 'written' || second.kind !== 'written') throw new Error('both are written');
  expect(second.directory).toBe(`${first.directory}-2`);
  expect(second.manifest.gatesHash).not.toBe(first.manifest.gatesHash);
  expect(second.manifest.withdrawn).toHaveLength(3);
  expect(await exportTo(folded, { root, policy: { sourceKinds: ['letter'] } })).toMatchObject({
    kind: 'already',
    directory: second.directory,
  });
  expect(JSON.parse(fileOf(root, 'latest.json'))).toMatchObject({ directory: second.directory });
});

it('where no row would be another, `changed` writes nothing', async () => {
  const root = freshFolder();
  const { events } = monday();
  await exportTo(foldedEvents(...events), { root });
  const before = filesUnder(root);
  const more = [...events, ...runStory({ reference: 'run-5' }).answered().slice(3)];
  expect(await exportTo(foldedEvents(...more), { root, when: 'changed' })).toEqual({ kind: 'unchanged' });
  expect(await exportTo(foldedEvents(), { root: freshFolder(), when: 'changed' })).toEqual({ kind: 'unchanged' });
  expect(filesUnder(root)).toEqual(before);
});

it('an export of nothing is three files, two of them empty', async () => {
  const root = freshFolder();
  await exportTo(foldedEvents(), { root });
  expect(fileOf(root, '000000000000/pairs.jsonl')).toBe('');
  expect(fileFaults('sft.jsonl', fileOf(root, '000000000000/sft.jsonl'))).toEqual([]);
});

it('a folder whose newest export is ahead of the log is of another log', async () => {
  const root = freshFolder();
  const { events, wednesday } = monday();
  await exportTo(foldedEvents(...wednesday), { root });
  await expect(exportTo(foldedEvents(...events), { root })).rejects.toMatchObject({ code: 'export_ahead_of_log' });
});

it('without its manifest an export says nothing of what it held, so nothing is written after it', async () => {
  const root = freshFolder();
  const { events, wednesday } = monday();
  const first = await exportTo(foldedEvents(...events), { root });
  if (first.kind !== 'written') throw new Error('written');
  writeFileSync(join(root, first.directory, 'manifest.json'), '{"format":');
  await expect(exportTo(foldedEvents(...wednesday), { root })).rejects.toMatchObject({ code: 'export_manifest_unreadable' });
});

const mishaps: readonly Mishap[] = ['disk_full', 'killed', 'killed_halfway'];

it.each(mishaps)(
  '%s at any step leaves the old export or the new one whole, and the next life ends as if nothing had been',
  async (mishap) => {
    const { events, wednesday } = monday();
    const [old, next] = [foldedEvents(...events), foldedEvents(...wednesday)];
    const undisturbed = freshFolder();
    await exportTo(old, { root: undisturbed });
    const whole = filesUnder(undisturbed);
    await exportTo(next, { root: undisturbed });
    const ended = filesUnder(undisturbed);

    const counting = new FailingDisk(nodeDisk);
    const counted = freshFolder();
    await exportTo(old, { root: counted });
    await exportTo(next, { root: counted, disk: counting });
    expect(counting.steps).toBeGreaterThan(15);

    let failures = 0;
    for (let at = 1; at <= counting.steps; at += 1) {
      const root = freshFolder();
      await exportTo(old, { root, pid: 7 });
      const failed = await exportTo(next, { root, disk: new FailingDisk(nodeDisk, at, mishap), pid: 7 }).then(
        () => null,
        (error: unknown) => error,
      );
      // The last steps remove a draft: their failing is nobody's concern.
      if (failed !== null) failures += 1;
      if (failed !== null && mishap !== 'disk_full') expect(failed, `step ${at}`).toBeInstanceOf(Killed);
      if (failed !== null && mishap === 'disk_full') expect(failed, `step ${at}`).toMatchObject({ code: 'export_disk_full' });
      const seen = Object.fromEntries(Object.entries(filesUnder(root)).filter(([name]) => !name.startsWith('.writing-')));
      const { 'latest.json': latest, ...exports } = seen;
      expect([whole['latest.json'], ended['latest.json']], `step ${at}`).toContain(latest);
      // Everything that is seen is of an undisturbed run, and what the pointer names is whole.
      for (const [name, text] of Object.entries(exports)) expect(text, `step ${at}: ${name}`).toBe(ended[name]);
      expect([Object.keys(whole).length - 1, Object.keys(ended).length - 1], `step ${at}`).toContain(Object.keys(exports).length);
      await exportTo(next, { root, pid: 8 });
      expect(filesUnder(root), `step ${at}`).toEqual(ended);
    }
  },
);

it('two writers at one position end at one export, whoever was faster', async () => {
  const root = freshFolder();
  const folded = foldedEvents(...monday().events);
  const kinds = await Promise.all([1, 2, 3].map((pid) => exportTo(folded, { root, pid, othersLive: true })));
  expect(kinds.filter(({ kind }) => kind === 'written')).toHaveLength(1);
  const alone = freshFolder();
  await exportTo(folded, { root: alone });
  expect(filesUnder(root)).toEqual(filesUnder(alone));
});

it('a draft of a live writer is left alone', async () => {
  const root = freshFolder();
  await nodeDisk.makeFolder(join(root, '.writing-elsewhere-3-1'));
  await exportTo(foldedEvents(...monday().events), { root });
  expect(await nodeDisk.foldersIn(root)).toContain('.writing-elsewhere-3-1');
});

it('the newest of two judgments at one minute is decided by id, here as everywhere', async () => {
  const root = freshFolder();
  const events = [
    ...run.repaired(),
    run.chain('anna', run.proposed).correct(observed('anna'), { observedAt: minute(30) }),
    run.chain('ben', run.proposed).correct(observed('ben'), { observedAt: minute(30) }),
  ];
  const written = await exportTo(foldedEvents(...events), { root });
  if (written.kind !== 'written') throw new Error('written');
  expect(written.manifest.withheld).toEqual({ not_effective: 1 });
  expect(written.manifest.files['pairs.jsonl'].rows).toBe(1);
});
