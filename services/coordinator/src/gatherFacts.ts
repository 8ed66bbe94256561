import { type EventName, type EventOf, subjects, type ThoughtEvent } from '@emend/contracts';
import type { GatheredFacts, StoredFact } from './domain/evidence.js';
import type { EventReader, PlacedEvent } from './ports.js';

export type Gathered =
  | { readonly kind: 'gathered'; readonly facts: GatheredFacts }
  /** A reference is from a newer writer: this replica cannot judge the run. */
  | { readonly kind: 'unknown_version' }
  /** The process is told to stop, and something was still being asked for: nothing is known to be missing. */
  | { readonly kind: 'stopped' };

/** Reads every event that a failed run refers to. Evidence points backwards: what was stored after the end does not count. */
export async function gatherFacts(reader: EventReader, ended: GatheredFacts['ended']): Promise<Gathered> {
  const { producer, run, trigger, agent, contract } = ended.event.data;
  const [started, triggered, declaration, declared] = await Promise.all([
    reader.getNamed(subjects.runStarted({ producer, run })),
    reader.getNamed(trigger),
    reader.getNamed(subjects.agent(agent)),
    reader.getNamed(subjects.contract(contract)),
  ]);
  if (started === 'stopped' || triggered === 'stopped' || declaration === 'stopped' || declared === 'stopped') return { kind: 'stopped' };
  if ([started, triggered, declaration, declared].some((placed) => placed?.read.kind === 'unknown_version'))
    return { kind: 'unknown_version' };
  const before = ended.sequence;
  return {
    kind: 'gathered',
    facts: {
      ended,
      started: factOf(started, before, 'runStarted'),
      trigger: factOf(triggered, before),
      declaration: factOf(declaration, before, 'agentDeclared'),
      contract: factOf(declared, before, 'contractDeclared'),
    },
  };
}

function factOf(placed: PlacedEvent | null, before: number): StoredFact | null;
function factOf<Name extends EventName>(placed: PlacedEvent | null, before: number, name: Name): StoredFact<EventOf<Name>> | null;
function factOf(placed: PlacedEvent | null, before: number, name?: EventName): StoredFact | null {
  if (placed?.read.kind !== 'event' || placed.sequence >= before) return null;
  const event: ThoughtEvent = placed.read.event;
  return name === undefined || event.name === name ? { sequence: placed.sequence, event } : null;
}
