import { type AgentDeclared, type EventOf, readEvent } from '@emend/contracts';
import { again, type Outcome, skip } from '@emend/runtime';
import { answerTrigger, type StandardRunDeps } from '@emend/runs';
import { type CorrectionDeps, correctionWork } from './correctionWork.js';
import { segmentsOf } from './domain/capturedTranscript.js';
import type { TranscriptEvents } from './events.js';

export interface TranscriptDeps extends CorrectionDeps, StandardRunDeps {
  readonly events: TranscriptEvents;
  readonly agent: AgentDeclared;
  /** A sequence of the log. Transcripts before it are left as they are: enabling late must not correct a backlog nobody asked for. */
  readonly startSequence: number;
}

/** Why a source is left as it is, and acknowledged. */
export const skipReasons = {
  no_transcript: 'The source has no member `transcript`: it is a text like any other.',
  trigger_void: 'What stands there is no source for this version.',
  erased: 'An operator erased the source.',
  before_start: 'It stands before the start that the host has set.',
} as const;

const skipped = (reason: keyof typeof skipReasons): Outcome => skip(reason);

/** What the log delivered. */
export interface DeliveredSource {
  readonly subject: string;
  readonly sequence: number;
  readonly bytes: Uint8Array;
}

/** One captured source: corrected once where it is a transcript, skipped with a reason where it is none. */
export async function handleTranscript(
  deps: TranscriptDeps,
  stored: DeliveredSource,
  { signal }: { readonly signal: AbortSignal },
): Promise<Outcome> {
  const mayClaim = stored.sequence >= deps.startSequence;
  const outcome = await answer(deps, stored, { signal, mayClaim });
  return outcome.kind === 'done' && !mayClaim ? skipped('before_start') : outcome;
}

/** A source that came back too often: nobody claims for it any more, and a claim that was left is given up. */
export async function setAsideTranscript(deps: TranscriptDeps, stored: DeliveredSource): Promise<Outcome> {
  deps.events.transcriptSetAside(stored.subject, stored.sequence);
  return answer(deps, stored, { signal: new AbortController().signal, mayClaim: false });
}

interface Allowed {
  readonly signal: AbortSignal;
  readonly mayClaim: boolean;
}

async function answer(deps: TranscriptDeps, stored: DeliveredSource, { signal, mayClaim }: Allowed): Promise<Outcome> {
  const read = readEvent(stored);
  // Never skipped: readers are deployed before writers, and an operator must see that one was not.
  if (read.kind === 'unknown_version') return again('unknown_version');
  if (read.kind === 'tombstone') return skipped('erased');
  if (read.kind === 'void' || read.event.name !== 'sourceCaptured') return skipped('trigger_void');
  const source: EventOf<'sourceCaptured'> = read.event;
  if (segmentsOf(source.data) === null) return skipped('no_transcript');
  return answerTrigger(deps, { source, agent: deps.agent, mayClaim }, correctionWork(deps, source, signal));
}
