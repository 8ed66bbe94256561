import { compileContract, encodeEvent, type EventOf, observation, readEvent, type ThoughtEvent } from '@emend/contracts';
import type { EventLog } from '@emend/log';
import { manualTime } from '@emend/runtime';
import { agentDeclaration, minute, provenance } from '../../../test/support/specimens.js';
import type { Attempt } from '../src/decisions/index.js';
import { logAppender, logReader, type StandardRunDeps } from '../src/index.js';

export const contract = compileContract(observation);
export const agent = agentDeclaration(contract);
export const model = provenance();
export const digests = { command: 'c'.repeat(64), filter: 'd'.repeat(64), node: 'e'.repeat(64), worker: 'f'.repeat(64) };
export const claimedAt = minute(5);

/** A source as a service reads it. */
export function sourceOf(capture = 'n001'): EventOf<'sourceCaptured'> {
  const draft = { source: 'field-notes', time: minute(0), privacy: 'public', sourceClass: 'public-source' } as const;
  const data = { producer: 'field-notes', capture, kind: 'note', text: 'The gauge read 4.12 m.' };
  const read = readEvent(encodeEvent({ ...draft, name: 'sourceCaptured', data }));
  if (read.kind !== 'event' || read.event.name !== 'sourceCaptured') throw new Error('a source is an event');
  return read.event;
}

export const attemptOf = (n = 1): Attempt => ({ producer: 'counter', source: sourceOf(), agent, n });

/** What stands on a place, which a test knows to be readable. */
export async function eventAt(log: EventLog, place: string): Promise<ThoughtEvent | null> {
  const stored = await log.get(place);
  if (stored === null) return null;
  const read = readEvent(stored);
  if (read.kind !== 'event') throw new Error(`${read.kind} on ${place}`);
  return read.event;
}

let claimants = 0;

/** A service over a log, with all that it said. */
export function serviceOn(log: EventLog, change: Partial<StandardRunDeps> = {}) {
  const said: string[] = [];
  const note = (what: string) => (_run: string, code?: string) => void said.push(code === undefined ? what : `${what} ${code}`);
  const deps: StandardRunDeps = {
    producer: 'counter',
    attemptsMax: 2,
    reader: logReader(log),
    appender: logAppender(log),
    events: {
      claimed: () => void said.push('claimed'),
      claimLost: note('claim_lost'),
      ended: note('ended'),
      endLost: note('end_lost'),
      attemptsUsedUp: () => void said.push('attempts_used_up'),
    },
    clock: manualTime(Date.parse(claimedAt)),
    newClaimant: () => `claimant${String((claimants += 1)).padStart(14, '0')}`,
    claimLostRetryMs: 30_000,
    stopping: new AbortController().signal,
    ...change,
  };
  return { deps, said };
}
