import { canonicalHash, type Diagnostic, type EventOf, type SandboxDigests } from '@emend/contracts';
import type { ChatMessage } from '@emend/model/decisions';
import { answerTrigger, type StandardRunDeps, type StandardWork, type WorkEnd } from '@emend/runs';
import { done, type Outcome } from '@emend/runtime';
import type { StandardAgent } from './domain/activation.js';
import { ruledOut } from './domain/acceptance.js';
import { diagnosticOf } from './domain/failureCodes.js';
import { renderRunnerPrompt } from './domain/runnerPrompt.js';
import type { RunnerEvents } from './events.js';
import type { Answered, Answering, Quarantine } from './ports.js';

/** A declaration that runs, and what answers for it. */
export interface RunningAgent extends StandardAgent {
  readonly answering: Answering;
}

/** What answers one source. */
export interface RunnerDeps extends StandardRunDeps {
  readonly agents: readonly RunningAgent[];
  /** A sequence of the log. Sources before it are left as they are: enabling late must not answer a backlog nobody asked for. */
  readonly startSequence: number;
  /** What each worker's sandbox is made of: part of every claim. */
  readonly sandbox: SandboxDigests;
  readonly quarantine: Quarantine;
  readonly events: RunnerEvents;
}

export interface SourceInHand {
  readonly source: EventOf<'sourceCaptured'>;
  readonly agent: RunningAgent;
  /** Aborts when the drain is over. */
  readonly signal: AbortSignal;
  /** False where the source is set aside or older than the start: what was left is given up, and nothing begins. */
  readonly mayClaim: boolean;
}

/** One answer of one declaration to one source, as a standard run. */
export const answerSource = (deps: RunnerDeps, inHand: SourceInHand): Promise<Outcome> => {
  const { source, agent, mayClaim } = inHand;
  return answerTrigger(deps, { source, agent: agent.agent, mayClaim }, new Generating(deps, inHand));
};

/** The text of a failed run, which no event may hold; null where there is none to keep. */
type FailedText = string | null;

/** One prompt, one call, one judgment. */
class Generating implements StandardWork<FailedText> {
  #prompt: { readonly messages: readonly ChatMessage[]; readonly promptHash: string } | null = null;

  constructor(
    private readonly deps: RunnerDeps,
    private readonly inHand: SourceInHand,
  ) {}

  claims() {
    const { agent, answering } = this.inHand.agent;
    const model = { ...answering.identity, learnedAdapter: agent.learnedAdapter };
    return { model, promptHash: this.#rendered().promptHash, sandbox: this.deps.sandbox };
  }

  /** A model is called here and nowhere else. */
  async work(run: string): Promise<WorkEnd<FailedText>> {
    const { agent, signal } = this.inHand;
    const answered = await agent.answering.answer({ run, ...this.#rendered(), limits: agent.agent.limits, signal });
    return this.#judge(answered);
  }

  /** After the end is stored: what is put aside for a run that another delivery gave up would be read as its text. */
  async afterEnd({ run, inHand }: { readonly run: string; readonly inHand: FailedText }): Promise<Outcome> {
    if (inHand !== null) await this.deps.quarantine.setAside(run, inHand);
    return done;
  }

  #rendered() {
    const { source, agent } = this.inHand;
    return (this.#prompt ??= rendered(source, agent));
  }

  #judge({ turn, calls, text }: Answered): WorkEnd<FailedText> {
    const { source, agent } = this.inHand;
    const failed = (diagnostic: Diagnostic, code: string = diagnostic.class): WorkEnd<FailedText> => ({
      end: { kind: 'failure', calls, diagnostic },
      code,
      inHand: text,
    });
    if (turn.kind === 'failed') return failed(diagnosticOf(turn.code, agent.contract.ref), turn.code);
    if (turn.kind === 'malformed') return failed(turn.diagnostic);
    const broken = ruledOut(agent.contract, turn.canonical, source);
    // The size is the refused text's: the model's own, or the overseer's in canonical form.
    const written = turn.completion === 'overseen' || text === null ? turn.canonical : text;
    if (broken !== null) return failed({ ...broken, candidateBytes: Buffer.byteLength(written, 'utf8') });
    const { output, completion, edits } = turn;
    return { end: { kind: 'output', calls, output, completion, edits }, code: completion, inHand: null };
  }
}

function rendered(source: EventOf<'sourceCaptured'>, { agent, contract }: RunningAgent) {
  const messages = renderRunnerPrompt({
    prompt: agent.prompt,
    contractPrompt: contract.promptDescription,
    source: { eventId: source.id, text: source.data.text },
  });
  return { messages, promptHash: canonicalHash(messages) };
}
