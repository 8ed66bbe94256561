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
  runIdOf,
  type SandboxDigests,
  subjects,
} from '@emend/contracts';
import { diagnosticOf } from './failureCodes.js';

/** One attempt to answer one source by one declaration: all that its events have in common. */
export interface Attempt {
  /** The name that the runner signs with: a token of its places. */
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

/** The claim and the context manifest (T51): one source, the prompt that shows it, and the sandbox that runs the call. */
export function claimDraft(
  attempt: Attempt,
  claim: {
    readonly time: string;
    readonly model: Provenance;
    readonly claimant: string;
    readonly promptHash: string;
    readonly sandbox: SandboxDigests;
  },
): EventDraft<'runStarted'> {
  const { time, model, claimant, promptHash, sandbox } = claim;
  return {
    name: 'runStarted',
    ...envelopeOf(attempt),
    time,
    causationId: attempt.source.id,
    data: {
      ...runOf(attempt),
      role: 'standard',
      model,
      manifest: { sources: [attempt.source.subject], promptHash, sandbox },
      claimant,
    },
  };
}

const endOf = (attempt: Attempt) => {
  const started = eventIdOf(placesOf(attempt).started);
  return { ...envelopeOf(attempt), causationId: started, data: { ...runOf(attempt), started } };
};

export type Completion = Pick<EventData<'outputProduced'>, 'completion' | 'edits'> & { readonly output: JsonValue };

/** An accepted output, how it came to be valid, and the calls it took (T52). */
export function outputDraft(
  attempt: Attempt,
  { time, calls, output, completion, edits = [] }: Completion & { readonly time: string; readonly calls: CallCounts },
): EventDraft<'outputProduced'> {
  const { data, ...envelope } = endOf(attempt);
  return {
    name: 'outputProduced',
    ...envelope,
    time,
    data: { ...data, output, completion, ...(edits.length === 0 ? {} : { edits }), calls },
  };
}

/** A terminal failure: codes, paths and counts (T53, T54). */
export function failureDraft(
  attempt: Attempt,
  { time, calls, diagnostic }: { readonly time: string; readonly calls?: CallCounts; readonly diagnostic: Diagnostic },
): EventDraft<'runFailed'> {
  const { data, ...envelope } = endOf(attempt);
  return { name: 'runFailed', ...envelope, time, data: { ...data, diagnostic, ...(calls === undefined ? {} : { calls }) } };
}

/** The end of a claim that another delivery left. Its time is the claim's, so that all who give it up write the same bytes. */
export function abandonedDraft(attempt: Attempt, started: EventRead): EventDraft<'runFailed'> {
  const time = started.kind === 'event' ? started.event.time : attempt.source.time;
  return failureDraft(attempt, { time, diagnostic: diagnosticOf('abandoned', attempt.agent.contract) });
}
