import { type EventOf, type EventRead, type PlaceRead, placeOf, runOfPlace, type ThoughtEvent } from '@emend/contracts';
import { judgeLink, takePlace } from './chains.js';
import { type Chain, type Dossier, emptyChain, emptyRepair, type Erased, type Repair, type Void } from './dossier.js';
import type { KnownFacts } from './facts.js';
import { claimFacts, endFacts, requestFacts, settlementFacts, startFacts } from './runRules.js';

/** One event of a run as it was stored. `read` is what `readEvent` made of its bytes. */
export interface FoldedEvent {
  readonly subject: string;
  readonly sequence: number;
  readonly read: Exclude<EventRead, { kind: 'unknown_version' }>;
}

/**
 * One step of the fold. Copies facts and never refuses: what breaks the rule of its place is kept as void with its code.
 * An event at or before the dossier's position was folded already and changes nothing.
 */
export function evolveDossier(dossier: Dossier, folded: FoldedEvent, facts: KnownFacts): Dossier {
  const place = placeOf(folded.subject);
  if (place === null || runOfPlace(place) !== dossier.run || folded.sequence <= dossier.position) return dossier;
  const [next, fault] = put(dossier, place, folded, facts);
  const ignored = fault === null ? dossier.ignored : [...dossier.ignored, { subject: folded.subject, code: fault }];
  return { ...next, position: folded.sequence, ignored };
}

/** Puts the event on its place. The second value says why it has no effect, or is null. */
function put(dossier: Dossier, place: PlaceRead, folded: FoldedEvent, facts: KnownFacts): readonly [Dossier, string | null] {
  const [first = '', second = '', third = ''] = place.key;
  switch (place.place) {
    case 'runStarted': {
      const started = settle(folded, ['runStarted'], (event) => startFacts(event, facts));
      return [{ ...dossier, producer: dossier.producer ?? first, started }, faultOf(started)];
    }
    case 'runEnded': {
      const ended = settle(folded, ['outputProduced', 'runFailed'], (event) => endFacts(dossier, event, facts));
      return [{ ...dossier, producer: dossier.producer ?? first, ended }, faultOf(ended)];
    }
    case 'repairRequested': {
      const request = settle(folded, ['repairRequested'], (event) => requestFacts(dossier, event));
      return [withRepair(dossier, second, { request }), faultOf(request)];
    }
    case 'repairStarted': {
      const claim = settle(folded, ['runStarted'], (event) => claimFacts(repairAt(dossier, second), event));
      return [withRepair(dossier, second, { claim }), faultOf(claim)];
    }
    case 'correction': {
      const settlement = settle(folded, ['correctionProposed', 'runFailed'], (event) =>
        settlementFacts(dossier, repairAt(dossier, second), event, facts),
      );
      return [withRepair(dossier, second, { settlement }), faultOf(settlement)];
    }
    case 'judgment': {
      const chain = linked(dossier, { chain: second, n: Number(third) }, folded, facts);
      return [{ ...dossier, chains: { ...dossier.chains, [second]: chain } }, chain.links.at(-1)?.fault ?? null];
    }
    case 'source':
    case 'contract':
    case 'agent':
    case 'policy':
      return [dossier, null];
    default:
      return place.place satisfies never;
  }
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

function linked(dossier: Dossier, at: { chain: string; n: number }, { read }: FoldedEvent, facts: KnownFacts): Chain {
  const chain = dossier.chains[at.chain] ?? emptyChain;
  if (read.kind === 'event' && (read.event.name === 'judgmentRecorded' || read.event.name === 'judgmentRetracted')) {
    return judgeLink({ dossier, chain, event: read.event, facts });
  }
  return takePlace(chain, at.n, read.kind === 'void' ? read.code : 'erased');
}

const repairAt = (dossier: Dossier, policy: string): Repair => dossier.repairs[policy] ?? emptyRepair;

const withRepair = (dossier: Dossier, policy: string, change: Partial<Repair>): Dossier => ({
  ...dossier,
  repairs: { ...dossier.repairs, [policy]: { ...repairAt(dossier, policy), ...change } },
});

const faultOf = (fact: { readonly kind: string } | Void): string | null => (fact.kind === 'void' ? (fact as Void).code : null);
