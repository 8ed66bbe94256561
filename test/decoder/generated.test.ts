import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { decode, editListHash, editListVersion } from '@emend/overseer';
import { describe, expect, it } from 'vitest';
import { makeSpecimen, type Specimen } from '../support/faulty/specimens.js';
import { installedPeers } from './peers.js';
import { reportOf, type Sums } from './report.js';
import { add, emptyTally } from './tally.js';

/** At least this many, on documents of 0.3, 1, 9, 50 and 64 KiB. EMEND_SPECIMENS asks for more. */
const count = Math.max(20_000, Number(process.env['EMEND_SPECIMENS'] ?? 0));
/** Other libraries read every specimen too; documents above 2 KiB every tenth, since some take a second for one. */
const peersRead = (specimen: Specimen): boolean => specimen.text.length < 2_048 || specimen.seed % 10 === 0;

const report = path.resolve(fileURLToPath(import.meta.url), '../../../docs/reports/decoder.md');

describe(`${count} documents with one fault or two`, () => {
  it('none comes out silently wrong, and more come out right than of any other library', async () => {
    const peers = installedPeers();
    const sums: Sums = { ours: emptyTally(), one: emptyTally(), two: emptyTally(), shared: emptyTally(), peers: new Map(), byFault: new Map(), worstSteps: 0 };
    const wrong: unknown[] = [];
    for (let seed = 0; seed < count; seed += 1) {
      const specimen = makeSpecimen(seed);
      const decoded = decode(specimen.text, { schema: specimen.schema, finishReason: 'stop' });
      const value = decoded.status === 'exact' || decoded.status === 'repaired' ? decoded.value : undefined;
      const [first = '', second] = specimen.faults;
      const byFault = sums.byFault.get(first) ?? emptyTally();
      const wrongBefore = sums.ours.silentlyWrong;
      for (const tally of [sums.ours, second === undefined ? sums.one : sums.two, ...(second === undefined ? [byFault] : [])]) add(tally, specimen, value);
      if (second === undefined) sums.byFault.set(first, byFault);
      if (sums.ours.silentlyWrong > wrongBefore) wrong.push([seed, ...specimen.faults]);
      sums.worstSteps = Math.max(sums.worstSteps, (decoded.steps - 1_000) / decoded.bytes);
      if (!peersRead(specimen)) continue;
      add(sums.shared, specimen, value);
      for (const peer of peers) {
        const tally = sums.peers.get(peer.name) ?? emptyTally();
        sums.peers.set(peer.name, tally);
        add(tally, specimen, await peer.read(specimen.text));
      }
    }
    if (process.env['EMEND_WRITE'] === '1') {
      mkdirSync(path.dirname(report), { recursive: true });
      writeFileSync(report, reportOf(sums, `${editListVersion}, ${editListHash.slice(0, 12)}`));
    }
    expect(wrong).toEqual([]);
    expect(sums.ours.wrong).toBe(0);
    for (const [name, tally] of sums.peers) expect([name, sums.shared.exact >= tally.exact]).toEqual([name, true]);
  });
});
