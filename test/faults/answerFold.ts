import { placeOf, readEvent } from '@emend/contracts';
import type { StoredEvent } from '@emend/log';
import type { LogFold } from './logWatch.js';

/** One attempt of the runner to answer a source. */
export interface Attempt {
  readonly run: string;
  /** The event id of the source that it answers. */
  readonly source: string;
  /** Of its claim; null where there is none. */
  readonly claimant: string | null;
  /** How its output came to be valid, or the class of its failure; null while it has no end. */
  readonly as: string | null;
  /** What its end says of its calls. */
  readonly calls: { readonly primary: number; readonly overseer: number } | null;
}

/** What the log says of sources and of the attempts to answer them. */
export class AnswerFold implements LogFold {
  readonly sources = new Set<string>();
  readonly attempts = new Map<string, Attempt>();
  readonly #settled = new Set<string>();

  constructor(private readonly attemptsMax: number) {}

  /** Sources that are answered, or whose attempts are used up. */
  get settledCount(): number {
    return this.#settled.size;
  }

  attemptsOf(source: string): readonly Attempt[] {
    return [...this.attempts.values()].filter((attempt) => attempt.source === source);
  }

  learn(stored: StoredEvent): void {
    const place = placeOf(stored.subject)?.place;
    if (place !== 'source' && place !== 'runStarted' && place !== 'runEnded') return;
    const read = readEvent(stored);
    if (read.kind !== 'event') throw new Error(`${read.kind} on ${stored.subject}`);
    const { event } = read;
    if (event.name === 'sourceCaptured') this.sources.add(event.id);
    // The root of a run is its source: nothing here answers what was itself derived.
    if (event.name === 'runStarted') this.#learn({ run: event.data.run, source: event.rootId, claimant: event.data.claimant ?? null });
    if (event.name === 'outputProduced') this.#end(event.data.run, event.rootId, event.data.completion, event.data.calls);
    if (event.name === 'runFailed') this.#end(event.data.run, event.rootId, event.data.diagnostic.class, event.data.calls);
  }

  #learn({ run, ...known }: Partial<Attempt> & { readonly run: string; readonly source: string }): void {
    const before = this.attempts.get(run) ?? { run, claimant: null, as: null, calls: null };
    this.attempts.set(run, { ...before, ...known });
  }

  #end(run: string, source: string, as: string, calls: Attempt['calls'] = null): void {
    this.#learn({ run, source, as, calls });
    const abandoned = this.attemptsOf(source).filter((attempt) => attempt.as === 'abandoned').length;
    if (as !== 'abandoned' || abandoned === this.attemptsMax) this.#settled.add(source);
  }
}
