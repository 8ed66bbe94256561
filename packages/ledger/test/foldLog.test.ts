import { describe, expect, it } from 'vitest';
import { garbageOn, runStory, tampered } from '../../../test/support/history.js';
import { type FoldedBatch, foldLog, type LedgerError } from '../src/index.js';
import { appendAll, brokerWith, dossierTexts, freshFile, open, VIEW, withHeaders, stored } from './ledgerFixture.js';

const story = runStory();
const repaired = story.repaired();

describe('a fold', () => {
  it('goes on live and commits what has come when the log falls silent', async () => {
    const broker = await brokerWith(repaired.slice(0, 5));
    const ledger = open();
    const end = new AbortController();
    const folding = foldLog({
      ledger,
      log: broker.log,
      signal: end.signal,
      lingerMs: 1,
      onBatch: async () => {
        if (ledger.position() === 5) await appendAll(broker, repaired.slice(5));
        if (ledger.position() === repaired.length) end.abort();
      },
    });
    expect(await folding).toEqual({ kind: 'folded', position: repaired.length });
    expect(ledger.dossier(story.run)?.repairs[story.policy]?.settlement?.kind).toBe('proposed');
  });

  it('commits nothing of a batch that fails, and folds it whole the next time', async () => {
    const events = withHeaders(stored(repaired));
    const ledger = open();
    ledger.fold(events.slice(0, 6));
    const before = dossierTexts(ledger);
    // The last event is none: reading it throws after the others were folded.
    const broken = [...events.slice(6), { subject: 'stream.thought.x', sequence: 99, bytes: null as never, headers: {} }];
    expect(() => ledger.fold(broken)).toThrow(TypeError);
    expect(dossierTexts(ledger)).toEqual(before);
    expect(ledger.position()).toBe(6);
    ledger.fold(events);
    expect(ledger.dossier(story.run)?.position).toBe(events.length);
  });

  it('forgets a contract and a source that were learned in a batch that failed', () => {
    const events = withHeaders(stored(repaired));
    const ledger = open();
    expect(() => ledger.fold([...events.slice(0, 4), { ...events[4]!, bytes: null as never }])).toThrow(TypeError);
    expect(ledger.facts.contract(story.contract.ref).kind).toBe('unknown');
    expect(ledger.facts.source(story.idOf.source)).toBeUndefined();
  });

  it('halts before an event of an unknown version, with all before it folded, again and again', async () => {
    const next = tampered(story.failed(), { envelope: { type: 'stream.thought.agent.run.failed@2' } });
    const broker = await brokerWith([...story.declared, story.started(), next, story.request()]);
    const ledger = open();
    const halted = { kind: 'unknown_version', halt: { subject: next.subject, sequence: 6 }, position: 5 };
    expect(await foldLog({ ledger, log: broker.log, to: 7 })).toEqual(halted);
    expect(await foldLog({ ledger, log: broker.log })).toEqual(halted);
    expect(ledger.dossier(story.run)?.ended).toBeNull();
  });

  it('counts events without effect and goes on: garbage, a foreign place, a broken rule, a contract that does not compile', async () => {
    const broker = await brokerWith([
      garbageOn('stream.thought.source.note.captured.notes.broken'),
      garbageOn('stream.thought.nobody.knows.this'),
      tampered(story.contractDeclared, { data: { hash: '0'.repeat(64) } }),
      ...story.declared.slice(1),
      story.started(),
      story.produced(),
    ]);
    const ledger = open();
    const batches: FoldedBatch[] = [];
    await foldLog({ ledger, log: broker.log, to: 8, onBatch: (batch) => void batches.push(batch) });
    const voids = ledger.voids({ after: 0, limit: 10 });
    expect(voids).toEqual(batches.flatMap((batch) => batch.voids));
    expect(voids.map(({ sequence, code }) => [sequence, code])).toEqual([
      [1, 'not_json'],
      [2, 'not_json'],
      [3, 'declaration_void'],
      [8, 'contract_unknown'],
    ]);
    expect(ledger.counts()).toEqual({ runs: 1, voids: 4 });
    expect(ledger.voids({ after: 3, limit: 1 })).toHaveLength(1);
  });

  it('counts every event without effect, also those past the few that a dossier keeps one by one', async () => {
    const garbage = Array.from({ length: 40 }, (_, index) => garbageOn(`stream.thought.judgment.r.c${index}.1`));
    const [once, inBatches] = [open(), open()];
    once.fold(withHeaders(stored(garbage)));
    for (const event of withHeaders(stored(garbage))) inBatches.fold([event]);
    for (const folded of [once, inBatches]) {
      expect(folded.counts()).toEqual({ runs: 1, voids: 40 });
      expect(folded.voids({ after: 0, limit: 100 }).map(({ sequence, code }) => [sequence, code])).toEqual(
        garbage.map((_, index) => [index + 1, 'not_json']),
      );
      expect(folded.dossier('r')).toMatchObject({ ignoredCount: 40 });
      expect(folded.dossier('r')?.ignored).toHaveLength(32);
    }
  });

  it('folds runs whose place has the name of something every object has', async () => {
    const places = ['constructor', '__proto__', 'toString'];
    const broker = await brokerWith(
      places.flatMap((name) => [
        garbageOn(`stream.thought.agent.run.ended.notes.${name}`),
        garbageOn(`stream.thought.judgment.r.${name}.1`),
      ]),
    );
    const file = freshFile();
    const ledger = open({ file });
    await foldLog({ ledger, log: broker.log, to: 6 });
    expect([...ledger.runs()]).toEqual(['__proto__', 'constructor', 'r', 'toString']);
    const before = dossierTexts(ledger);
    ledger.close();
    expect(dossierTexts(open({ file }))).toEqual(before);
  });

  it('knows after a restart what it knew before: sources and contracts', () => {
    const file = freshFile();
    const first = open({ file });
    first.fold(withHeaders(stored(story.declared)));
    const source = first.facts.source(story.idOf.source);
    first.close();
    const second = open({ file });
    expect(source).toMatchObject({ kind: 'note', privacy: 'public', sourceClass: 'public-source' });
    expect(second.facts.source(story.idOf.source)).toEqual(source);
    const resolved = second.facts.contract(story.contract.ref);
    expect(resolved.kind === 'found' && resolved.contract.promptDescription).toBe(story.contract.promptDescription);
    expect(second.facts.contract({ ...story.contract.ref, hash: '0'.repeat(64) }).kind).toBe('hash_differs');
  });
});

