import { type EncodedEvent, type EventDraft, encodeEvent } from '@emend/contracts';
import { done, type Outcome, retry, stop } from '@emend/runtime';
import type { RepairEvents } from './events.js';
import type { EventAppender } from './ports.js';

/** How often one settlement is appended before its message is given back: each try has the append's own bound. */
export const settleTriesMax = 10;
/** Until a message comes back whose append nobody knows the end of. */
export const unknownRetryMs = 5_000;

export type Settlement = EventDraft<'correctionProposed'> | EventDraft<'runFailed'>;

export interface SettleDeps {
  readonly appender: EventAppender;
  readonly stopping: AbortSignal;
  readonly events: RepairEvents;
}

/**
 * Appends the settlement of a request and says what becomes of its message. The place takes one event for ever: where
 * another stands there, the request is handled and what we have is dropped, however good.
 */
export async function settle(deps: SettleDeps, { draft, code }: { readonly draft: Settlement; readonly code: string }): Promise<Outcome> {
  const event = encodeSettlement(draft);
  const request = requestOf(draft);
  for (let tries = 1; ; tries += 1) {
    const appended = await deps.appender.append(event);
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
      case 'refused':
        return stop(appended.code);
      case 'unknown':
        // The same bytes again: what was generated is worth another try, and repeating an append is safe.
        if (tries < settleTriesMax && appended.cause !== 'closed' && !deps.stopping.aborted) continue;
        return retry(unknownRetryMs, 'settlement_unknown');
      default:
        return appended satisfies never;
    }
  }
}

const encodeSettlement = (draft: Settlement): EncodedEvent => (draft.name === 'runFailed' ? encodeEvent(draft) : encodeEvent(draft));

const requestOf = (draft: Settlement): string => (draft.name === 'runFailed' ? (draft.data.repair?.request ?? '') : draft.data.request);
