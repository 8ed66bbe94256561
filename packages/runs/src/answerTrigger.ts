import { type EncodedEvent, encodeEvent, type EventDraft, type EventRead, readEvent } from '@emend/contracts';
import { done, type Outcome, retry } from '@emend/runtime';
import { appendInHand, notStored } from './appendInHand.js';
import { decideAttempt, type PlacesSeen, stateOf } from './decisions/runTable.js';
import { abandonedDraft, type Attempt, claimDraft, endDraft, placesOf, runIn } from './decisions/standardRun.js';
import type { StandardRunDeps, StandardWork, Trigger } from './standardWork.js';

/** One answer of one declaration to one source, in at most `attemptsMax` attempts. */
export async function answerTrigger<InHand>(deps: StandardRunDeps, trigger: Trigger, work: StandardWork<InHand>): Promise<Outcome> {
  const delivery = new Delivery(deps, trigger, work);
  for (let n = 1; n <= deps.attemptsMax; n += 1) {
    const outcome = await delivery.attempt(n);
    if (outcome !== 'given_up') return outcome;
  }
  deps.events.attemptsUsedUp(trigger.source.id, trigger.agent);
  return done;
}

/** One delivery of one source to one declaration. */
class Delivery<InHand> {
  readonly #claimant: string;

  constructor(
    private readonly deps: StandardRunDeps,
    private readonly trigger: Trigger,
    private readonly work: StandardWork<InHand>,
  ) {
    this.#claimant = deps.newClaimant();
  }

  async attempt(n: number): Promise<Outcome | 'given_up'> {
    const { source, agent, mayClaim } = this.trigger;
    const attempt: Attempt = { producer: this.deps.producer, source, agent, n };
    const seen = await this.#look(attempt);
    const step = decideAttempt(stateOf(seen, this.#claimant));
    switch (step) {
      case 'after_end':
        return this.#found(attempt, seen.ended);
      case 'next_attempt':
        return 'given_up';
      case 'abandon':
        return this.#abandon(attempt, seen);
      // A claimant is new with each delivery, so only an append can tell that a claim is ours.
      case 'work':
      case 'claim':
        if (!mayClaim) return done;
        return this.deps.stopping.aborted ? retry(0, 'stopping') : this.#claim(attempt);
      default:
        return step satisfies never;
    }
  }

  async #look(attempt: Attempt): Promise<PlacesSeen> {
    const places = placesOf(attempt);
    const [started, ended] = await Promise.all([this.deps.reader.get(places.started), this.deps.reader.get(places.ended)]);
    return { started: started?.read ?? null, ended: ended?.read ?? null };
  }

  /** An end that this delivery did not write. One that was given up has nothing after it. */
  async #found(attempt: Attempt, end: EventRead | null): Promise<Outcome> {
    if (end === null || this.#stateAfter(end) !== 'ended') return done;
    return this.work.afterEnd({ run: runIn(attempt), end, inHand: null });
  }

  #stateAfter(ended: EventRead) {
    return stateOf({ started: null, ended }, this.#claimant);
  }

  async #abandon(attempt: Attempt, { started }: PlacesSeen): Promise<Outcome | 'given_up'> {
    if (started === null) return done;
    const appended = await appendInHand(this.deps, encodeEnd(abandonedDraft(attempt, started)));
    switch (appended.kind) {
      case 'appended':
      case 'already':
        this.deps.events.ended(runIn(attempt), 'abandoned');
        return 'given_up';
      case 'conflict':
        if (this.#stateAfter(appended.existing) === 'ended_abandoned') return 'given_up';
        return this.#found(attempt, appended.existing);
      case 'full':
      case 'unknown':
        return notStored(appended.kind, 'end');
      default:
        return appended satisfies never;
    }
  }

  async #claim(attempt: Attempt): Promise<Outcome> {
    const { events, claimLostRetryMs } = this.deps;
    const claim = { ...this.work.claims(), time: this.#now(), claimant: this.#claimant };
    const appended = await appendInHand(this.deps, encodeEvent(claimDraft(attempt, claim)));
    switch (appended.kind) {
      case 'appended':
      case 'already':
        events.claimed(runIn(attempt), this.trigger.source.id);
        return this.#work(attempt);
      case 'conflict':
        if (this.#isMine(appended.existing)) return this.#work(attempt);
        // The winner stood there a moment ago, so it is not given up at once. The next delivery looks at the table again.
        events.claimLost(runIn(attempt));
        return retry(claimLostRetryMs, 'claim_lost');
      case 'full':
      case 'unknown':
        return notStored(appended.kind, 'claim');
      default:
        return appended satisfies never;
    }
  }

  #isMine(started: EventRead): boolean {
    return decideAttempt(stateOf({ started, ended: null }, this.#claimant)) === 'work';
  }

  #now(): string {
    return new Date(this.deps.clock.now()).toISOString();
  }

  /** Work is done here and nowhere else, by the delivery whose claimant is stored. */
  async #work(attempt: Attempt): Promise<Outcome> {
    const run = runIn(attempt);
    const { end, code, inHand } = await this.work.work(run, attempt.n);
    const event = encodeEnd(endDraft(attempt, { ...end, time: this.#now() }));
    const appended = await appendInHand(this.deps, event);
    switch (appended.kind) {
      case 'appended':
      case 'already':
        this.deps.events.ended(run, code);
        return this.work.afterEnd({ run, end: readEvent(event), inHand });
      case 'conflict':
        this.deps.events.endLost(run, code);
        // Whoever gave this attempt up may hold the next one: acknowledged here, the message would not come back if that holder died.
        if (this.#stateAfter(appended.existing) === 'ended_abandoned') return retry(this.deps.claimLostRetryMs, 'end_lost');
        return this.#found(attempt, appended.existing);
      case 'full':
      case 'unknown':
        return notStored(appended.kind, 'end');
      default:
        return appended satisfies never;
    }
  }
}

const encodeEnd = (draft: EventDraft<'outputProduced'> | EventDraft<'runFailed'>): EncodedEvent =>
  draft.name === 'runFailed' ? encodeEvent(draft) : encodeEvent(draft);
