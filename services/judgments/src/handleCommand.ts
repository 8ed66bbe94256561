import type { JudgmentReply } from '@emend/contracts';
import { type Clock, describeError, type Patience } from '@emend/runtime';
import { type JudgmentCommand, readCommand } from './domain/command.js';
import { decide } from './domain/decide.js';
import type { JudgmentsEvents } from './events.js';
import { loadRun } from './loadRun.js';
import type { JudgmentLog } from './ports.js';

/** Each conflict means that a judgment of this very chain was stored meanwhile; so many in a row is no person's doing. */
export const triesMax = 16;

export interface CommandDeps {
  readonly log: JudgmentLog;
  readonly clock: Clock;
  /** A fresh one for each command. */
  readonly patience: () => Patience;
  readonly events: JudgmentsEvents;
}

/** One request of an authority: read, decide, append, and where the place was taken meanwhile, again. Always answers. */
export async function handleCommand(
  deps: CommandDeps,
  request: { readonly subject: string; readonly bytes: Uint8Array },
): Promise<JudgmentReply> {
  const read = readCommand(request);
  if (read.kind === 'refused') {
    const reply: JudgmentReply = { kind: 'refused', reasons: [{ code: read.code }] };
    deps.events.answered(null, reply);
    return reply;
  }
  const reply = await judged(deps, read.command).catch((error: unknown) => faulted(deps, error));
  deps.events.answered(read.command, reply);
  return reply;
}

async function judged({ log, clock, patience: patienceFor }: CommandDeps, command: JudgmentCommand): Promise<JudgmentReply> {
  const patience = patienceFor();
  for (let tries = 0; tries < triesMax; tries += 1) {
    const loaded = await loadRun(log, command, patience);
    if (loaded.kind === 'unknown_version') return unavailable('unknown_version');
    const decision = decide(loaded.run, command, clock.now());
    if (decision.kind === 'refused') return { kind: 'refused', reasons: [...decision.reasons] };
    if (decision.kind === 'already_recorded') return decision;

    const { event, n } = decision;
    const outcome = await log.append(event);
    if (outcome.kind === 'appended') return { kind: 'recorded', event: event.id, n };
    // The very same bytes stand there: an equal sending was first, or an earlier try of this append.
    if (outcome.kind === 'already') return { kind: 'already_recorded', event: event.id, n };
    if (outcome.kind === 'full') return unavailable('log_full');
    if (outcome.kind === 'unknown') return unavailable(outcome.cause);
  }
  return unavailable('contended');
}

const unavailable = (cause: string): JudgmentReply => ({ kind: 'unavailable', cause });

/** A broker that is away, or a bug: the caller learns a code and may send the same again. */
function faulted({ events }: CommandDeps, error: unknown): JudgmentReply {
  events.faulted(error);
  return unavailable(describeError(error).code ?? 'handler_failed');
}
