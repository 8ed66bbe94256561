import type { JudgmentReply } from '@emend/contracts';
import { type ComponentHealth, describeError, type Health, type Logger, type Metrics } from '@emend/runtime';
import type { JudgmentCommand } from './domain/command.js';

export const judgmentsLogFields = [
  'operation',
  'authority',
  'run',
  'event',
  'n',
  'reasons',
  'reads',
  'writes',
  'serves',
  'queue',
  'server',
];

/** One function per business event. Ids and codes only: no verdict's content, no action id, which is the client's own text. */
export interface JudgmentsEvents {
  /** A request was answered; `command` is null where it was none of ours. */
  answered(command: JudgmentCommand | null, reply: JudgmentReply): void;
  faulted(error: unknown): void;
  /** The door let a request fall unanswered. */
  dropped(reason: 'reply_subject_refused' | 'too_many_waiting'): void;
}

export function judgmentsEvents(log: Logger, metrics: Metrics, health: Health): JudgmentsEvents {
  const answers = metrics.counter({
    name: 'judgment_commands_total',
    help: 'Commands by operation, result and first code.',
    labels: ['operation', 'result', 'code'],
  });
  const dropped = metrics.counter({
    name: 'judgment_requests_dropped_total',
    help: 'Requests that were not answered.',
    labels: ['reason'],
  });
  return {
    answered(command, reply) {
      const [code = 'none'] = codesOf(reply);
      answers.inc({ operation: command?.operation ?? 'none', result: reply.kind, code });
      const component = logHealth(reply);
      if (component !== null) health.set('log', component);
      log[reply.kind === 'unavailable' ? 'warn' : 'info'](`judgment.${reply.kind}`, {
        operation: command?.operation,
        authority: command?.authority,
        run: command?.run,
        ...('event' in reply ? { event: reply.event, n: reply.n } : { reasons: codesOf(reply).join(' ') }),
      });
    },
    faulted: (error) => log.error('judgment.faulted', { ...describeError(error) }),
    dropped(reason) {
      dropped.inc({ reason });
      log.warn('request.dropped', { reason });
    },
  };
}

function codesOf(reply: JudgmentReply): readonly string[] {
  if (reply.kind === 'refused') return reply.reasons.map(({ code }) => code);
  return reply.kind === 'unavailable' ? [reply.cause] : [];
}

/** A full log makes the service unready until an append succeeds again. A refusal says nothing of the log. */
function logHealth(reply: JudgmentReply): ComponentHealth | null {
  if (reply.kind === 'recorded') return { ok: true };
  return reply.kind === 'unavailable' && reply.cause === 'log_full' ? { ok: false, reason: 'log_full' } : null;
}
