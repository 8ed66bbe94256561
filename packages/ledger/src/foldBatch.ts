import { type EventRead, placeOf, readEvent, runOfPlace, sha256 } from '@emend/contracts';
import { type Dossier, emptyDossier, foldStep } from '@emend/history';
import type { StoredEvent } from '@emend/log';
import type { Checkpoint } from './checkpoint.js';
import type { DossierStore } from './dossierStore.js';
import type { LedgerFacts } from './ledgerFacts.js';
import type { VoidEvent } from './voidEvents.js';

/** The event the fold stands before: its writer is newer than this reader. */
export interface Halt {
  readonly subject: string;
  readonly sequence: number;
}

/** What a batch did, or would do before it is written. */
export interface FoldedBatch {
  /** How many events were folded; those folded before do not count. */
  readonly events: number;
  /** The last of them; null where there was none. */
  readonly checkpoint: Checkpoint | null;
  /** The runs that changed, once each, as they stand after the batch. */
  readonly changed: readonly Dossier[];
  readonly voids: readonly VoidEvent[];
  readonly halt: Halt | null;
}

interface Folding {
  readonly dossiers: Pick<DossierStore, 'get'>;
  readonly facts: LedgerFacts;
  /** The last sequence folded before. */
  readonly after: number;
}

/** Folds events in the order of the log. Facts are learned on the way, since each event is judged by what stands before it. */
export function foldBatch(events: readonly StoredEvent[], { dossiers, facts, after }: Folding): FoldedBatch {
  const changed = new Map<string, Dossier>();
  const voids: VoidEvent[] = [];
  let last: StoredEvent | null = null;
  let count = 0;
  let halt: Halt | null = null;
  for (const event of events) {
    const { subject, sequence } = event;
    if (sequence <= (last?.sequence ?? after)) continue;
    const read = readEvent(event);
    if (read.kind === 'unknown_version') {
      halt = { subject, sequence };
      break;
    }
    const code = put(event, read, { dossiers, facts, changed });
    if (code !== null) voids.push({ subject, sequence, code });
    last = event;
    count += 1;
  }
  const checkpoint = last === null ? null : { sequence: last.sequence, hash: sha256(last.bytes) };
  return { events: count, checkpoint, changed: [...changed.values()], voids, halt };
}

interface Putting extends Omit<Folding, 'after'> {
  readonly changed: Map<string, Dossier>;
}

/** Puts one event where it belongs: into its run's dossier, or into the facts. Says why it has no effect, or null. */
function put(
  event: StoredEvent,
  read: Exclude<EventRead, { kind: 'unknown_version' }>,
  { dossiers, facts, changed }: Putting,
): string | null {
  const place = placeOf(event.subject);
  const run = place === null ? null : runOfPlace(place);
  if (run === null) return learn(event, read, facts);
  const before = changed.get(run) ?? dossiers.get(run) ?? emptyDossier(run);
  const { dossier, fault } = foldStep(before, { subject: event.subject, sequence: event.sequence, read }, facts);
  changed.set(run, dossier);
  return fault;
}

function learn(event: StoredEvent, read: EventRead, facts: LedgerFacts): string | null {
  if (read.kind === 'void') return read.code;
  if (read.kind !== 'event') return null;
  return facts.learn(read.event, event.sequence) === 'void' ? 'declaration_void' : null;
}
