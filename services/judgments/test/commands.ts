import type { EncodedEvent, JudgedOutput, RecordJudgmentInput, RetractJudgmentInput } from '@emend/contracts';
import { minute, type RunStory, storedLog } from '../../../test/support/history.js';
import { readCommand, type JudgmentCommand, type Operation } from '../src/domain/command.js';
import { type Decision, decide } from '../src/domain/decide.js';
import { foldRun, type JudgedRun } from '../src/domain/judgedRun.js';

export const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

/** What a log holds, in this order. */
export type Events = readonly Pick<EncodedEvent, 'subject' | 'bytes'>[];

/** When the tests' commands arrive, in milliseconds. */
export const arrivalMs = Date.parse(minute(60));

/** Where commands point. */
export const pointers = (story: RunStory) => ({
  output: { kind: 'output', id: story.idOf.ended } as const,
  proposal: { kind: 'proposal', id: story.idOf.settlement, policy: story.policy } as const,
  run: { kind: 'run' } as const,
});

let actions = 0;

/** A command to record, valid but for what a test changes. Every call is another act unless it names its action. */
export const recordOf = (
  story: RunStory,
  change: Partial<RecordJudgmentInput> & Pick<RecordJudgmentInput, 'target' | 'verdict'>,
): RecordJudgmentInput => ({ action: `act-${(actions += 1)}`, run: story.run, producer: story.facts.producer, ...change });

export const retractOf = (
  story: RunStory,
  change: Partial<RetractJudgmentInput> & Pick<RetractJudgmentInput, 'target' | 'retracts'>,
): RetractJudgmentInput => ({ action: `act-${(actions += 1)}`, run: story.run, producer: story.facts.producer, ...change });

export const preferOf = (story: RunStory, preferred: JudgedOutput, over: JudgedOutput): RecordJudgmentInput =>
  recordOf(story, { target: { kind: 'run' }, verdict: 'prefer', prefer: { preferred, over } });

/** A body as its authority would send it. Throws where the door would not read it. */
export function commandFrom(authority: string, operation: Operation, body: unknown): JudgmentCommand {
  const read = readCommand({ subject: `svc.thought.judgments.${operation}.${authority}`, bytes: bytesOf(body) });
  if (read.kind !== 'command') throw new Error(read.code);
  return read.command;
}

/** What is read of a run from a log that holds these events, in this order. */
export const runFrom = (story: RunStory, events: Events): JudgedRun => foldRun(story.run, storedLog(...events).read);

/** What the service decides of one command over these events. */
export const decided = (
  story: RunStory,
  events: Events,
  body: RecordJudgmentInput | RetractJudgmentInput,
  { authority = 'anna', nowMs = arrivalMs }: { readonly authority?: string; readonly nowMs?: number } = {},
): Decision => decide(runFrom(story, events), commandFrom(authority, 'retracts' in body ? 'retract' : 'record', body), nowMs);

/** The codes of a refusal, in order; the kind of any other decision. */
export const codesOf = (decision: Decision | { kind: string }): readonly string[] =>
  'reasons' in decision ? decision.reasons.map(({ code }) => code) : [decision.kind];
