import { setMaxListeners } from 'node:events';
import type { CallPort, DebugSink } from '@emend/revision';
import pLimit from 'p-limit';
import { type CallTallies, noCalls, sumOfAll } from './domain/callTally.js';
import type { CheckContext } from './domain/checks/check.js';
import { modules } from './domain/modules.js';
import { type ModuleName, moduleNames } from './domain/moduleNames.js';
import { type Section, sectionsOf } from './domain/sections.js';
import type { Prompts } from './prompts.js';
import type { AppliedCorrection, CorrectionEnd, TranscriptReport, TranscriptToCorrect, WorkUnit } from './domain/correctedTranscript.js';
import { runStage, type StageSettings } from './runStage.js';

export interface CorrectDeps {
  readonly prompts: Prompts;
  readonly call: CallPort;
  readonly settings: Readonly<Record<ModuleName, StageSettings>>;
  readonly isWord: (word: string) => boolean;
  /** Sections in work at once; what waits beyond them is in memory as text alone. Twice the admission of the model keeps it busy. */
  readonly sectionsInWork: number;
  readonly signal: AbortSignal;
  /** Where attempt histories may go, by stage and section. */
  readonly debug?: (at: WorkUnit) => DebugSink;
}

interface SectionDone {
  readonly kind: 'done';
  readonly section: Section;
  readonly proposed: number;
  readonly corrections: readonly AppliedCorrection[];
  readonly repairOutcomes: TranscriptReport['repairOutcomes'];
  readonly notApplied: TranscriptReport['notApplied'];
  readonly calls: CallTallies;
}
type SectionEnd = SectionDone | Exclude<CorrectionEnd, { kind: 'corrected' }>;

/**
 * Takes each section through the stages in their order. Sections share nothing but the model, so they go side by side, and what comes
 * of them is put together in the order of the transcript. A stage that fails ends the work: the others are told to stop.
 */
export async function correctTranscript(deps: CorrectDeps, transcript: TranscriptToCorrect): Promise<CorrectionEnd> {
  const over = new AbortController();
  const signal = AbortSignal.any([deps.signal, over.signal]);
  // Every call in flight listens, and how many there are is the admission's to bound.
  setMaxListeners(0, signal);
  const limit = pLimit(deps.sectionsInWork);
  const working = sectionsOf(transcript.segments).map((section) =>
    limit(async () => {
      try {
        const end = await correctSection({ ...deps, signal }, transcript, section);
        if (end.kind === 'failed') over.abort();
        return end;
      } catch (error) {
        over.abort();
        throw error;
      }
    }),
  );
  await Promise.allSettled(working);
  const ends = await Promise.all(working);
  if (deps.signal.aborted) return { kind: 'cancelled' };
  const failed = ends.find((end) => end.kind === 'failed');
  if (failed !== undefined) return failed;
  const done = ends.filter((end) => end.kind === 'done');
  return done.length === ends.length ? together(done) : { kind: 'cancelled' };
}

async function correctSection(deps: CorrectDeps, transcript: TranscriptToCorrect, first: Section): Promise<SectionEnd> {
  let so: SectionDone = { kind: 'done', section: first, proposed: 0, corrections: [], repairOutcomes: [], notApplied: [], calls: noCalls };
  for (const stage of moduleNames) {
    if (modules[stage].needsGlossary && transcript.glossary.length === 0) continue;
    const at: WorkUnit = { stage, section: first.number };
    const { glossary, protectedTerms, language } = transcript;
    const context: CheckContext = { module: stage, section: so.section, glossary, protectedTerms, language, isWord: deps.isWord };
    const { prompts, call, settings, signal, debug } = deps;
    const end = await runStage({ prompts, call, settings: settings[stage], signal, ...(debug && { debug: debug(at) }) }, context);
    if (end.kind === 'failed') return { kind: 'failed', code: end.code, ...at };
    if (end.kind === 'cancelled') return end;
    so = {
      kind: 'done',
      section: end.section,
      proposed: so.proposed + end.proposed,
      corrections: [...so.corrections, ...end.applied],
      repairOutcomes: [...so.repairOutcomes, ...end.repairOutcomes.map((outcome) => ({ ...at, ...outcome }))],
      notApplied: [...so.notApplied, ...end.notApplied.map((one) => ({ ...at, ...one }))],
      calls: sumOfAll([so.calls, end.calls]),
    };
  }
  return so;
}

function together(sections: readonly SectionDone[]): Extract<CorrectionEnd, { kind: 'corrected' }> {
  const corrections = sections.flatMap((section) => section.corrections);
  return {
    kind: 'corrected',
    segments: sections.flatMap(({ section }) => section.segments.map(({ segment }) => segment)),
    corrections,
    report: {
      sections: sections.length,
      proposed: sections.reduce((sum, { proposed }) => sum + proposed, 0),
      applied: corrections.length,
      repairOutcomes: sections.flatMap((section) => section.repairOutcomes),
      notApplied: sections.flatMap((section) => section.notApplied),
      calls: sumOfAll(sections.map((section) => section.calls)),
    },
  };
}
