import {
  type EncodedEvent,
  type EventData,
  eventIdOf,
  type JsonValue,
  type JudgmentTarget,
  type Privacy,
  type SourceClass,
  type Verdict,
} from '@emend/contracts';

type Stored = Pick<EncodedEvent, 'subject' | 'bytes'>;

/** What a test may choose of a judgment. */
export interface JudgmentFacts {
  readonly observedAt?: string;
  readonly action?: string;
  readonly quality?: boolean;
  readonly externalExport?: boolean;
  readonly privacy?: Privacy;
  readonly sourceClass?: SourceClass;
}

/** The place of a judgment. */
export interface LinkFacts {
  readonly authority: string;
  readonly target: JudgmentTarget;
  readonly n: number;
}

/** What a run's story must offer for its judgments. */
interface JudgmentsOf {
  judgment(link: LinkFacts, said: Said, over?: JudgmentFacts): EncodedEvent;
  retraction(link: LinkFacts, retracts: string, over?: JudgmentFacts): EncodedEvent;
}

/** What a judgment says, as a test writes it. */
export type Said = Partial<EventData<'judgmentRecorded'>> & { readonly verdict: Verdict };

/** The id of no event: what a retraction names where there is nothing to retract. */
const nothing = eventIdOf('nothing');

/** Writes the next event of a chain, so that a test says only what was judged. */
export class ChainStory {
  #n = 0;
  #active: string | null = null;

  constructor(
    private readonly story: JudgmentsOf,
    readonly authority: string,
    readonly target: JudgmentTarget,
  ) {}

  accept = (over?: JudgmentFacts): EncodedEvent => this.#judge({ verdict: 'accept' }, over);
  reject = (over?: JudgmentFacts): EncodedEvent => this.#judge({ verdict: 'reject' }, over);
  correct = (output: JsonValue, over?: JudgmentFacts): EncodedEvent => this.#judge({ verdict: 'correct', replacementOutput: output }, over);
  prefer = (preferred: string, over: string, facts?: JudgmentFacts): EncodedEvent =>
    this.#judge({ verdict: 'prefer', prefer: { preferred, over } }, facts);

  retract(over?: JudgmentFacts): EncodedEvent {
    this.#n += 1;
    const event = this.story.retraction({ authority: this.authority, target: this.target, n: this.#n }, this.#active ?? nothing, over);
    this.#active = null;
    return event;
  }

  /** Takes the next place without becoming the judgment that the following one has to name: for events that are void. */
  void(write: (link: LinkFacts, active: string | null) => Stored): Stored {
    this.#n += 1;
    return write({ authority: this.authority, target: this.target, n: this.#n }, this.#active);
  }

  #judge(said: Said, over?: JudgmentFacts): EncodedEvent {
    this.#n += 1;
    const link = { authority: this.authority, target: this.target, n: this.#n };
    const event = this.story.judgment(link, { supersedes: this.#active, ...said }, over);
    this.#active = event.id;
    return event;
  }
}
