import { encodeIncident } from '@emend/contracts';
import type { Broker } from '@emend/log';
import type { Clock } from '@emend/runtime';
import type { RequestAppender } from '../ports.js';

/** Appends requests to their places. Other bytes on a request's place are an incident: equal evidence gives equal bytes. */
export function logRequestAppender(broker: Broker, clock: Clock): RequestAppender {
  return {
    async append(request) {
      const appended = await broker.log.append(request);
      if (appended.kind === 'conflict') {
        const time = new Date(clock.now()).toISOString();
        const incident = encodeIncident({ service: 'coordinator', code: 'request_conflict', subject: request.subject, time });
        await broker.store(incident.subject, incident.bytes);
      }
      return appended.kind;
    },
  };
}
