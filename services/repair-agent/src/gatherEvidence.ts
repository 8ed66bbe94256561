import { eventIdOf, placeOf, subjects } from '@emend/contracts';
import { sleep, type Timers } from '@emend/runtime';
import { evidenceParts, type EvidencePart, type GatheredEvidence, type PlacedEvent, type RequestInHand } from './domain/evidence.js';
import type { EvidenceReader } from './ports.js';

/** How long a named reference is asked for before it counts as missing. */
export const referenceWaitMs = 60_000;
/** The first pause between two questions; it doubles, up to the last. */
const firstPauseMs = 100;
const lastPauseMs = 5_000;

export interface GatherDeps {
  readonly reader: EvidenceReader;
  readonly timers: Timers;
  /** Aborts when the process is told to stop: then nothing counts as missing. */
  readonly stopping: AbortSignal;
}

export type Gathered =
  | { readonly kind: 'gathered'; readonly evidence: GatheredEvidence }
  /** Something is from a newer writer: this replica cannot judge it. */
  | { readonly kind: 'unknown_version' }
  | { readonly kind: 'stopped' };

/** Reads every event that a request names; what is not found is asked for again within the wait. */
export async function gatherEvidence(deps: GatherDeps, request: RequestInHand): Promise<Gathered> {
  let evidence = await read(deps.reader, request, nothing);
  for (let waitedMs = 0, pauseMs = firstPauseMs; isIncomplete(evidence) && waitedMs < referenceWaitMs; ) {
    if ((await sleep(pauseMs, deps.stopping, deps.timers)) === 'aborted') return { kind: 'stopped' };
    waitedMs += pauseMs;
    pauseMs = Math.min(pauseMs * 2, lastPauseMs);
    evidence = await read(deps.reader, request, evidence);
  }
  const fromNewer = evidenceParts.some((part) => evidence[part]?.read.kind === 'unknown_version');
  return fromNewer ? { kind: 'unknown_version' } : { kind: 'gathered', evidence };
}

const nothing: GatheredEvidence = { started: null, failed: null, trigger: null, declaration: null, contract: null };
const isIncomplete = (evidence: GatheredEvidence): boolean => evidenceParts.some((part) => evidence[part] === null);

/** Asks for what is not there yet. */
async function read(reader: EvidenceReader, request: RequestInHand, found: GatheredEvidence): Promise<GatheredEvidence> {
  const { data } = request.event;
  const orGet = (part: EvidencePart, place: string): Promise<PlacedEvent | null> => Promise.resolve(found[part] ?? reader.get(place));
  const [{ started, failed }, trigger, declaration, contract] = await Promise.all([
    readRun(reader, request, found),
    orGet('trigger', data.trigger),
    orGet('declaration', subjects.agent(data.agent)),
    orGet('contract', subjects.contract(data.contract)),
  ]);
  return { started, failed, trigger, declaration, contract };
}

type RunFound = Pick<GatheredEvidence, 'started' | 'failed'>;

/**
 * The claim and the failure of the run. A request names them by id and not their producer. Where that is the source's, the
 * id proves the exact place, and a direct get will do; else all events of the run are looked through.
 */
async function readRun(reader: EvidenceReader, { sequence, event: { data } }: RequestInHand, found: RunFound): Promise<RunFound> {
  if (found.started && found.failed) return found;
  const key = { producer: placeOf(data.trigger)?.key[0] ?? '', run: data.run };
  const places = { started: subjects.runStarted(key), failed: subjects.runEnded(key) };
  if (eventIdOf(places.started) === data.started && eventIdOf(places.failed) === data.failed) {
    const [started, failed] = await Promise.all([found.started ?? reader.get(places.started), found.failed ?? reader.get(places.failed)]);
    return { started, failed };
  }
  const ofRun = await reader.ofRun(data.run, sequence);
  const withId = (id: string): PlacedEvent | null => ofRun.find((placed) => placed.id === id) ?? null;
  return { started: found.started ?? withId(data.started), failed: found.failed ?? withId(data.failed) };
}
