import {
  canonicalHash,
  type Diagnostic,
  type EncodedEvent,
  encodeEvent,
  type EventOf,
  type EventRead,
  type SandboxDigests,
} from '@emend/contracts';
import type { ChatMessage } from '@emend/model/decisions';
import { again, type Clock, done, type Outcome, retry, stop } from '@emend/runtime';
import { type AppendDeps, appendInHand } from './appendInHand.js';
import type { StandardAgent } from './domain/activation.js';
import { ruledOut } from './domain/acceptance.js';
import { diagnosticOf } from './domain/failureCodes.js';
import { renderRunnerPrompt } from './domain/runnerPrompt.js';
import { decideAttempt, type PlacesSeen, stateOf } from './domain/runTable.js';
import { abandonedDraft, type Attempt, claimDraft, failureDraft, outputDraft, placesOf, runIn } from './domain/standardRun.js';
import type { RunnerEvents } from './events.js';
import type { Answered, Answering, LogReader, Quarantine } from './ports.js';

/** A declaration that runs, and what answers for it. */
export interface RunningAgent extends StandardAgent {
  readonly answering: Answering;
}

/** What answers one trigger. */
export interface RunnerDeps extends AppendDeps {
  /** The name that the runner signs with. */
  readonly producer: string;
  readonly agents: readonly RunningAgent[];
  readonly attemptsMax: number;
  /** A sequence of the log. Sources before it are left as they are: enabling late must not answer a backlog nobody asked for. */
  readonly startSequence: number;
  /** What each worker's sandbox is made of: part of every claim. */
  readonly sandbox: SandboxDigests;
  readonly reader: LogReader;
  readonly quarantine: Quarantine;
  readonly events: RunnerEvents;
  readonly clock: Clock;
  /** 128 random bits in base64url, new for each delivery. */
  readonly newClaimant: () => string;
  /** Until the loser of a race for a claim, or of an end, looks again: longer than a heartbeat, so that a living winner keeps its message. */
  readonly claimLostRetryMs: number;
}

export interface Trigger {
  readonly source: EventOf<'sourceCaptured'>;
  readonly agent: RunningAgent;
  /** Aborts when the drain is over. */
  readonly signal: AbortSignal;
  /** False where the source is set aside or older than the start: what was left is given up, and nothing begins. */
  readonly mayClaim: boolean;
}

/** One answer of one declaration to one source, in at most `attemptsMax` attempts. */
export async function answerTrigger(deps: RunnerDeps, trigger: Trigger): Promise<Outcome> {
  const delivery = new Delivery(deps, trigger);
  for (let n = 1; n <= deps.attemptsMax; n += 1) {
    const outcome = await delivery.attempt(n);
    if (outcome !== 'given_up') return outcome;
  }
  deps.events.attemptsUsedUp(trigger.source.id, trigger.agent.agent);
  return done;
}

/** One delivery of one source to one declaration. */
class Delivery {
  readonly #claimant: string;

  constructor(
    private readonly deps: RunnerDeps,
    private readonly trigger: Trigger,
  ) {
    this.#claimant = deps.newClaimant();
  }

