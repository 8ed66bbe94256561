import { ContractsError, type EncodedEvent, type EventDraft, encodeEvent, type Refusal } from '@emend/contracts';
import type { JudgmentCommand } from './command.js';
import type { JudgedRun } from './judgedRun.js';
import { classOf, contentOf, type Link, linkOf, saidBy, witnessesOf } from './link.js';
import { rules } from './rules.js';

export type Decision =
  /** The event to append, on the place that decides whether it stands. */
  | { readonly kind: 'record'; readonly event: EncodedEvent; readonly n: number }
  /** The same act stands in the chain, active or not. */
  | { readonly kind: 'already_recorded'; readonly event: string; readonly n: number }
  /** All reasons, in the order of the rules. */
  | { readonly kind: 'refused'; readonly reasons: readonly Refusal[] };

/** What becomes of a command: a function of the run as it was read, the command and the time. Touches nothing. */
export function decide(run: JudgedRun, command: JudgmentCommand, nowMs: number): Decision {
  const link = linkOf(run, command);
  const first = link.chain.links.find(({ action }) => action === command.action);
  if (first !== undefined && first.content === contentOf(command, link)) {
    return { kind: 'already_recorded', event: first.eventId, n: first.n };
  }
  const reasons = rules.flatMap((rule) => rule.test({ command, run, link }));
  return reasons.length > 0 ? { kind: 'refused', reasons } : written(run, command, link, nowMs);
}

/** One millisecond after the newest it has read, where the clock does not say later: what follows an answer is later than it (F33). */
export function observedAt(run: JudgedRun, nowMs: number): string {
  const newestMs = run.newestObservedAt === null ? Number.NEGATIVE_INFINITY : Date.parse(run.newestObservedAt);
  return new Date(Math.max(nowMs, newestMs + 1)).toISOString();
}

function written(run: JudgedRun, command: JudgmentCommand, link: Link, nowMs: number): Decision {
  try {
    const draft = draftOf(run, command, link, nowMs);
    const event = draft.name === 'judgmentRecorded' ? encodeEvent(draft) : encodeEvent(draft);
    return { kind: 'record', event, n: link.n };
  } catch (error) {
    // What keeps every rule and still is no event: a time past what a date can say, or more than the log takes.
    if (error instanceof ContractsError) return { kind: 'refused', reasons: [{ code: error.code }] };
    throw error;
  }
}

function draftOf(
  run: JudgedRun,
  command: JudgmentCommand,
  link: Link,
  nowMs: number,
): EventDraft<'judgmentRecorded'> | EventDraft<'judgmentRetracted'> {
  const witnesses = witnessesOf(run, command);
  const time = observedAt(run, nowMs);
  const { started } = run.dossier;
  const [cause] = witnesses;
  return {
    ...saidBy(command, link, time),
    source: 'judgments',
    time,
    ...(started?.kind === 'started' ? { rootId: started.rootId } : {}),
    ...(cause === undefined ? {} : { causationId: cause.eventId }),
    ...classOf(command, witnesses),
  };
}
