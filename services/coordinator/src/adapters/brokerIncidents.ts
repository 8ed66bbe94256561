import { encodeIncident, type Incident } from '@emend/contracts';
import type { Broker } from '@emend/log';
import type { Clock } from '@emend/runtime';
import type { Incidents } from '../ports.js';

/** Incidents of this service into their stream. */
export function brokerIncidents(broker: Pick<Broker, 'store'>, clock: Clock): Incidents {
  return {
    async raise(incident) {
      const whole: Incident = { service: 'coordinator', ...incident, time: new Date(clock.now()).toISOString() };
      const { subject, bytes } = encodeIncident(whole);
      await broker.store(subject, bytes);
    },
  };
}
