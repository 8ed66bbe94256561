import {
  canonicalHash,
  canonicalText,
  compileContract,
  type Diagnostic,
  eventIdOf,
  judgeCompletion,
  observation,
  type OutputContractDefinition,
  semanticRules,
  semanticRulesOf,
} from '@emend/contracts';
import { type Model, type ModelAnswer, usageUnsaid } from '@emend/model';
import { completionProtocol, ringOne } from '@emend/overseer';
import { sourceSubject } from '../../demo/src/observers.js';
import type { RecordedAnswer, Samples } from '../../demo/src/samples.js';

/** As the log holds it: its members in canonical order, as the overseer's prompt shows them. */
const contract = compileContract(JSON.parse(canonicalText(observation)) as OutputContractDefinition);
const rules = [...semanticRulesOf(contract.ref.id), semanticRules.noControlCharacters, semanticRules.noRepetitionLoop];
const protocol = completionProtocol(contract);

/** How recorded answers come out: each through ring 1 and then the rules of the runner, without a log and without a service. */
export async function recountedAnswers({ notes, answers, repairs }: Samples) {
  const texts = new Map(notes.map(({ id, text }) => [id, text]));
  const byPrompt = new Map(repairs.map((repair) => [repair.promptHash, repair]));
  const counts = { exact: 0, repaired: 0, overseen: 0, failed: {} as Record<string, number>, overseer: 0 };
  for (const answer of answers) {
    const model = modelOf(() => answer);
    const repairModel = modelOf((messages) => byPrompt.get(canonicalHash(messages)));
    const invocation = ringOne({ role: 'standard', model, repairModel, protocol });
    const { turn, calls } = await invocation.invoke({ invocation: 'recount', messages: [], limits, signal: new AbortController().signal });
    counts.overseer += calls.filter(({ call }) => call === 'overseer').length;
    if (turn.kind !== 'completed' && turn.kind !== 'malformed') throw new Error(`${answer.id}: ${turn.kind}`);
    const broken = turn.kind === 'completed' ? ruledOut(turn.text, answer, texts) : turn.diagnostic;
    if (broken !== null) counts.failed[broken.class] = (counts.failed[broken.class] ?? 0) + 1;
    else if (turn.kind === 'completed') counts[turn.obtained] += 1;
  }
  return counts;
}

const limits = { outputTokensMax: 512, generationMs: 1_000 };

function modelOf(answer: (messages: unknown) => Pick<RecordedAnswer, 'output' | 'finishReason'> | undefined): Model {
  const identity = { provider: 'p', model: 'm', executionAdapter: 'a@1', catalog: { digest: '0'.repeat(64), generation: 1 } };
  return {
    identity,
    async generate({ messages }): Promise<ModelAnswer> {
      const said = answer(messages);
      if (said === undefined) return { kind: 'failed', code: 'provider_failed' };
      return { kind: 'generated', text: said.output, finishReason: said.finishReason, usage: usageUnsaid };
    },
  };
}

function ruledOut(text: string, { note }: RecordedAnswer, texts: ReadonlyMap<string, string>): Diagnostic | null {
  const sources = new Map([[eventIdOf(sourceSubject(note)), texts.get(note) ?? '']]);
  const judged = judgeCompletion(contract, { text, finishReason: 'stop' }, { sources }, rules);
  return judged.kind === 'failed' ? judged.diagnostic : null;
}