describe('the checkpoint', () => {
  it('differs where the log holds other bytes at its sequence', async () => {
    const ledger = open();
    await foldLog({ ledger, log: (await brokerWith(repaired)).log, to: 9 });
    const other = await brokerWith([...repaired.slice(0, 8), garbageOn('stream.thought.agent.run.ended.a.b'), story.source()]);
    expect(await foldLog({ ledger, log: other.log, to: 9 })).toEqual({ kind: 'checkpoint_differs', position: 9 });
  });

  it.each([8, 7, 0])('differs where the log ends before it, at %i', async (length) => {
    const ledger = open();
    await foldLog({ ledger, log: (await brokerWith(repaired)).log, to: 9 });
    const shorter = await brokerWith(repaired.slice(0, length));
    expect(await foldLog({ ledger, log: shorter.log })).toEqual({ kind: 'checkpoint_differs', position: 9 });
  });

  it('lets a cleared ledger begin anew', async () => {
    const ledger = open();
    await foldLog({ ledger, log: (await brokerWith(repaired)).log, to: 9 });
    ledger.clear();
    expect([ledger.checkpoint(), ledger.position(), ledger.counts(), [...ledger.runs()]]).toEqual([null, 0, { runs: 0, voids: 0 }, []]);
    const broker = await brokerWith(story.answered());
    expect(await foldLog({ ledger, log: broker.log, to: 6 })).toEqual({ kind: 'folded', position: 6 });
    expect(ledger.dossier(story.run)?.ended?.kind).toBe('produced');
    expect(ledger.changedCount(VIEW)).toBe(1);
  });

  it('is a typed error of the file where the file is full, with nothing of the batch kept', async () => {
    const ledger = open({ bytesMax: 128 * 1024 });
    const many = Array.from({ length: 60 }, (_, index) => runStory({ reference: `run-${index}`, capture: 'one' }));
    const events = withHeaders(stored([...story.declared, ...many.flatMap((one) => [one.started(), one.failed()])]));
    ledger.fold(events.slice(0, 10));
    const before = dossierTexts(ledger);
    expect(() => ledger.fold(events)).toThrow(expect.objectContaining({ name: 'LedgerError', code: 'ledger_full' }) as LedgerError);
    expect(dossierTexts(ledger)).toEqual(before);
    expect(ledger.position()).toBe(10);
  });
});
