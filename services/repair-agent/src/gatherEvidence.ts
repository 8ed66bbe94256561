import { subjects } from '@emend/contracts';
import type { PlaceReader } from '@emend/runs';
import type { PlacedEvent } from '@emend/runs/decisions';
import { patienceOf, sleep, type Timers } from '@emend/runtime';
import { evidenceParts, type EvidencePart, type GatheredEvidence, type RequestInHand } from './domain/evidence.js';

/** How long a named reference is asked for before it counts as missing. */
export const referenceWaitMs = 60_000;

export interface GatherDeps {
  readonly reader: PlaceReader;
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
  const { reader, stopping, timers } = deps;
  const patience = patienceOf({ boundMs: referenceWaitMs, wait: (ms) => sleep(ms, stopping, timers) });
  let evidence = await read(reader, request, nothing);
  while (isIncomplete(evidence) && (await patience.again())) evidence = await read(reader, request, evidence);
  if (isIncomplete(evidence) && stopping.aborted) return { kind: 'stopped' };
  const fromNewer = evidenceParts.some((part) => evidence[part]?.read.kind === 'unknown_version');
  return fromNewer ? { kind: 'unknown_version' } : { kind: 'gathered', evidence };
}

const nothing: GatheredEvidence = { started: null, failed: null, trigger: null, declaration: null, contract: null };
const isIncomplete = (evidence: GatheredEvidence): boolean => evidenceParts.some((part) => evidence[part] === null);

/** Asks for what is not there yet. */
async function read(reader: PlaceReader, { event: { data } }: RequestInHand, found: GatheredEvidence): Promise<GatheredEvidence> {
  const orGet = (part: EvidencePart, place: string): Promise<PlacedEvent | null> => Promise.resolve(found[part] ?? reader.get(place));
  const [started, failed, trigger, declaration, contract] = await Promise.all([
    orGet('started', subjects.runStarted(data)),
    orGet('failed', subjects.runEnded(data)),
    orGet('trigger', data.trigger),
    orGet('declaration', subjects.agent(data.agent)),
    orGet('contract', subjects.contract(data.contract)),
  ]);
  return { started, failed, trigger, declaration, contract };
}
