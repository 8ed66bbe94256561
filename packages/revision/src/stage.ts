import type { JsonValue } from '@emend/contracts';
import type { UnavailableAssessment } from './assess.js';
import type { ReplyContract, ReplyFault } from './reply.js';
import type { Finding, Validator } from './validator.js';

/** What is fixed for a kind of proposal. All of it is the host's; all but the checks is pure. */
export interface RevisionStage<P, F extends string = string> {
  readonly chain: readonly Validator<P, F>[];
  /** The facts that this proposal has, for the applicability map. */
  factsOf(proposal: P): Iterable<F>;
  readonly reply: ReplyContract;
  /** A correction that passed the schema, as a proposal. One with a wrong target is a proposal too: the chain says so (A140). */
  proposalOf(correction: JsonValue): P;
  /** The text of one turn; how findings are presented is the host's (A75). */
  instruction(feedback: Feedback<P>): string;
}

/** What an instruction is rendered from: one proposal, and what is held against it (A65 to A67). */
export interface Feedback<P> {
  /** The reference that the reply has to repeat. */
  readonly ref: string;
  /** The version that is asked about, to be named in the text: the last message may be about an older one. */
  readonly version: number;
  readonly firstProposed: P;
  readonly proposed: P;
  /** In the order of the chain (A77). */
  readonly findings: readonly Finding[];
  readonly unavailable: readonly UnavailableAssessment[];
  /** Why the previous reply of this branch brought nothing in, or null. */
  readonly replyFault: ReplyFault | null;
}
