import { type Diagnostic, judgeCompletion } from '@emend/contracts';
import {
  applyInOrder,
  type CallPort,
  type DebugSink,
  type Outcome,
  type RepairOutcome,
  repairReport,
  replyContract,
  type RevisionStage,
  revise,
} from '@emend/revision';
import { type CallKind, type CallTallies, noCalls, withAnswer } from './domain/callTally.js';
import type { CheckContext } from './domain/checks/check.js';
import type { AppliedCorrection, NotApplied } from './domain/correctedTranscript.js';
import { changeOf, type Correction, type Fact, factsOf } from './domain/correction.js';
import { correctionSchema, correctionSetContract, correctionsIn } from './domain/corrections.js';
import { deterministicChain } from './domain/deterministicChain.js';
import { modules } from './domain/modules.js';
import type { Prompts } from './prompts.js';
import { proposeVariables, repairVariables } from './domain/promptVariables.js';
import { applyCorrection, sectionDocument } from './domain/sectionDocument.js';
import type { Section } from './domain/sections.js';
import { modelValidator } from './modelValidator.js';

/** What is in force for one stage, root and stage combined. */
export interface StageSettings {
  readonly budget: number;
  /** Of the proposal calls and of the decisions. */
  readonly profile: string;
  readonly repairProfile: string;
}

export interface StageDeps {
  readonly prompts: Prompts;
  /** Every call of a stage goes this way: proposals, decisions and revisions share its admission (A90, A124). */
  readonly call: CallPort;
  readonly settings: StageSettings;
  readonly signal: AbortSignal;
  readonly debug?: DebugSink;
}

export type StageEnd =
  | {
      readonly kind: 'done';
      readonly section: Section;
      readonly applied: readonly AppliedCorrection[];
      readonly proposed: number;
      readonly repairOutcomes: readonly RepairOutcome[];
      readonly notApplied: readonly NotApplied[];
      readonly calls: CallTallies;
    }
  /** The proposal call: a failed run like any other. What becomes of single proposals never fails a stage. */
  | { readonly kind: 'failed'; readonly code: string; readonly diagnostic: Pick<Diagnostic, 'class'> | null }
  | { readonly kind: 'cancelled' };

const correctionReply = replyContract(correctionSchema);

/** One stage over one section: propose, validate, revise, apply. */
export async function runStage(deps: StageDeps, context: CheckContext): Promise<StageEnd> {
  const { prompts, settings, signal } = deps;
  const counted = countedCalls(deps.call);
  const messages = prompts.render(`${context.module}.propose`, proposeVariables(context));
  const answer = await counted.port('proposals')({ messages, schema: correctionSetContract.schema, profile: settings.profile, signal });
  if (signal.aborted) return { kind: 'cancelled' };
  if (answer.kind === 'failed') return { kind: 'failed', code: answer.code, diagnostic: null };
  const judged = judgeCompletion(correctionSetContract, { text: answer.text, finishReason: 'stop' }, { sources: new Map() }, []);
  if (judged.kind === 'failed') return { kind: 'failed', code: judged.diagnostic.class, diagnostic: judged.diagnostic };

  const proposals = correctionsIn(judged.output);
  const revised = await revise(
    revisionStage({ ...deps, call: counted.port('decisions') }, context, proposals),
    { exchange: { messages, reply: answer.received ?? answer.text }, proposals },
    {
      budget: settings.budget,
      profile: settings.repairProfile,
      call: counted.port('revisions'),
      signal,
      ...(deps.debug && { debug: deps.debug }),
    },
  );
  if (revised.kind === 'cancelled') return { kind: 'cancelled' };
  const kept = [...new Set([...context.protectedTerms, ...context.glossary])];
  const { document, outcomes } = applyInOrder(revised.branches, sectionDocument(context.section, kept), applyCorrection);
  const section = {
    ...context.section,
    segments: context.section.segments.map(({ ref, segment }) => ({
      ref,
      segment: { ...segment, text: document.segments.get(ref)?.after ?? segment.text },
    })),
  };
  return {
    kind: 'done',
    section,
    applied: outcomes.flatMap((outcome) => appliedOf(outcome, context)),
    proposed: proposals.length,
    repairOutcomes: repairReport(outcomes),
    notApplied: outcomes.flatMap((outcome) => notAppliedOf(outcome)),
    calls: counted.calls(),
  };
}

/** A port for each kind of call, and what they were asked in all. */
function countedCalls(call: CallPort): { readonly port: (kind: CallKind) => CallPort; readonly calls: () => CallTallies } {
  let calls = noCalls;
  const port =
    (kind: CallKind): CallPort =>
    async (asked) => {
      const answer = await call(asked);
      calls = withAnswer(calls, kind, answer);
      return answer;
    };
  return { port, calls: () => calls };
}

function revisionStage(deps: StageDeps, context: CheckContext, proposals: readonly Correction[]): RevisionStage<Correction, Fact> {
  const { prompts, call, settings } = deps;
  const decision = { prompts, call, profile: settings.profile };
  return {
    chain: [
      ...deterministicChain(context, proposals),
      ...modules[context.module].modelChecks.map((name) => modelValidator(name, decision, context)),
    ],
    factsOf: (proposal) => factsOf(changeOf(context.section, proposal)),
    reply: correctionReply,
    proposalOf: (correction) => correction as unknown as Correction, // the contract has passed it
    instruction(feedback) {
      const variables = repairVariables(feedback, { replyContract: correctionReply.description, language: context.language });
      return prompts.render(`${context.module}.repair`, variables)[0]?.content ?? '';
    },
  };
}

function appliedOf({ disposition, candidate }: Outcome<Correction>, { section, module }: CheckContext): readonly AppliedCorrection[] {
  const segment = section.segments.find(({ ref }) => ref === candidate.proposal.segment)?.segment;
  if (disposition !== 'approved_applied' || segment === undefined) return [];
  const { root: proposal, version } = candidate.lineage;
  return [{ ...candidate.proposal, segment: segment.id, stage: module, section: section.number, proposal, version }];
}

const notAppliedOf = ({ disposition, candidate, code }: Outcome<Correction>): readonly NotApplied[] =>
  disposition === 'approved_not_applied' && candidate.lineage.version === 1 ? [{ proposal: candidate.lineage.root, code: code ?? '' }] : [];
