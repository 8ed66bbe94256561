import { readDictionary } from '../src/adapters/dictionary.js';
import { readPromptFiles, shippedPrompts } from '../src/adapters/promptFiles.js';
import type { CheckContext } from '../src/domain/checks/check.js';
import { compilePrompts, type PromptFiles, type Prompts } from '../src/prompts.js';
import type { Segment } from '../src/domain/segments.js';
import type { Section } from '../src/domain/sections.js';
import { runStage, type StageDeps, type StageEnd } from '../src/runStage.js';
import type { ScriptedModel } from './scriptedModel.js';

export const isWord = await readDictionary();
export const shippedFiles: PromptFiles = await readPromptFiles(shippedPrompts);

export function compiled(files: PromptFiles): Prompts {
  const end = compilePrompts(files);
  if (end.kind === 'refused') throw new Error(JSON.stringify(end.faults));
  return end.prompts;
}
export const prompts = compiled(shippedFiles);

export const segmentOf = (id: string, text: string): Segment => ({ id, speaker: null, startMs: null, endMs: null, text });

/** A section of these texts, under references from 1 or the ones that are given. */
export const sectionWith = (texts: readonly string[], refs: readonly number[] = texts.map((_, index) => index + 1)): Section => ({
  number: 1,
  segments: texts.map((text, index) => ({ ref: refs[index] ?? 0, segment: segmentOf(`s${index + 1}`, text) })),
});

export const contextOf = (change: Partial<CheckContext> & Pick<CheckContext, 'section'>): CheckContext => ({
  module: 'grammar',
  glossary: [],
  protectedTerms: [],
  language: null,
  isWord,
  ...change,
});

/** One stage with one semantic attempt, over a scripted model. */
export const stageOn = (
  model: Pick<ScriptedModel, 'call'>,
  context: CheckContext,
  change: Partial<StageDeps> & { readonly budget?: number } = {},
): Promise<StageEnd> => {
  const { budget = 1, ...deps } = change;
  return runStage(
    {
      prompts,
      call: model.call,
      settings: { budget, profile: 'small', repairProfile: 'small' },
      signal: new AbortController().signal,
      ...deps,
    },
    context,
  );
};

export type StageDone = Extract<StageEnd, { kind: 'done' }>;
export function done(end: StageEnd): StageDone {
  if (end.kind !== 'done') throw new Error(`the stage ended as ${end.kind}`);
  return end;
}
export const textsOf = ({ section }: StageDone): readonly string[] => section.segments.map(({ segment }) => segment.text);
