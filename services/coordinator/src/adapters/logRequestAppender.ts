import type { EventLog } from '@emend/log';
import type { Incidents, RequestAppender } from '../ports.js';

/** Appends requests to their places. Other bytes on a request's place are an incident: equal evidence gives equal bytes. */
export function logRequestAppender(log: Pick<EventLog, 'append'>, incidents: Incidents): RequestAppender {
  return {
    async append(request) {
      const appended = await log.append(request);
      if (appended.kind === 'conflict') await incidents.raise({ code: 'request_conflict', subject: request.subject });
      return appended.kind;
    },
  };
}
