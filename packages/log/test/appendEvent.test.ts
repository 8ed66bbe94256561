import { describe, expect, it } from 'vitest';
import { type AppendPort, appendEvent } from '../src/append/appendEvent.js';
import type { Answer } from '../src/append/judgeAnswer.js';
import type { StoredEvent } from '../src/eventLog.js';
import { bytes, codeOf } from './testDefinitions.js';

const BOUND_MS = 1_000;
const event = { subject: 'stream.thought.a', bytes: bytes('mine') };
const standing = (body: string): StoredEvent => ({ subject: event.subject, sequence: 7, bytes: bytes(body), headers: {} });

interface Script {
  /** One answer per publish; the last one is repeated. */
  readonly answers: readonly Answer[];
  /** What stands on the place, from which publish on. */
  readonly stands?: { readonly body: string; readonly afterPublish: number };
  readonly unreadable?: string;
  readonly streamIsMissing?: boolean;
}

/** A broker of a script. Its clock moves by pauses alone. */
function scripted(script: Script): AppendPort & { readonly published: () => number } {
  let published = 0;
  let nowMs = 0;
  return {
    publish: async () => script.answers[Math.min(published++, script.answers.length - 1)] ?? { kind: 'taken' },
    lookUp: async () => {
      if (script.unreadable !== undefined) return { kind: 'unreadable', cause: script.unreadable };
      if (script.stands === undefined || published < script.stands.afterPublish) return { kind: 'absent' };
      return { kind: 'found', event: standing(script.stands.body) };
    },
    streamIsMissing: async () => script.streamIsMissing ?? false,
    pause: async (ms) => {
      nowMs += ms;
    },
    nowMs: () => nowMs,
    random: () => 0,
    published: () => published,
  };
}

const lost: Answer = { kind: 'ambiguous', cause: 'timeout' };
const nobody: Answer = { kind: 'ambiguous', cause: 'no_responders' };

describe('appendEvent', () => {
  const table: readonly (Script & { readonly rule: string; readonly outcome: unknown; readonly published: number })[] = [
    {
      rule: 'an answer with a sequence is the end',
      answers: [{ kind: 'stored', sequence: 3 }],
      outcome: { kind: 'appended', sequence: 3 },
      published: 1,
    },
    {
      rule: 'a lost answer is read back',
      answers: [lost],
      stands: { body: 'mine', afterPublish: 1 },
      outcome: { kind: 'already', sequence: 7 },
      published: 1,
    },
    {
      rule: 'a lost message is sent again, the same bytes',
      answers: [lost, { kind: 'stored', sequence: 7 }],
      outcome: { kind: 'appended', sequence: 7 },
      published: 2,
    },
    {
      rule: 'a late first try is found by the second',
      answers: [lost, { kind: 'taken' }],
      stands: { body: 'mine', afterPublish: 2 },
      outcome: { kind: 'already', sequence: 7 },
      published: 2,
    },
    {
      rule: "somebody else's bytes are a conflict",
      answers: [{ kind: 'taken' }],
      stands: { body: 'theirs', afterPublish: 1 },
      outcome: { kind: 'conflict', existing: standing('theirs') },
      published: 1,
    },
    {
      rule: 'a conflict nobody can see yet is asked for again',
      answers: [{ kind: 'taken' }],
      stands: { body: 'theirs', afterPublish: 3 },
      outcome: { kind: 'conflict', existing: standing('theirs') },
      published: 3,
    },
    { rule: 'a limit with nothing there is a full log', answers: [{ kind: 'limit' }], outcome: { kind: 'full' }, published: 1 },
    {
      rule: 'a limit reached by our own first try is not',
      answers: [{ kind: 'limit' }],
      stands: { body: 'mine', afterPublish: 1 },
      outcome: { kind: 'already', sequence: 7 },
      published: 1,
    },
    { rule: 'past the bound it is unknown', answers: [lost], outcome: { kind: 'unknown', cause: 'timeout' }, published: 5 },
    {
      rule: 'a conflict never seen is unknown',
      answers: [{ kind: 'taken' }],
      outcome: { kind: 'unknown', cause: 'conflict_unseen' },
      published: 5,
    },
    {
      rule: 'a full log that cannot be read is unknown, not full',
      answers: [{ kind: 'limit' }],
      unreadable: 'timeout',
      outcome: { kind: 'unknown', cause: 'timeout' },
      published: 5,
    },
    {
      rule: 'nobody there for a while is no missing stream',
      answers: [nobody],
      outcome: { kind: 'unknown', cause: 'no_responders' },
      published: 5,
    },
    {
      rule: 'our own closed connection is not waited for',
      answers: [{ kind: 'ambiguous', cause: 'closed' }],
      outcome: { kind: 'unknown', cause: 'closed' },
      published: 1,
    },
  ];

  it.each(table)('$rule', async ({ outcome, published, ...script }) => {
    const port = scripted(script);
    expect(await appendEvent(port, event, BOUND_MS)).toEqual(outcome);
    expect(port.published()).toBe(published);
  });

  it('throws for a refusal that stays, without a second try', async () => {
    const port = scripted({ answers: [{ kind: 'permanent', code: 'too_large', brokerCode: 10054 }] });
    expect(await codeOf(appendEvent(port, event, BOUND_MS))).toBe('too_large');
    expect(port.published()).toBe(1);
  });

  it('throws for a stream of which the broker itself says that it is missing', async () => {
    const port = scripted({ answers: [nobody], streamIsMissing: true });
    expect(await codeOf(appendEvent(port, event, BOUND_MS))).toBe('stream_missing');
  });
});
