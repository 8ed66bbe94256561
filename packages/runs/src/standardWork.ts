import type { AgentDeclared, EventOf, EventRead } from '@emend/contracts';
import type { Clock, Outcome } from '@emend/runtime';
import type { AppendDeps } from './appendInHand.js';
import type { ClaimFacts, EndFacts } from './decisions/standardRun.js';
import type { PlaceReader } from './ports.js';

/** What is said of a run. Ids and codes only. */
export interface StandardRunEvents {
  claimed(run: string, source: string): void;
  /** Another delivery claimed between the look and the append. */
  claimLost(run: string): void;
  /** By code: how an output came to be valid, or why there is none. */
  ended(run: string, code: string): void;
  /** Somebody ended the run before: what this delivery had, by code, is dropped. */
  endLost(run: string, code: string): void;
  /** Every attempt was given up: the source stays without an answer of this declaration. */
  attemptsUsedUp(source: string, agent: { readonly id: string; readonly version: number }): void;
}

/** What a service answers its triggers with. */
export interface StandardRunDeps extends AppendDeps {
  /** The name that the service signs with. */
  readonly producer: string;
  readonly attemptsMax: number;
  readonly reader: PlaceReader;
  readonly events: StandardRunEvents;
  readonly clock: Clock;
  /** 128 random bits in base64url, new for each delivery. */
  readonly newClaimant: () => string;
  /** Until the loser of a race for a claim, or of an end, looks again: longer than a heartbeat, so that a living winner keeps its message. */
  readonly claimLostRetryMs: number;
}

export interface Trigger {
  readonly source: EventOf<'sourceCaptured'>;
  readonly agent: AgentDeclared;
  /** False where the source is set aside or older than the start: what was left is given up, and nothing begins. */
  readonly mayClaim: boolean;
}

/** How a work ended. */
export interface WorkEnd<InHand> {
  readonly end: EndFacts;
  /** A completion or a failure code, for logs and metrics. */
  readonly code: string;
  /** What `afterEnd` needs and no event may hold. */
  readonly inHand: InHand;
}

/** The work that a claim permits. None of the three may reject for a reason that another delivery would not see. */
export interface StandardWork<InHand> {
  /** What the claim records. Asked before a claim, and never where the trigger is answered. */
  claims(): ClaimFacts;
  /** Called once for a stored claim, by the delivery whose claimant stands there. `n` is the attempt, from 1 on. */
  work(run: string, n: number): Promise<WorkEnd<InHand>>;
  /**
   * What follows from a stored end: of one that is not `abandoned`, and of the own end of a delivery whatever it is. The delivery
   * that wrote the end has its work in hand; one that finds the end has null. Deliveries may repeat it, so it must be safe to repeat.
   */
  afterEnd(stored: { readonly run: string; readonly end: EventRead; readonly inHand: InHand | null }): Promise<Outcome>;
}
