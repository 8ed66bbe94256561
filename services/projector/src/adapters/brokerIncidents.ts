import { encodeIncident, incidentSubjectPrefix } from '@emend/contracts';
import type { Broker } from '@emend/log';
import type { Clock } from '@emend/runtime';
import type { Incidents } from '../ports.js';

const SERVICE = 'projector';

/** A place for the proof of writing; no incident has this code. */
export const incidentProbe = `${incidentSubjectPrefix}${SERVICE}.probe`;

export function brokerIncidents(broker: Pick<Broker, 'store'>, clock: Clock): Incidents {
  return {
    async raise(incident) {
      const { subject, bytes } = encodeIncident({ service: SERVICE, ...incident, time: new Date(clock.now()).toISOString() });
      await broker.store(subject, bytes);
    },
  };
}
