import {
  type AgentDeclared,
  type EventOf,
  type EventRead,
  readEvent,
  subjects,
  type TranscriptCorrection,
  type TranscriptOutput,
} from '@emend/contracts';
import type { EventLog } from '@emend/log';
import { runIn } from '@emend/runs/decisions';
import type { NamedTranscript } from '../domain/namedTranscript.js';
import { type Nothing, nothing } from '../domain/nothingToShow.js';
import { identified, type Segment } from '../domain/segments.js';
import { type BoundObjects, contentOfCorrected, segmentsOfSource } from './storedTranscript.js';

export interface ReadCorrectedDeps {
  readonly log: Pick<EventLog, 'get'>;
  /** Bound when first needed. */
  readonly objects: BoundObjects;
  /** Who answers transcripts: the name that runs are signed with, the declaration, and how often one source may be tried. */
  readonly producer: string;
  readonly agent: { readonly id: string; readonly version: number };
  readonly attemptsMax: number;
}

/** A source and what came of it. */
export interface CorrectedRead {
  readonly kind: 'corrected';
  /** The places of both. */
  readonly source: string;
  readonly corrected: string;
  readonly before: readonly Segment[];
  readonly after: readonly Segment[];
  readonly corrections: readonly TranscriptCorrection[];
  readonly report: TranscriptOutput['report'];
}

type Derived = EventOf<'transcriptCorrected'>;

/** Reads a source and its corrected transcript from the log, with what each keeps in the object store; or says why there is nothing to show. */
export async function readCorrected(deps: ReadCorrectedDeps, named: NamedTranscript): Promise<CorrectedRead | Nothing> {
  const derived = named.kind === 'run' ? await derivedOf(deps, named) : await derivedOfSource(deps, named.place);
  if (derived.kind === 'nothing') return derived;
  const { event } = derived;
  const source = await readSource(deps, event.data.trigger);
  if ('kind' in source) return source;
  const before = await segmentsOfSource(deps.objects, source);
  if ('kind' in before) return before;
  const after = await contentOfCorrected(deps.objects, event);
  if ('kind' in after) return after;
  if (after.segments.length !== before.length) return nothing('corrected_unreadable', event.subject);
  return {
    kind: 'corrected',
    source: source.subject,
    corrected: event.subject,
    before: identified(before),
    after: identified(after.segments),
    corrections: after.corrections,
    report: event.data.report,
  };
}

async function placed(deps: ReadCorrectedDeps, place: string): Promise<EventRead | null> {
  const stored = await deps.log.get(place);
  return stored && readEvent(stored);
}

async function readSource(deps: ReadCorrectedDeps, place: string): Promise<EventOf<'sourceCaptured'> | Nothing> {
  const read = await placed(deps, place);
  if (read === null) return nothing('source_missing', place);
  if (read.kind === 'tombstone') return nothing('source_erased', place);
  return read.kind === 'event' && read.event.name === 'sourceCaptured' ? read.event : nothing('source_unreadable', place);
}

/** The first attempt that was not given up says what became of a source. */
async function derivedOfSource(deps: ReadCorrectedDeps, place: string): Promise<DerivedFound | Nothing> {
  const source = await readSource(deps, place);
  if ('kind' in source) return source;
  if (source.data.transcript === undefined) return nothing('source_no_transcript', place);
  const declared = await declaredAgent(deps);
  if (declared === null) return nothing('agent_missing', subjects.agent(deps.agent));
  let last = nothing('not_started', place);
  for (let n = 1; n <= deps.attemptsMax; n += 1) {
    const { producer } = deps;
    const found = await derivedOf(deps, { producer, run: runIn({ producer, source, agent: declared, n }) });
    if (found.kind === 'derived' || (found.code !== 'run_abandoned' && found.code !== 'not_started')) return found;
    if (found.code === 'not_started') return last;
    last = found;
  }
  return last;
}

async function declaredAgent(deps: ReadCorrectedDeps): Promise<AgentDeclared | null> {
  const read = await placed(deps, subjects.agent(deps.agent));
  return read?.kind === 'event' && read.event.name === 'agentDeclared' ? read.event.data : null;
}

interface DerivedFound {
  readonly kind: 'derived';
  readonly event: Derived;
}

/** What one run gave: the corrected transcript that follows from its end, or how far it is. */
async function derivedOf(
  deps: ReadCorrectedDeps,
  key: { readonly producer: string; readonly run: string },
): Promise<DerivedFound | Nothing> {
  const place = subjects.transcriptCorrected(key);
  const read = await placed(deps, place);
  if (read?.kind === 'event' && read.event.name === 'transcriptCorrected') return { kind: 'derived', event: read.event };
  if (read !== null) return nothing(read.kind === 'tombstone' ? 'corrected_erased' : 'corrected_unreadable', place);
  const ended = subjects.runEnded(key);
  const end = await placed(deps, ended);
  if (end === null) {
    const started = subjects.runStarted(key);
    return (await deps.log.get(started)) === null ? nothing('not_started', started) : nothing('in_work', started);
  }
  return nothingFrom(end, ended);
}

function nothingFrom(end: EventRead, place: string): Nothing {
  if (end.kind === 'tombstone') return nothing('corrected_erased', place);
  if (end.kind !== 'event') return nothing('corrected_unreadable', place);
  if (end.event.name === 'outputProduced') return nothing('not_written_yet', place);
  if (end.event.name !== 'runFailed') return nothing('corrected_unreadable', place);
  const { class: failure } = end.event.data.diagnostic;
  return failure === 'abandoned' ? nothing('run_abandoned', place) : nothing('run_failed', place, failure);
}
