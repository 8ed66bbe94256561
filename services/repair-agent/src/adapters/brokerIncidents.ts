import { encodeIncident } from '@emend/contracts';
import type { Broker } from '@emend/log';
import type { Clock } from '@emend/runtime';
import { repairAgentName } from '../domain/repairRun.js';
import type { RepairEvents } from '../events.js';
import type { Incidents } from '../ports.js';

/** Incidents into their stream. One that cannot be stored is counted and logged, and keeps no message from its end. */
export function brokerIncidents(
  broker: Pick<Broker, 'store'>,
  { clock, events }: { clock: Clock; events: Pick<RepairEvents, 'incidentLost'> },
): Incidents {
  return {
    async report(incident) {
      const { subject, bytes } = encodeIncident({ service: repairAgentName, ...incident, time: new Date(clock.now()).toISOString() });
      try {
        await broker.store(subject, bytes);
      } catch {
        events.incidentLost(incident.code);
      }
    },
  };
}
