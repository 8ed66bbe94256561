import {
  type AgentDeclared,
  type Diagnostic,
  type DiagnosticClass,
  derivedPrivacy,
  type EventOf,
  type JsonValue,
  joinSourceClass,
  judgeCompletion,
  type OutputContract,
  type SemanticRule,
} from '@emend/contracts';
import type { EventLog, View } from '@emend/log';
import { appendOnce } from './appendOnce.js';

export type RunEnd =
  | { readonly kind: 'produced'; readonly event: string; readonly output: JsonValue; readonly fresh: boolean }
  | { readonly kind: 'failed'; readonly event: string; readonly diagnostic: Diagnostic; readonly fresh: boolean };

/** A model's answer, as it came. */
export interface RawAnswer {
  readonly text: string;
  /** The provider's own word; absent where it gave none. */
  readonly finishReason?: string | null | undefined;
}

/** UTF-8 bytes of a text that the quarantine keeps; a longer one goes nowhere, and the run ends as it would. */
export const quarantineBytesMax = 261_120;

export interface RunFacts {
  readonly log: EventLog;
  readonly source: EventOf<'sourceCaptured'>;
  readonly started: EventOf<'runStarted'>;
  readonly agent: AgentDeclared;
  readonly contract: OutputContract;
  /** Where refused text goes, or null: nowhere. */
  readonly quarantine: View | null;
  readonly rules: readonly SemanticRule[] | undefined;
  readonly now: () => number;
}

/** One started run. It ends once: with an output, or with a diagnostic that says nothing of the text. */
export class Run {
  readonly #facts: RunFacts;

  constructor(facts: RunFacts) {
    this.#facts = facts;
  }

  get id(): string {
    return this.#facts.started.data.run;
  }

  /** Judges the answer and ends the run; only then, where a quarantine is given, the refused text is put aside. The raw text goes to the quarantine or nowhere; never into an event (T54). */
  async end(answer: RawAnswer, at?: string): Promise<RunEnd> {
    const { contract, source, rules } = this.#facts;
    const judged = judgeCompletion(contract, answer, { sources: new Map([[source.id, source.data.text]]) }, rules);
    if (judged.kind === 'failed') {
      const ended = await this.#fail(judged.diagnostic, at);
      await this.#setAside(answer.text);
      return ended;
    }
    const { event, fresh } = await appendOnce(this.#facts.log, {
      name: 'outputProduced',
      ...this.#envelope(at),
      data: { ...this.#common(), started: this.#facts.started.id, output: judged.output, completion: 'exact' },
    });
    return { kind: 'produced', event: event.id, output: judged.output, fresh };
  }

  /** Ends the run without an answer: a timeout, an outage, a cancellation. Never repaired. */
  async fail(kind: DiagnosticClass, at?: string): Promise<RunEnd> {
    return this.#fail({ class: kind, contract: this.#facts.contract.ref, issues: [], issueCount: 0, candidateBytes: 0 }, at);
  }

  async #fail(diagnostic: Diagnostic, at: string | undefined): Promise<RunEnd> {
    const { event, fresh } = await appendOnce(this.#facts.log, {
      name: 'runFailed',
      ...this.#envelope(at),
      data: { ...this.#common(), started: this.#facts.started.id, diagnostic },
    });
    return { kind: 'failed', event: event.id, diagnostic, fresh };
  }

  async #setAside(text: string): Promise<void> {
    const { quarantine } = this.#facts;
    const bytes = new TextEncoder().encode(text);
    if (quarantine === null || bytes.byteLength > quarantineBytesMax) return;
    // Never read: that is an operator's. A conflict is this text, set aside before.
    await quarantine.put(this.id, bytes, 0);
  }

  #common() {
    const { producer, reference, run, trigger, agent, contract } = this.#facts.started.data;
    return { producer, reference, run, trigger, agent, contract };
  }

  #envelope(at: string | undefined) {
    const { source, started, agent, now } = this.#facts;
    return {
      source: started.source,
      time: at ?? new Date(now()).toISOString(),
      rootId: started.rootId,
      causationId: started.id,
      privacy: derivedPrivacy([source.privacy, started.privacy], agent),
      sourceClass: joinSourceClass([source.sourceClass, started.sourceClass]),
    };
  }
}
