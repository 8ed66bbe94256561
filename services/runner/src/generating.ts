import { type CallCounts, canonicalHash, type RefusedFor, type Retry } from '@emend/contracts';
import type { ChatMessage } from '@emend/model/decisions';
import type { StandardWork, WorkEnd } from '@emend/runs';
import { done, type Outcome } from '@emend/runtime';
import type { RunnerDeps, SourceInHand } from './runnerDeps.js';
import { diagnosticOf } from './domain/failureCodes.js';
import { decideRetry, retryBudget } from './domain/retries.js';
import { renderRunnerPrompt } from './domain/runnerPrompt.js';
import { type Judged, judgeAnswer } from './judgeAnswer.js';

/** The text of a failed run, which no event may hold; null where there is none to keep. */
type FailedText = string | null;

interface Prompt {
  readonly messages: readonly ChatMessage[];
  readonly promptHash: string;
}

/** The work of one claim: one invocation, and further ones while its output is refused and the budget lasts. */
export class Generating implements StandardWork<FailedText> {
  #firstPrompt: Prompt | null = null;

  constructor(
    private readonly deps: RunnerDeps,
    private readonly inHand: SourceInHand,
  ) {}

  claims() {
    const { agent, answering } = this.inHand.agent;
    const model = { ...answering.identity, learnedAdapter: agent.learnedAdapter };
    return { model, promptHash: this.#first().promptHash, sandbox: this.deps.sandbox };
  }

  /** A model is called here and nowhere else. Each invocation has its own prompt, name and overseer allowance (O19, O25). */
  async work(run: string, n: number): Promise<WorkEnd<FailedText>> {
    const { source, agent, signal } = this.inHand;
    const retries: Retry[] = [];
    let calls: CallCounts = { primary: 0, overseer: 0 };
    let prompt = this.#first();
    for (let left = retryBudget(this.deps.retries, n); ; left -= 1) {
      const invocation = `${run}-${retries.length + 1}`;
      const answered = await agent.answering.answer({ run, invocation, ...prompt, limits: agent.agent.limits, signal });
      calls = { primary: calls.primary + answered.calls.primary, overseer: calls.overseer + answered.calls.overseer };
      const judged = judgeAnswer(answered, agent, source);
      const { refused } = judged;
      const step = decideRetry({ ended: judged.ended, left, givenUp: signal.aborted });
      if (step === 'cancel') return workEnd(this.#cancelled(judged), { calls, retries });
      if (step === 'end' || refused === null) return workEnd(judged, { calls, retries });
      prompt = this.#rendered(refused);
      retries.push({ refused, promptHash: prompt.promptHash });
      this.deps.events.retried(run, refused.class);
    }
  }

  /** After the end is stored: what is put aside for a run that another delivery gave up would be read as its text. */
  async afterEnd({ run, inHand }: { readonly run: string; readonly inHand: FailedText }): Promise<Outcome> {
    if (inHand !== null) await this.deps.quarantine.setAside(run, inHand);
    return done;
  }

  #cancelled({ text }: Judged): Judged {
    const { ref } = this.inHand.agent.contract;
    return { ended: 'failed', end: { kind: 'failure', diagnostic: diagnosticOf('shutdown', ref) }, code: 'shutdown', refused: null, text };
  }

  #first(): Prompt {
    return (this.#firstPrompt ??= this.#rendered());
  }

  #rendered(refused?: RefusedFor): Prompt {
    const { source, agent } = this.inHand;
    const messages = renderRunnerPrompt({
      prompt: agent.agent.prompt,
      contractPrompt: agent.contract.promptDescription,
      source: { eventId: source.id, text: source.data.text },
      refused,
    });
    return { messages, promptHash: canonicalHash(messages) };
  }
}

const workEnd = ({ end, code, text }: Judged, counted: Pick<WorkEnd<FailedText>['end'], 'calls' | 'retries'>): WorkEnd<FailedText> => ({
  end: { ...end, ...counted },
  code,
  inHand: text,
});
