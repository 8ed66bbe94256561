import type { MsgHdrs } from '@nats-io/transport-node';
import { type AppendPort, appendEvent, type LookUp } from '../append/appendEvent.js';
import { checkEvent } from '../append/checkEvent.js';
import { type Answer, judgeAnswer } from '../append/judgeAnswer.js';
import { pause } from '../backoff.js';
import { requirePlace } from '../checkSubject.js';
import type { EventLog, EventToAppend, StoredEvent } from '../eventLog.js';
import { consumeDurable } from './consumeDurable.js';
import { faultOf, isStreamNotFound, toLogError } from './faults.js';
import { headersBeside, ownHeaders } from './messageHeaders.js';
import { readEvents } from './readEvents.js';
import { type Session, untilReconnect } from './session.js';

/** The log over one JetStream stream. */
export function jetstreamLog(session: Session, stream: string, appendBoundMs: number): EventLog {
  const port = appendPort(session, stream);
  return {
    append: async (event) => {
      checkEvent(event);
      return appendEvent(port, event, appendBoundMs);
    },
    get: async (subject) => {
      requirePlace(subject);
      return directGet(session, stream, { last_by_subj: subject }, subject);
    },
    at: (sequence) => directGet(session, stream, { seq: sequence }, stream),
    lastSequence: () => lastSequence(session, stream),
    read: (options) => readEvents(session, stream, options),
    consume: (options) => consumeDurable(session, stream, options),
  };
}

async function lastSequence(session: Session, stream: string): Promise<number> {
  try {
    return (await session.jsm.streams.info(stream)).state.last_seq;
  } catch (error) {
    throw toLogError(error, stream);
  }
}

type DirectQuery = { readonly last_by_subj: string } | { readonly seq: number };

async function directGet(session: Session, stream: string, query: DirectQuery, subject: string): Promise<StoredEvent | null> {
  try {
    const found = await session.jsm.direct.getMessage(stream, query);
    if (found === null) return null;
    return { subject: found.subject, sequence: found.seq, bytes: found.data, headers: ownHeaders(found.header) };
  } catch (error) {
    throw toLogError(error, subject);
  }
}

function appendPort(session: Session, stream: string): AppendPort {
  const headersOf = headersBeside({ 'Nats-Expected-Stream': stream, 'Nats-Expected-Last-Subject-Sequence': '0' });
  return {
    publish: (event) => publish(session, event, headersOf(event.headers)),
    lookUp: (subject) => lookUp(session, stream, subject),
    streamIsMissing: () => streamIsMissing(session, stream),
    pause: (ms) => pause(ms, session.closing),
    nowMs: () => performance.now(),
    random: session.random,
  };
}

async function publish(session: Session, event: EventToAppend, headers: MsgHdrs): Promise<Answer> {
  try {
    const answer = await session.answers.ask({ subject: event.subject, bytes: event.bytes, headers });
    return judgeAnswer(answer.string());
  } catch (error) {
    const fault = faultOf(error, event.subject);
    if (fault.kind === 'lasting') throw fault.error;
    return { kind: 'ambiguous', cause: fault.cause };
  }
}

async function lookUp(session: Session, stream: string, subject: string): Promise<LookUp> {
  try {
    const event = await untilReconnect(session, directGet(session, stream, { last_by_subj: subject }, subject));
    return event === null ? { kind: 'absent' } : { kind: 'found', event };
  } catch (error) {
    const { code } = toLogError(error, subject);
    if (code === 'permission_denied') throw error;
    return { kind: 'unreadable', cause: code };
  }
}

async function streamIsMissing(session: Session, stream: string): Promise<boolean> {
  try {
    await session.jsm.streams.info(stream);
    return false;
  } catch (error) {
    return isStreamNotFound(error);
  }
}