  async attempt(n: number): Promise<Outcome | 'given_up'> {
    const { source, agent } = this.trigger;
    const attempt: Attempt = { producer: this.deps.producer, source, agent: agent.agent, n };
    const seen = await this.#look(attempt);
    const step = decideAttempt(stateOf(seen, this.#claimant));
    switch (step) {
      case 'nothing':
        return done;
      case 'next_attempt':
        return 'given_up';
      case 'abandon':
        return this.#abandon(attempt, seen);
      // A claimant is new with each delivery, so only an append can tell that a claim is ours.
      case 'generate':
      case 'claim':
        if (!this.trigger.mayClaim) return done;
        return this.deps.stopping.aborted ? retry(0, 'stopping') : this.#claim(attempt);
      default:
        return step satisfies never;
    }
  }

  async #look(attempt: Attempt): Promise<PlacesSeen> {
    const places = placesOf(attempt);
    const [started, ended] = await Promise.all([this.deps.reader.get(places.started), this.deps.reader.get(places.ended)]);
    return { started, ended };
  }

  async #abandon(attempt: Attempt, { started }: PlacesSeen): Promise<Outcome | 'given_up'> {
    if (started === null) return done;
    const appended = await appendInHand(this.deps, encodeEvent(abandonedDraft(attempt, started)));
    switch (appended.kind) {
      case 'appended':
      case 'already':
        this.deps.events.ended(runIn(attempt), 'abandoned');
        return 'given_up';
      case 'conflict':
        return stateOf({ started, ended: appended.existing }, this.#claimant) === 'ended_abandoned' ? 'given_up' : done;
      case 'full':
        return stop('log_full');
      case 'unknown':
        return again('end_unknown');
      default:
        return appended satisfies never;
    }
  }

  async #claim(attempt: Attempt): Promise<Outcome> {
    const { source, agent } = this.trigger;
    const { clock, events, sandbox, claimLostRetryMs } = this.deps;
    const messages = renderRunnerPrompt({
      prompt: agent.agent.prompt,
      contractPrompt: agent.contract.promptDescription,
      source: { eventId: source.id, text: source.data.text },
    });
    const promptHash = canonicalHash(messages);
    const model = { ...agent.answering.identity, learnedAdapter: agent.agent.learnedAdapter };
    const time = new Date(clock.now()).toISOString();
    const claim = encodeEvent(claimDraft(attempt, { time, model, claimant: this.#claimant, promptHash, sandbox }));
    const appended = await appendInHand(this.deps, claim);
    switch (appended.kind) {
      case 'appended':
      case 'already':
        events.claimed(runIn(attempt), source.id);
        return this.#generate(attempt, messages, promptHash);
      case 'conflict':
        if (this.#isMine(appended.existing)) return this.#generate(attempt, messages, promptHash);
        // The winner stood there a moment ago, so it is not given up at once. The next delivery looks at the table again.
        events.claimLost(runIn(attempt));
        return retry(claimLostRetryMs, 'claim_lost');
      case 'full':
        return stop('log_full');
      case 'unknown':
        return again('claim_unknown');
      default:
        return appended satisfies never;
    }
  }

  #isMine(started: EventRead): boolean {
    return stateOf({ started, ended: null }, this.#claimant) === 'claimed_by_me';
  }

  /** A model is called here and nowhere else, by the delivery whose claimant is stored. */
  async #generate(attempt: Attempt, messages: readonly ChatMessage[], promptHash: string): Promise<Outcome> {
    const { agent, signal } = this.trigger;
    const run = runIn(attempt);
    const answered = await agent.answering.answer({ run, messages, promptHash, limits: agent.agent.limits, signal });
    const { event, code, failed } = this.#judge(attempt, answered);
    const outcome = await this.#end(attempt, event, code);
    // After the end is stored: what is put aside for a run that another delivery gave up would be read as its text.
    if (failed && outcome === 'ended' && answered.text !== null) await this.deps.quarantine.setAside(run, answered.text);
    return outcome === 'ended' ? done : outcome;
  }

  #judge(attempt: Attempt, { turn, calls, text }: Answered): { event: EncodedEvent; code: string; failed: boolean } {
    const time = new Date(this.deps.clock.now()).toISOString();
    const { source, agent } = this.trigger;
    const failed = (diagnostic: Diagnostic, code: string = diagnostic.class) => ({
      event: encodeEvent(failureDraft(attempt, { time, calls, diagnostic })),
      code,
      failed: true,
    });
    if (turn.kind === 'failed') return failed(diagnosticOf(turn.code, agent.contract.ref), turn.code);
    if (turn.kind === 'malformed') return failed(turn.diagnostic);
    const broken = ruledOut(agent.contract, turn.canonical, source);
    // The size is the refused text's: the model's own, or the overseer's in canonical form.
    const written = turn.completion === 'overseen' || text === null ? turn.canonical : text;
    if (broken !== null) return failed({ ...broken, candidateBytes: Buffer.byteLength(written, 'utf8') });
    return { event: encodeEvent(outputDraft(attempt, { ...turn, time, calls })), code: turn.completion, failed: false };
  }

  async #end(attempt: Attempt, event: EncodedEvent, code: string): Promise<Outcome | 'ended'> {
    const run = runIn(attempt);
    const appended = await appendInHand(this.deps, event);
    switch (appended.kind) {
      case 'appended':
      case 'already':
        this.deps.events.ended(run, code);
        return 'ended';
      case 'conflict':
        this.deps.events.endLost(run, code);
        // Whoever gave this attempt up may hold the next one: acknowledged here, the message would not come back if that holder died.
        if (stateOf({ started: null, ended: appended.existing }, this.#claimant) !== 'ended_abandoned') return done;
        return retry(this.deps.claimLostRetryMs, 'end_lost');
      case 'full':
        return stop('log_full');
      case 'unknown':
        return again('end_unknown');
      default:
        return appended satisfies never;
    }
  }
}
