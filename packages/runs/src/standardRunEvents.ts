import type { Logger, Metrics } from '@emend/runtime';
import type { StandardRunEvents } from './standardWork.js';

/** The fields of the lines below. */
export const standardRunLogFields = ['run', 'source', 'agent'] as const;

/** Counts something that was dropped, by what it was. */
export type CountLost = (what: string) => void;

/**
 * Says and counts what becomes of the runs of a service. Metrics begin with the service's name. What else the service drops is
 * counted in the same metric, by `lost`.
 */
export function standardRunEvents(
  { log, metrics }: { readonly log: Logger; readonly metrics: Metrics },
  { service, lost }: { readonly service: string; readonly lost: string },
): { readonly events: StandardRunEvents; readonly lost: CountLost } {
  const claims = metrics.counter({ name: `${service}_claims_total`, help: 'Claims by outcome.', labels: ['outcome'] });
  const ends = metrics.counter({ name: `${service}_ends_total`, help: 'Ends of runs by code.', labels: ['code'] });
  const dropped = metrics.counter({ name: `${service}_lost_total`, help: `What was dropped: ${lost}.`, labels: ['what'] });
  const events: StandardRunEvents = {
    claimed(run, source) {
      claims.inc({ outcome: 'claimed' });
      log.info('run.claimed', { run, source });
    },
    claimLost(run) {
      claims.inc({ outcome: 'lost' });
      log.info('run.claim_lost', { run });
    },
    ended(run, code) {
      ends.inc({ code });
      log.info('run.ended', { run, code });
    },
    endLost(run, code) {
      dropped.inc({ what: 'end' });
      log.warn('run.end_lost', { run, code });
    },
    attemptsUsedUp(source, { id, version }) {
      dropped.inc({ what: 'answer' });
      log.error('run.attempts_used_up', { source, agent: `${id}@${version}` });
    },
  };
  return { events, lost: (what) => dropped.inc({ what }) };
}
