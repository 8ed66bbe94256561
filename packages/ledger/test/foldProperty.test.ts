import { copyFileSync, existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomHistory } from '../../../test/support/randomHistory.js';
import { foldLog } from '../src/index.js';
import { brokerWith, dossierTexts, foldedApart, freshFile, open, VIEW, withHeaders } from './ledgerFixture.js';

const batchMax = fc.constantFrom(1, 2, 3, 7, 500);

describe('a ledger of any history', () => {
  it('holds the dossiers of a fold computed apart, however the log is cut into batches (I3)', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistory(), batchMax, async (history, size) => {
        const broker = await brokerWith(history.log.events);
        const ledger = open();
        const end = await foldLog({ ledger, log: broker.log, to: history.log.events.length, batchMax: size });
        expect(end).toEqual({ kind: 'folded', position: history.log.events.length });
        expect(dossierTexts(ledger)).toEqual(foldedApart(history.log));
        ledger.close();
      }),
      { numRuns: 30 },
    );
  });

  it('is the same after closing and opening it at any points, with events delivered again', async () => {
    const cut = fc.record({ at: fc.nat(60), back: fc.nat(5), reopen: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(randomHistory(), fc.array(cut, { maxLength: 6 }), async (history, cuts) => {
        const events = withHeaders(history.log.events);
        const file = freshFile();
        let ledger = open({ file });
        for (const { at, back, reopen } of [...cuts].sort((a, b) => a.at - b.at)) {
          const from = Math.max(0, ledger.position() - back);
          ledger.fold(events.slice(from, Math.max(at, from)));
          if (!reopen) continue;
          ledger.close();
          ledger = open({ file });
          expect(ledger.opened).toBe('kept');
        }
        ledger.fold(events);
        expect(dossierTexts(ledger)).toEqual(foldedApart(history.log));
        expect(ledger.position()).toBe(events.length);
        ledger.close();
      }),
      { numRuns: 30 },
    );
  });

  it('is the same when its process is killed at any points: the file as it lies there is opened and folded on', async () => {
    await fc.assert(
      fc.asyncProperty(randomHistory(), fc.array(fc.nat(60), { maxLength: 4 }), async (history, kills) => {
        const events = withHeaders(history.log.events);
        let ledger = open();
        for (const at of [...kills].sort((a, b) => a - b)) {
          ledger.fold(events.slice(0, at));
          // What a kill leaves: the file and its journal, never closed.
          const file = freshFile();
          for (const ending of ['', '-wal']) if (existsSync(ledger.file + ending)) copyFileSync(ledger.file + ending, file + ending);
          ledger.close();
          ledger = open({ file });
          expect(ledger.position()).toBe(Math.min(at, events.length));
        }
        ledger.fold(events);
        expect(dossierTexts(ledger)).toEqual(foldedApart(history.log));
        ledger.close();
      }),
      { numRuns: 15 },
    );
  });

  it('marks every run that changed, and a confirmed run only again when it changes again', () => {
    fc.assert(
      fc.property(randomHistory(), fc.nat(60), (history, at) => {
        const events = withHeaders(history.log.events);
        const ledger = open();
        ledger.fold(events.slice(0, at));
        const before = ledger.changed({ view: VIEW, after: '', limit: 1_000 });
        expect(before.map(({ run }) => run)).toEqual([...ledger.runs()]);
        ledger.confirmed(VIEW, before);
        const { changed } = ledger.fold(events.slice(at));
        const marked = ledger.changed({ view: VIEW, after: '', limit: 1_000 });
        expect(marked.map(({ run }) => run)).toEqual(changed.map(({ run }) => run).sort());
        // A confirmation of the state before says nothing of the state after.
        ledger.confirmed(VIEW, before);
        expect(ledger.changed({ view: VIEW, after: '', limit: 1_000 })).toEqual(marked);
        ledger.close();
      }),
      { numRuns: 15 },
    );
  });
});
