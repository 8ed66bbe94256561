import { type EventOf, type EventRead, eventIdOf, type PlaceRead, placeOf, runOfPlace, type ThoughtEvent } from '@emend/contracts';
import { judgeLink, takePlace } from './chains.js';
import { type Chain, chainOf, type Dossier, type Erased, ignoredMax, type Repair, repairOf, type Void } from './dossier.js';
import type { FaultCode } from './faults.js';
import type { KnownFacts } from './facts.js';
import { claimFacts, endFacts, isOfOwnRun, requestFacts, settlementFacts, startFacts } from './runRules.js';

/** One event of a run as it was stored. `read` is what `readEvent` made of its bytes. */
export interface FoldedEvent {
  readonly subject: string;
  readonly sequence: number;
  readonly read: Exclude<EventRead, { kind: 'unknown_version' }>;
}

/** A dossier after a step, and why the event has no effect; null where it has one, or was folded before. */
export interface FoldStep {
  readonly dossier: Dossier;
  readonly fault: FaultCode | null;
}

/**
 * One step of the fold. Copies facts and never refuses: what breaks the rule of its place is kept as void with its code.
 * An event at or before the dossier's position was folded already and changes nothing.
 */
export function foldStep(dossier: Dossier, folded: FoldedEvent, facts: KnownFacts): FoldStep {
  const place = placeOf(folded.subject);
  if (place === null || runOfPlace(place) !== dossier.run || folded.sequence <= dossier.position) return { dossier, fault: null };
  const [next, fault] = put(dossier, place, folded, facts);
  return { dossier: { ...(fault === null ? next : withIgnored(next, folded.subject, fault)), position: folded.sequence }, fault };
}

/** The same for whoever asks only for the dossier. */
export const evolveDossier = (dossier: Dossier, folded: FoldedEvent, facts: KnownFacts): Dossier =>
  foldStep(dossier, folded, facts).dossier;

function withIgnored(dossier: Dossier, subject: string, code: FaultCode): Dossier {
  const ignored = dossier.ignoredCount < ignoredMax ? [...dossier.ignored, { subject, code }] : dossier.ignored;
  return { ...dossier, ignored, ignoredCount: dossier.ignoredCount + 1 };
}

/** Puts the event on its place. The second value says why it has no effect, or is null. */
function put(dossier: Dossier, place: PlaceRead, folded: FoldedEvent, facts: KnownFacts): readonly [Dossier, FaultCode | null] {
  const [first = '', second = '', third = ''] = place.key;
  switch (place.place) {
    case 'runStarted': {
      const own = asProducer(dossier, first, folded);
      if (own === null) return [dossier, 'foreign_producer'];
      const started = settle(folded, ['runStarted'], (event) => startFacts(event, facts));
      return [{ ...own, started }, faultOf(started)];
    }
    case 'runEnded': {
      const own = asProducer(dossier, first, folded);
      if (own === null) return [dossier, 'foreign_producer'];
      const ended = settle(folded, ['outputProduced', 'runFailed'], (event) => endFacts(own, event, facts));
      return [{ ...own, ended }, faultOf(ended)];
    }
    case 'repairRequested': {
      const request = settle(folded, ['repairRequested'], (event) => requestFacts(dossier, event));
      return [withRepair(dossier, second, { request }), faultOf(request)];
    }
    case 'repairStarted': {
      const claim = settle(folded, ['runStarted'], (event) => claimFacts(repairOf(dossier, second), event));
      return [withRepair(dossier, second, { claim }), faultOf(claim)];
    }
    case 'correction': {
      const settlement = settle(folded, ['correctionProposed', 'runFailed'], (event) =>
        settlementFacts(dossier, repairOf(dossier, second), event, facts),
      );
      return [withRepair(dossier, second, { settlement }), faultOf(settlement)];
    }
    case 'judgment': {
      if (!chainPlace.test(third)) return [dossier, folded.read.kind === 'void' ? folded.read.code : null];
      const chain = linked(dossier, { chain: second, n: Number(third) }, folded, facts);
      const fault = chain.links.at(-1)?.fault ?? null;
      return [{ ...dossier, chains: { ...dossier.chains, [second]: chain } }, fault === 'erased' ? null : fault];
    }
    case 'source':
    case 'contract':
    case 'agent':
    case 'policy':
    case 'transcriptCorrected':
      return [dossier, null];
    default:
      return place.place satisfies never;
  }
}

/** How a judgment's place writes its n. What stands under `01` is no place of the chain, and takes none. */
const chainPlace = /^[1-9][0-9]{0,6}$/;

/**
 * The dossier as the producer of a run's place continues it, or null where the run is another producer's.
 * Any producer can name any run on places of its own; only the one that the run id follows from says something about the run.
 */
function asProducer(dossier: Dossier, producer: string, { read }: FoldedEvent): Dossier | null {
  if (dossier.producer === producer) return dossier;
  if (isOfOwnRun(read, dossier.run)) return { ...dossier, producer, started: null, ended: null };
  return dossier.producer === null ? { ...dossier, producer } : null;
}

/** What stands on a place now: the facts of an event of the right type, or the reason why it has no effect. */
function settle<Name extends ThoughtEvent['name'], Facts>(
  folded: FoldedEvent,
  names: readonly Name[],
  facts: (event: EventOf<Name>) => Facts | Void,
): Facts | Void | Erased {
  const { read } = folded;
  if (read.kind === 'tombstone') return { kind: 'erased' };
  if (read.kind === 'void') return { kind: 'void', code: read.code };
  const wanted: readonly string[] = names;
  // The name says which type of event it is.
  return wanted.includes(read.event.name) ? facts(read.event as EventOf<Name>) : { kind: 'void', code: 'type_not_of_place' };
}

function linked(dossier: Dossier, at: { chain: string; n: number }, { subject, read }: FoldedEvent, facts: KnownFacts): Chain {
  const chain = chainOf(dossier, at.chain);
  if (read.kind === 'event' && (read.event.name === 'judgmentRecorded' || read.event.name === 'judgmentRetracted')) {
    return judgeLink({ dossier, chain, event: read.event, facts });
  }
  const fault = read.kind === 'void' ? read.code : read.kind === 'tombstone' ? 'erased' : 'type_not_of_place';
  return takePlace(chain, { n: at.n, eventId: eventIdOf(subject), fault });
}

const withRepair = (dossier: Dossier, policy: string, change: Partial<Repair>): Dossier => ({
  ...dossier,
  repairs: { ...dossier.repairs, [policy]: { ...repairOf(dossier, policy), ...change } },
});

const faultOf = (fact: NonNullable<Dossier['started'] | Dossier['ended'] | Repair[keyof Repair]>): FaultCode | null =>
  fact.kind === 'void' ? fact.code : null;
