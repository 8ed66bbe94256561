import { type EncodedEvent, type EventDraft, encodeEvent } from '@emend/contracts';
import { again, done, type Outcome, stop } from '@emend/runtime';
import { type AppendDeps, appendInHand } from './appendInHand.js';
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
      return stop('log_full');
    case 'unknown':
      return again('settlement_unknown');
    default:
      return appended satisfies never;
  }
}

const encodeSettlement = (draft: Settlement): EncodedEvent => (draft.name === 'runFailed' ? encodeEvent(draft) : encodeEvent(draft));

const requestOf = (draft: Settlement): string => (draft.name === 'runFailed' ? (draft.data.repair?.request ?? '') : draft.data.request);
