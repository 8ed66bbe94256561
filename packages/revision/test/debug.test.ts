import type { DebugEntry, DebugSink } from '@emend/revision';
import { describe, expect, test } from 'vitest';
import { oneStage } from './oneStage.js';
import { failed, revising, scriptedModel } from './scriptedModel.js';
import { edit, judge, target, claims } from './shop.js';

const secret = 'cashmere-7f3a';
const boast = edit('made of wool', `made of organic ${secret}`);

const run = async (debug?: DebugSink) => {
  const model = scriptedModel({
    p1: ['no json', revising('p1', edit('made of wool', `made of fine ${secret}`))],
    p2: [failed('context_exceeded')],
  });
  const meaning = judge(() => ({ kind: 'approved' }));
  const proposals = [boast, edit('light', 'organic'), edit('familiy', 'family')];
  const stage = await oneStage({ proposals, chain: [target, claims, meaning], model, budget: 2, ...(debug && { debug }) });
  const asked = model.calls.map(({ messages, schema, profile }) => ({ messages, schema, profile }));
  return { stage, asked, judged: meaning.seen };
};

const sink = (entries: DebugEntry[] = []): DebugSink & { readonly entries: readonly DebugEntry[] } => ({
  entries,
  redact: (text) => text.replaceAll(secret, '[redacted]'),
  record: (entry) => void entries.push(entry),
});

describe('attempt history goes to the debug sink and nowhere else (A95, A109)', () => {
  test('with and without a sink the same is asked, judged, applied and reported', async () => {
    expect(await run(sink())).toEqual(await run());
  });

  test('a sink or a redactor that fails changes nothing either', async () => {
    const throws = () => {
      throw new Error('disk full');
    };
    const plain = await run();
    expect(await run({ ...sink(), record: throws })).toEqual(plain);
    expect(await run({ ...sink(), redact: throws })).toEqual(plain);
  });

  test('holds every assessment and every attempt of each branch', async () => {
    const { entries, ...rest } = sink();
    await run({ ...rest });
    const steps = entries.map((entry) => [
      entry.lineage.root,
      entry.lineage.version,
      entry.kind,
      entry.kind === 'asked' ? entry.code : entry.findings.map(({ code }) => code).join(),
    ]);
    expect(steps.filter(([root]) => root === 'p1')).toEqual([
      ['p1', 1, 'assessed', 'claim_unproven'],
      ['p1', 1, 'asked', 'reply_not_json'],
      ['p1', 1, 'asked', null],
      ['p1', 2, 'assessed', ''],
    ]);
    expect(steps.filter(([root]) => root !== 'p1')).toEqual([
      ['p2', 1, 'assessed', 'claim_unproven'],
      ['p3', 1, 'assessed', ''],
      ['p2', 1, 'asked', 'context_exceeded'],
    ]);
  });

  test('is redacted in every text that it holds', async () => {
    const { entries, ...rest } = sink();
    await run({ ...rest });
    expect(JSON.stringify(entries)).not.toContain(secret);
    expect(JSON.stringify(entries)).toContain('made of fine [redacted]');
    const everything: DebugEntry[] = [];
    await run({ redact: () => '-', record: (entry) => void everything.push(entry) });
    const texts = everything.flatMap((entry) =>
      entry.kind === 'asked'
        ? [...entry.messages.map(({ content }) => content), entry.reply ?? '-']
        : entry.findings.flatMap(({ explanation, evidence = [], constraints = [] }) => [explanation, ...evidence, ...constraints]),
    );
    expect(texts.length).toBeGreaterThan(10);
    expect(new Set(texts)).toEqual(new Set(['-']));
  });
});
