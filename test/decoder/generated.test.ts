import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, editListHash, editListVersion } from '@emend/overseer';
import { describe, expect, it } from 'vitest';
import { makeSpecimen, type Specimen } from '../support/faulty/specimens.js';
import { Peers } from './peers.js';
import { reportOf, type Sums } from './report.js';
import { add, emptyTally, tallyAt } from './tally.js';

/** At least this many, on documents of 0.3, 1, 9, 50 and 64 KiB. EMEND_SPECIMENS asks for more. */
const count = Math.max(20_000, Number(process.env['EMEND_SPECIMENS'] ?? 0));
const batchSize = 40;
/** Other libraries read every small specimen, and every tenth of the large ones, since some take a second for one. */
const peersRead = (specimen: Specimen): boolean => specimen.text.length < 2_048 || specimen.seed % 10 === 0;

const report = path.resolve(fileURLToPath(import.meta.url), '../../../docs/reports/decoder.md');

interface Read {
  readonly specimen: Specimen;
  readonly value: unknown;
}

function readOne(seed: number, sums: Sums): Read {
  const specimen = makeSpecimen(seed);
  const decoded = decode(specimen.text, { schema: specimen.schema, finishReason: 'stop' });
  const value = decoded.status === 'exact' || decoded.status === 'repaired' ? decoded.value : undefined;
  const [first = '', second] = specimen.faults;
  add(sums.ours, specimen, value);
  add(second === undefined ? sums.one : sums.two, specimen, value);
  if (second === undefined) add(tallyAt(sums.byFault, first), specimen, value);
  sums.worstSteps = Math.max(sums.worstSteps, (decoded.steps - 1_000) / decoded.bytes);
  return { specimen, value };
}

describe(`${count} documents with one fault or two`, () => {
  it('none comes out silently wrong, and more come out right than of any other library', async () => {
    const peers = Peers.start();
    const sums: Sums = {
      ours: emptyTally(),
      one: emptyTally(),
      two: emptyTally(),
      shared: emptyTally(),
      peers: new Map(),
      byFault: new Map(),
      worstSteps: 0,
    };
    const wrong: unknown[] = [];
    for (let seed = 0; seed < count; seed += batchSize) {
      const batch: Read[] = [];
      for (let offset = 0; offset < batchSize; offset += 1) {
        const before = sums.ours.silentlyWrong + sums.ours.wrong;
        const read = readOne(seed + offset, sums);
        if (sums.ours.silentlyWrong + sums.ours.wrong > before) wrong.push([read.specimen.seed, ...read.specimen.faults]);
        if (peersRead(read.specimen)) batch.push(read);
      }
      const answers = (await peers?.read(batch.map(({ specimen }) => specimen.text))) ?? [];
      for (const [at, { specimen, value }] of batch.entries()) {
        add(sums.shared, specimen, value);
        for (const [name, theirs] of Object.entries(answers[at] ?? {})) add(tallyAt(sums.peers, name), specimen, theirs);
      }
    }
    peers?.stop();
    if (process.env['EMEND_WRITE'] === '1') {
      mkdirSync(path.dirname(report), { recursive: true });
      writeFileSync(report, reportOf(sums, `${editListVersion}, ${editListHash.slice(0, 12)}`));
    }
    expect(wrong).toEqual([]);
    for (const [name, tally] of sums.peers) expect([name, sums.shared.exact >= tally.exact]).toEqual([name, true]);
  });
});
