import { applyInOrder, applySpan, repairReport, revise, type RevisionRun, type SpanEdit, spanDocument, textsOf } from '@emend/revision';
import { type ScriptedModel, scriptedModel } from './scriptedModel.js';
import { type Check, exchange, page, stageOf } from './shop.js';

interface OneStage extends Partial<RevisionRun> {
  readonly chain?: readonly Check[];
  readonly proposals: readonly SpanEdit[];
  readonly model?: ScriptedModel;
  readonly protectedTerms?: readonly string[];
}

/** A whole stage over the shop's page: revised, applied and reported. */
export async function oneStage({ chain, proposals, model = scriptedModel({}), protectedTerms, ...run }: OneStage) {
  const revised = await revise(
    stageOf(chain),
    { exchange, proposals },
    { budget: 1, profile: 'careful', call: model.call, signal: new AbortController().signal, ...run },
  );
  const { document, outcomes } = applyInOrder(revised.branches, spanDocument(page, protectedTerms), applySpan);
  return {
    kind: revised.kind,
    outcomes,
    report: repairReport(outcomes),
    texts: Object.fromEntries(textsOf(document)),
    dispositions: outcomes.map(({ disposition, code }) => (code === null ? disposition : `${disposition}(${code})`)),
  };
}
