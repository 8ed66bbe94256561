import { type EncodedEvent, type EventDraft, encodeEvent } from '@emend/contracts';
import { type AppendDeps, appendInHand, notStored } from '@emend/runs';
import { done, type Outcome } from '@emend/runtime';
import type { RepairEvents } from './events.js';

export type Settlement = EventDraft<'correctionProposed'> | EventDraft<'runFailed'>;

export interface SettleDeps extends AppendDeps {
  readonly events: RepairEvents;
}

/**
 * Appends the settlement of a request and says what becomes of its message. The place takes one event for ever: where
 * another stands there, the request is handled and what we have is dropped, however good.
 */
export async function settle(deps: SettleDeps, { draft, code }: { readonly draft: Settlement; readonly code: string }): Promise<Outcome> {
  const event = encodeSettlement(draft);
  const request = requestOf(draft);
  const appended = await appendInHand(deps, event);
  switch (appended.kind) {
    case 'appended':
      deps.events.settled(request, code);
      return done;
    case 'already':
      return done;
    case 'conflict':
      deps.events.settlementLost(request, code);
      return done;
    case 'full':
    case 'unknown':
      return notStored(appended.kind, 'settlement');
    default:
      return appended satisfies never;
  }
}

const encodeSettlement = (draft: Settlement): EncodedEvent => (draft.name === 'runFailed' ? encodeEvent(draft) : encodeEvent(draft));

const requestOf = (draft: Settlement): string => (draft.name === 'runFailed' ? (draft.data.repair?.request ?? '') : draft.data.request);
