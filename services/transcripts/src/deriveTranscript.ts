import { encodeEvent, type EventRead, type OutputContract } from '@emend/contracts';
import { type AppendDeps, appendInHand, notStored } from '@emend/runs';
import { done, type Outcome } from '@emend/runtime';
import { derivedDraft } from './domain/derivedTranscript.js';
import type { TranscriptEvents } from './events.js';

export interface DeriveDeps extends AppendDeps {
  readonly contract: OutputContract;
  readonly events: Pick<TranscriptEvents, 'derived' | 'derivedTaken'>;
}

/** The corrected transcript, from the stored end alone: whichever delivery finds the end appends the same bytes. */
export async function deriveTranscript(deps: DeriveDeps, run: string, end: EventRead): Promise<Outcome> {
  const draft = derivedDraft(end, deps.contract.ref);
  if (draft === null) return done;
  const appended = await appendInHand(deps, encodeEvent(draft));
  switch (appended.kind) {
    case 'appended':
      deps.events.derived(run);
      return done;
    case 'already':
      return done;
    case 'conflict':
      // Nobody of ours writes anything else there. The end stands, and whoever reads the end has it.
      deps.events.derivedTaken(run);
      return done;
    case 'full':
    case 'unknown':
      return notStored(appended.kind, 'derived');
    default:
      return appended satisfies never;
  }
}
