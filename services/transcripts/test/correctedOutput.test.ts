import {
  canonicalBytes,
  correctedContentSchema,
  encodeEvent,
  eventBytesMax,
  outputBytesMax,
  parseStrictJson,
  sha256,
  subjects,
  transcriptOutputSchema,
} from '@emend/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { correctTranscript } from '../src/correctTranscript.js';
import { type Corrected, type OutputWritten, writeOutput } from '../src/domain/correctedOutput.js';
import { identified } from '../src/domain/segments.js';
import { stageSettings } from '../src/settings.js';
import { contract, longTalk, shortTalk, toldAt } from './scene.js';
import { approve, correction, reject, revise, scriptedModel, withdraw } from './scriptedModel.js';
import { isWord, prompts } from './stageOn.js';

const tally = { calls: 1, transportRetries: 0, structuralRepairs: 0, repairedReplies: 0, promptTokens: null, completionTokens: 5 };
const calls = { proposals: tally, decisions: tally, revisions: tally };
const outcome = (at: number) => ({
  stage: 'grammar' as const,
  section: at + 1,
  proposal: 'p1',
  applied: false,
  disposition: 'exhausted' as const,
  code: 'number_changed',
  attempts: 1,
  structuralRepairs: 0,
  transportRetries: 0,
  usage: [{ promptTokens: 300, completionTokens: 20 }],
});
const corrected = (segments: Corrected['segments'], outcomes = 0): Corrected => ({
  kind: 'corrected',
  segments,
  corrections: [],
  report: {
    sections: 1,
    proposed: outcomes,
    applied: 0,
    repairOutcomes: Array.from({ length: outcomes }, (_, at) => outcome(at)),
    notApplied: [],
    calls,
  },
});
const refOf = (bytes: Uint8Array) => {
  const hash = sha256(bytes);
  return { bucket: 'transcripts', name: `${'R'.repeat(22)}.${hash}`, hash, bytes: bytes.byteLength };
};
function outputOf(written: OutputWritten) {
  if (written.kind === 'too_large') throw new Error(written.kind);
  return written.kind === 'inline' ? written.output : written.outputWith(refOf(written.bytes));
}

const id = 'R'.repeat(22);
const longest = subjects.source({ kind: 'k'.repeat(64), producer: 'p'.repeat(64), capture: 'c'.repeat(64) });
const envelope = {
  source: 'transcripts',
  time: toldAt,
  rootId: id,
  causationId: id,
  privacy: 'public',
  sourceClass: 'public-source',
} as const;

describe('the output of a run', () => {
  it('is whole where the end has room for it', () => {
    const written = writeOutput(corrected(identified(shortTalk), 2), 'en');
    expect(written.kind).toBe('inline');
    expect(outputOf(written)).toMatchObject({
      language: 'en',
      report: { dispositions: { exhausted: 2 }, repairOutcomes: [{ section: 1 }, { section: 2 }], notApplied: [] },
      body: { segments: shortTalk, corrections: [] },
    });
  });

  it('has its segments in an object where they have no room, and the report with its lists still in the end', () => {
    const written = writeOutput(corrected(identified(longTalk()), 2), null);
    if (written.kind !== 'beside') throw new Error(written.kind);
    const output = outputOf(written);
    expect(output.body).toEqual({ object: refOf(written.bytes), segments: 900, corrections: 0 });
    expect(output.report.repairOutcomes).toHaveLength(2);
    const parsed = parseStrictJson(new TextDecoder().decode(written.bytes));
    const content = correctedContentSchema.parse(parsed.kind === 'parsed' ? parsed.value : null);
    expect(content.segments).toEqual(longTalk());
    expect(content.repairOutcomes).toHaveLength(2);
  });

  it('has the lists in the object too where they have no room, and their counts in the end', () => {
    const written = writeOutput(corrected(identified(longTalk()), 400), null);
    if (written.kind !== 'beside') throw new Error(written.kind);
    const { report } = outputOf(written);
    expect(report).toMatchObject({ dispositions: { exhausted: 400 }, proposed: 400 });
    expect([report.repairOutcomes, report.notApplied]).toEqual([undefined, undefined]);
    expect(canonicalBytes(outputOf(written)).byteLength).toBeLessThan(2_000);
  });

  it('always fits its contract and an event, and nothing is lost: any number of segments and outcomes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 700 }), fc.integer({ min: 0, max: 400 }), (segments, outcomes) => {
        const written = writeOutput(corrected(identified(longTalk(segments)), outcomes), 'en');
        const output = outputOf(written);
        expect(contract.check(output)).toMatchObject({ kind: 'valid' });
        expect(transcriptOutputSchema.parse(output)).toEqual(output);
        expect(canonicalBytes(output).byteLength).toBeLessThanOrEqual(outputBytesMax);
        if (written.kind === 'inline') expect(output.report.repairOutcomes).toHaveLength(outcomes);
        const encoded = encodeEvent({
          ...envelope,
          name: 'transcriptCorrected',
          data: { ...output, producer: 'p'.repeat(64), run: id, trigger: longest, ended: id, contract: contract.ref },
        });
        expect(encoded.bytes.byteLength).toBeLessThanOrEqual(eventBytesMax);
      }),
      { numRuns: 30 },
    );
  });

  it('counts every proposal once, by what became of it', async () => {
    const text = 'they was late and we met at six and he go home';
    const model = scriptedModel((wanted, call) => {
      if (wanted.kind === 'decide') return wanted.check === 'style' ? reject('style_changed') : approve;
      if (wanted.kind === 'revise') return wanted.ref === 'p1' ? withdraw('p1') : revise(wanted.ref, correction('at six', 'at six.'));
      const isGrammar = call.messages[0]?.content.includes('mend grammar') ?? false;
      return {
        corrections: isGrammar ? [correction('they was', 'they were'), correction('at six', 'at seven'), correction('he', 'he')] : [],
      };
    });
    const end = await correctTranscript(
      {
        prompts,
        isWord,
        call: model.call,
        settings: stageSettings({ profile: 'small' }),
        sectionsInWork: 1,
        signal: new AbortController().signal,
      },
      { segments: identified([{ speaker: null, startMs: null, endMs: null, text }]), glossary: [], protectedTerms: [], language: null },
    );
    if (end.kind !== 'corrected') throw new Error(end.kind);
    const { report } = outputOf(writeOutput(end, null));
    expect(Object.values(report.dispositions).reduce((sum, count) => sum + count, 0)).toBe(report.proposed);
    expect(report.dispositions).toMatchObject({ withdrawn: 1, no_effect: 1 });
  });
});
