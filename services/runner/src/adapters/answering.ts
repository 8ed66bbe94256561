import { AsyncLocalStorage } from 'node:async_hooks';
import { generateOnce, type GenerateDeps, type GenerateEvents, type GenerationEnd, promptHashOf, type RunRequest } from '@emend/agents';
import { finishMeaning, judgeCompletion, type OutputContract } from '@emend/contracts';
import { type ChatMessage, type Model, type ModelAnswer, type ModelRequest, usageUnsaid } from '@emend/model';
import { type Call, completionProtocol, type Invocation, type OutputRepairSink, ringOne, type Turn } from '@emend/overseer';
import type { FailedCode, FailureCode, NotGeneratedCode } from '../domain/failureCodes.js';
import type { RunnerEvents } from '../events.js';
import type { Answered, AnsweredTurn, Answering, AnswerRequest } from '../ports.js';

/** A model as this service asks one: behind a sandboxed worker. */
export type RunModel = Model<RunRequest, ModelAnswer<FailedCode, NotGeneratedCode>>;

export interface AnsweringOptions extends GenerateDeps<RunRequest, FailedCode, NotGeneratedCode> {
  readonly generator: RunModel;
  readonly events: GenerateEvents & Pick<RunnerEvents, 'finishReasonUnknown'>;
  readonly contract: OutputContract;
  /** Ring 1: who repairs, and who is told. Null, and the strict judge alone decides. */
  readonly outputRepair: { readonly model: RunModel; readonly trace: OutputRepairSink } | null;
}

/** The model of a declaration, its wait for a provider, and ring 1 around both or not: wrapped once, for every run (O21). */
export function answeringOf(options: AnsweringOptions): Answering {
  const { generator, contract, outputRepair } = options;
  const runs = new AsyncLocalStorage<RunInHand>();
  const model = primaryModel(options, () => inHand(runs));
  const invocation =
    outputRepair === null
      ? strictInvocation(model, contract)
      : ringOne({
          role: 'standard',
          model,
          repairModel: repairModel(outputRepair.model, () => inHand(runs)),
          protocol: completionProtocol(contract),
          trace: outputRepair.trace,
        });
  return {
    identity: generator.identity,
    async answer(request): Promise<Answered> {
      const hand: RunInHand = { request, end: null };
      const { run, messages, limits, signal } = request;
      const asked = { invocation: request.invocation, run, messages, limits, signal };
      const { turn, calls } = await runs.run(hand, () => invocation.invoke(asked));
      for (const { finish } of calls) if (finish === 'unknown') options.events.finishReasonUnknown(run);
      const count = (kind: Call['call']): number => calls.filter(({ call }) => call === kind).length;
      return {
        turn: answeredTurn(turn, hand.end),
        calls: { primary: count('primary'), overseer: count('overseer') },
        text: hand.end?.kind === 'generated' ? hand.end.text : null,
      };
    },
  };
}

/** The run that an invocation is for, and what its one primary call gave: its text for the quarantine, its code for the diagnostic. */
interface RunInHand {
  readonly request: AnswerRequest;
  end: GenerationEnd<FailedCode, NotGeneratedCode> | null;
}

function inHand(runs: AsyncLocalStorage<RunInHand>): RunInHand {
  const hand = runs.getStore();
  if (hand === undefined) throw new Error('a model of the runner is called for a run');
  return hand;
}

function primaryModel(options: AnsweringOptions, current: () => RunInHand): Model {
  return {
    identity: options.generator.identity,
    async generate(request) {
      const hand = current();
      const { run, promptHash } = hand.request;
      const end = await generateOnce(options, { ...request, messages: firstTurn(request.messages), id: run, promptHash });
      hand.end = end;
      // The code itself is read from what was kept: an invocation knows those of a model alone.
      return end.kind === 'generated' ? end : { kind: 'failed', code: request.signal.aborted ? 'call_cancelled' : 'provider_failed' };
    },
  };
}

/** A worker has one turn: a request that goes on from an earlier answer is a bug of ours. */
function firstTurn(messages: ModelRequest['messages']): readonly ChatMessage[] {
  return messages.map(({ role, content }) => {
    if (role === 'assistant') throw new TypeError('a sandboxed run has no earlier answer');
    return { role, content };
  });
}

/** An overseer call waits for nobody: a provider that does not answer gives the primary's own turn back. */
const repairModel = (model: RunModel, current: () => RunInHand): Model => ({
  identity: model.identity,
  async generate(request) {
    const { run } = current().request;
    const messages = firstTurn(request.messages);
    const answer = await model.generate({ ...request, messages, id: run, promptHash: promptHashOf(messages) });
    if (answer.kind === 'generated') return answer;
    return answer.kind === 'failed' ? { kind: 'failed', code: 'provider_failed' } : { kind: 'not_generated', code: 'connection_failed' };
  },
});

/** Without ring 1: the judge of the contract, as every producer has it, and no second reading. */
function strictInvocation(model: Model, contract: OutputContract): Invocation {
  const { ref, schema } = contract;
  return {
    async invoke({ messages, limits, signal }) {
      const answer = await model.generate({ messages, limits, signal, contract: { name: `${ref.id}@${ref.version}`, schema } });
      const finish = answer.kind === 'generated' ? finishMeaning(answer.finishReason) : null;
      const call = { call: 'primary', model: model.identity.model, finish, usage: usageUnsaid } as const;
      return { turn: strictTurn(answer, contract), calls: [call] };
    },
  };
}

function strictTurn(answer: ModelAnswer, contract: OutputContract): Turn {
  if (answer.kind !== 'generated') return answer;
  const judged = judgeCompletion(contract, answer, { sources: new Map() }, []);
  if (judged.kind === 'failed') return { kind: 'malformed', diagnostic: judged.diagnostic, candidate: null };
  return { kind: 'completed', output: judged.output, text: judged.text, obtained: 'exact', edits: [] };
}

function answeredTurn(turn: Turn, end: RunInHand['end']): AnsweredTurn {
  switch (turn.kind) {
    case 'completed': {
      const { output, text, obtained, edits } = turn;
      return { kind: 'output', output, canonical: text, completion: obtained, edits: edits.map(({ code, count }) => ({ code, count })) };
    }
    case 'malformed':
      return { kind: 'malformed', diagnostic: turn.diagnostic };
    case 'cancelled':
      return { kind: 'failed', code: end?.kind === 'failed' ? end.code : 'shutdown' };
    case 'failed':
    case 'not_generated':
      return { kind: 'failed', code: failureCode(turn.code, end) };
    default:
      return turn satisfies never;
  }
}

const failureCode = (said: FailureCode, end: RunInHand['end']): FailureCode => (end?.kind === 'failed' ? end.code : said);
