import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DebugEntry } from '@emend/revision';
import { describe, expect, it } from 'vitest';
import { type FindingCode, findingCodes } from '../src/domain/findingCodes.js';
import { codesOf } from '../src/domain/modelChecks.js';
import type { ModuleName } from '../src/domain/moduleNames.js';
import { placeOf } from '../src/domain/place.js';
import { approve, correction, failed, reject, revise, scriptedModel, withdraw } from './scriptedModel.js';
import { contextOf, done, sectionWith, stageOn, textsOf } from './stageOn.js';

interface Edit {
  readonly original: string;
  readonly replacement: string;
  readonly segment?: number;
}

interface Case {
  readonly id: string;
  readonly note: string;
  readonly segment_text: string;
  readonly section?: readonly { readonly ref: number; readonly text: string }[];
  readonly module: ModuleName;
  readonly glossary?: readonly string[];
  readonly protected?: readonly string[];
  readonly proposal: Edit;
  readonly accepted?: readonly Edit[];
  readonly validator_findings: readonly { readonly validator: string; readonly code: string }[];
  readonly good_revision: 'withdraw' | Edit;
}

const file = fileURLToPath(new URL('../../../test/cases/transcript.jsonl', import.meta.url));
const cases = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);

const byModel = (code: string): boolean => Object.hasOwn(findingCodes, code) && findingCodes[code as FindingCode].by === 'model';
const edit = ({ original, replacement, segment }: Edit, ref: number) => correction(original, replacement, segment ?? ref);

/** One case through its stage: the model says what the case has it say, and everything else is our own text checks. */
async function play(one: Case) {
  const lines = one.section ?? [{ ref: 1, text: one.segment_text }];
  const ref = lines[0]?.ref ?? 1;
  const section = sectionWith(
    lines.map(({ text }) => text),
    lines.map((line) => line.ref),
  );
  const accepted = (one.accepted ?? []).map((before) => edit(before, ref));
  const asked = `p${accepted.length + 1}`;
  const saidByModel = one.validator_findings.filter(({ code }) => byModel(code));
  let revised = false;
  const model = scriptedModel((wanted, { messages }) => {
    if (wanted.kind === 'propose') return { corrections: [...accepted, edit(one.proposal, ref)] };
    if (wanted.kind === 'revise') {
      revised = true;
      return one.good_revision === 'withdraw' ? withdraw(wanted.ref) : revise(wanted.ref, edit(one.good_revision, ref));
    }
    const isAboutIt = messages.some(({ content }) =>
      content.includes(JSON.stringify(lines[0]?.text.replace(one.proposal.original, one.proposal.replacement))),
    );
    if (revised || !isAboutIt) return approve;
    if (one.validator_findings.some(({ validator, code }) => validator === wanted.check && code === 'unavailable'))
      return failed('provider_failed');
    const said = saidByModel.find(({ code }) => codesOf(wanted.check).includes(code as FindingCode));
    return said ? reject(said.code) : approve;
  });
  const entries: DebugEntry[] = [];
  const end = done(
    await stageOn(model, contextOf({ section, module: one.module, glossary: one.glossary ?? [], protectedTerms: one.protected ?? [] }), {
      debug: { redact: (text) => text, record: (entry) => void entries.push(entry) },
    }),
  );
  const first = entries.find((entry) => entry.kind === 'assessed' && entry.lineage.root === asked && entry.lineage.version === 1);
  return { end, asked, calls: model.calls, first: first?.kind === 'assessed' ? first : null, lines, ref };
}

describe('the cases of transcript.jsonl', () => {
  it('are all here', () => {
    expect(cases.map(({ id }) => id)).toEqual(Array.from({ length: 48 }, (_, index) => `T${String(index + 1).padStart(3, '0')}`));
  });

  it.each(cases.map((one) => [one.id, one] as const))('%s: its findings, and no other', async (_, one) => {
    const { first } = await play(one);
    const found = (first?.findings ?? []).map(({ code }) => ({ validator: findingCodes[code as FindingCode].remit, code }));
    const missing = (first?.unavailable ?? []).map(({ validator }) => ({ validator, code: 'unavailable' }));
    const sorted = (all: readonly { readonly validator: string; readonly code: string }[]) =>
      all.map(({ validator, code }) => `${validator}/${code}`).sort();
    expect(sorted([...found, ...missing])).toEqual(sorted(one.validator_findings));
  });

  it.each(cases.map((one) => [one.id, one] as const))('%s: the good answer is what becomes of it', async (_, one) => {
    const { end, asked, calls, lines, ref } = await play(one);
    const outcome = end.repairOutcomes.find(({ proposal }) => proposal === asked);
    const revisions = calls.filter(({ wanted }) => wanted.kind === 'revise').length;
    const texts = new Map(lines.map((line) => [line.ref, line.text]));
    const change = (made: Edit): void => {
      const at = made.segment ?? ref;
      const text = texts.get(at) ?? '';
      const place = placeOf(text, made.original);
      if (place.kind === 'found') texts.set(at, `${text.slice(0, place.start)}${made.replacement}${text.slice(place.end)}`);
    };
    for (const before of one.accepted ?? []) change(before);
    if (one.validator_findings.some(({ code }) => code === 'no_effect')) {
      expect([outcome?.disposition, revisions]).toEqual(['no_effect', 0]);
    } else if (one.good_revision === 'withdraw') {
      expect([outcome?.disposition, outcome?.applied, revisions]).toEqual(['withdrawn', false, 1]);
    } else {
      change(one.good_revision);
      expect([outcome?.disposition, outcome?.applied, revisions]).toEqual(['approved_applied', true, 1]);
    }
    expect(textsOf(end)).toEqual([...texts.values()]);
  });
});
