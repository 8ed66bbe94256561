import {
  type AgentDeclared,
  agentRefOf,
  type CallCounts,
  type Diagnostic,
  derivedPrivacy,
  type EventData,
  type EventDraft,
  type EventOf,
  type EventRead,
  eventIdOf,
  hashToken,
  type JsonValue,
  joinSourceClass,
  type Provenance,
  type Retry,
  runIdOf,
  type SandboxDigests,
  subjects,
} from '@emend/contracts';
import { withoutOutput } from './withoutOutput.js';

/** One attempt to answer one source by one declaration: all that its events have in common. */
export interface Attempt {
  /** The name that the service signs with: a token of its places. */
  readonly producer: string;
  readonly source: EventOf<'sourceCaptured'>;
  readonly agent: AgentDeclared;
  /** From 1 on. */
  readonly n: number;
}

/** From the trigger, the whole declaration and the attempt: another declaration under the same name is another run. */
export const referenceOf = ({ source, agent, n }: Attempt): string => `${source.id}.${hashToken(agent.fingerprint)}.${n}`;

export const runIn = (attempt: Attempt): string => runIdOf({ producer: attempt.producer, reference: referenceOf(attempt) });

/** The two places that hold what becomes of an attempt. */
export function placesOf(attempt: Attempt): { readonly started: string; readonly ended: string } {
  const key = { producer: attempt.producer, run: runIn(attempt) };
  return { started: subjects.runStarted(key), ended: subjects.runEnded(key) };
}

const runOf = (attempt: Attempt) => ({
  producer: attempt.producer,
  reference: referenceOf(attempt),
  run: runIn(attempt),
  trigger: attempt.source.subject,
  agent: agentRefOf(attempt.agent),
  contract: attempt.agent.contract,
});

const envelopeOf = ({ producer, source, agent }: Attempt) => ({
  source: producer,
  rootId: source.rootId,
  privacy: derivedPrivacy([source.privacy], agent),
  sourceClass: joinSourceClass([source.sourceClass]),
});

/** What a claim records of the work that it permits. */
export interface ClaimFacts {
  readonly model: Provenance;
  /** Of the prompt that shows the source. */
  readonly promptHash: string;
  /** What runs the call. Absent where the service has no sandbox. */
  readonly sandbox?: SandboxDigests;
}

/** The claim and the context manifest (T51): one source, the prompt that shows it, and the sandbox that runs the call. */
export function claimDraft(
  attempt: Attempt,
  { time, claimant, model, promptHash, sandbox }: ClaimFacts & { readonly time: string; readonly claimant: string },
): EventDraft<'runStarted'> {
  return {
    name: 'runStarted',
    ...envelopeOf(attempt),
    time,
    causationId: attempt.source.id,
    data: {
      ...runOf(attempt),
      role: 'standard',
      model,
      manifest: { sources: [attempt.source.subject], promptHash, ...(sandbox === undefined ? {} : { sandbox }) },
      claimant,
    },
  };
}

/** How an attempt ends: an accepted output and how it came to be valid (T52), or codes, paths and counts (T53, T54). */
export type EndFacts = { readonly calls?: CallCounts; readonly retries?: readonly Retry[] } & (
  | ({ readonly kind: 'output'; readonly output: JsonValue } & Pick<EventData<'outputProduced'>, 'completion' | 'edits'>)
  | { readonly kind: 'failure'; readonly diagnostic: Diagnostic }
);

export function endDraft(
  attempt: Attempt,
  end: EndFacts & { readonly time: string },
): EventDraft<'outputProduced'> | EventDraft<'runFailed'> {
  const { time, calls, retries = [] } = end;
  const envelope = { ...envelopeOf(attempt), time, causationId: eventIdOf(placesOf(attempt).started) };
  const counted = { ...(calls === undefined ? {} : { calls }), ...(retries.length === 0 ? {} : { retries: [...retries] }) };
  const data = { ...runOf(attempt), started: envelope.causationId, ...counted };
  if (end.kind === 'failure') return { name: 'runFailed', ...envelope, data: { ...data, diagnostic: end.diagnostic } };
  const { output, completion, edits = [] } = end;
  return { name: 'outputProduced', ...envelope, data: { ...data, output, completion, ...(edits.length === 0 ? {} : { edits }) } };
}

/** The end of a claim that another delivery left. Its time is the claim's, so that all who give it up write the same bytes. */
export function abandonedDraft(attempt: Attempt, started: EventRead) {
  const time = started.kind === 'event' ? started.event.time : attempt.source.time;
  return endDraft(attempt, { kind: 'failure', time, diagnostic: withoutOutput('abandoned', attempt.agent.contract) });
}
