import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoffMs } from '../src/backoff.js';
import { LogError } from '../src/errors.js';
import { isReplySubject } from '../src/jetstream/coreMessaging.js';
import { positionOf } from '../src/jetstream/delivered.js';
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS } from '../src/limits.js';
import { checkServerVersion } from '../src/serverVersion.js';
import { isConcreteSubject, isSubjectPattern, matchesSubject } from '../src/subject.js';

describe('subjects', () => {
  it.each([
    ['a.b', 'a.b', true],
    ['a.*', 'a.b', true],
    ['a.*', 'a.b.c', false],
    ['a.>', 'a.b.c', true],
    ['a.>', 'a', false],
    ['>', 'a.b', true],
    ['a.b', 'a.b.c', false],
    ['a.b.c', 'a.b', false],
    ['*.b.>', 'a.b.c', true],
    ['a.*.c', 'a.b.d', false],
  ])('%s matches %s: %s', (pattern, subject, matches) => {
    expect(matchesSubject(pattern, subject)).toBe(matches);
  });

  it.each([
    ['a.b', true, true],
    ['a.*', false, true],
    ['a.>', false, true],
    ['a.>.b', false, false],
    ['a.b*', false, false],
    ['a..b', false, false],
    ['a b', false, false],
    ['ä', false, false],
  ])('%s names a place: %s, is a pattern: %s', (subject, concrete, pattern) => {
    expect([isConcreteSubject(subject), isSubjectPattern(subject)]).toEqual([concrete, pattern]);
  });
});

describe('the nature of a fault', () => {
  it.each([
    ['timeout', 'passes'],
    ['no_responders', 'passes'],
    ['not_connected', 'passes'],
    ['permission_denied', 'lasts'],
    ['stream_missing', 'lasts'],
    ['closed', 'lasts'],
    ['broker_refused', 'lasts'],
    ['too_large', 'of_event'],
    ['subject_invalid', 'of_event'],
  ] as const)('%s %s', (code, nature) => {
    expect(new LogError(code, 'said').nature).toBe(nature);
  });
});

describe('reply subjects', () => {
  it.each(['_INBOX.a.b', '_INBOX_judgments.a', '_R_.x.y'])('%s may be answered', (subject) => {
    expect(isReplySubject(subject)).toBe(true);
  });
  it.each([
    undefined,
    '',
    'stream.thought.judgment.a',
    '$JS.API.STREAM.DELETE.THOUGHT',
    '_INBOX',
    '_INBOX_.a',
    '_INBOX_a b.c',
    '_INBOXX.a',
    'a._INBOX.b',
    '_INBOX.>',
  ])('%s may not', (subject) => {
    expect(isReplySubject(subject)).toBe(false);
  });
});

describe('server versions', () => {
  it.each([
    ['2.9.10', 1, true],
    ['2.10.27', 3, true],
    ['2.15.1-beta.2', 3, true],
    ['2.9.10', 3, false],
    ['2.8.4', 1, false],
    ['2.10.19', 1, true],
    ['2.10.20', 1, false],
    ['2.10.22', 1, false],
    ['2.10.23', 1, true],
    ['nonsense', 1, false],
  ])('%s with %s replicas can hold the log: %s', (version, replicas, can) => {
    const check = (): void => checkServerVersion(version, replicas);
    if (can) expect(check).not.toThrow();
    else expect(check).toThrow(expect.objectContaining({ code: 'server_unsupported' }));
  });
});

describe('backoff', () => {
  it('lies between half the first pause and the longest one, and never shrinks with the attempts', () => {
    const unit = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.nat(200), unit, (attempt, random) => {
        const ms = backoffMs(attempt, () => random);
        expect(ms).toBeGreaterThanOrEqual(BACKOFF_FIRST_MS / 2);
        expect(ms).toBeLessThanOrEqual(BACKOFF_MAX_MS);
        expect(backoffMs(attempt + 1, () => random)).toBeGreaterThanOrEqual(ms);
      }),
    );
  });
});

describe('positionOf', () => {
  const position = (reply: string): unknown => positionOf({ reply } as Parameters<typeof positionOf>[0]);

  it('reads both forms of a position', () => {
    const expected = { deliveries: 2, streamSequence: 30, consumerSequence: 4, pending: 5 };
    expect(position('$JS.ACK.THOUGHT.c.2.30.4.1700000000.5')).toEqual(expected);
    expect(position('$JS.ACK._.hash.THOUGHT.c.2.30.4.1700000000.5')).toEqual(expected);
    expect(position('$JS.ACK._.hash.THOUGHT.c.2.30.4.1700000000.0.token')).toEqual({ ...expected, pending: 0 });
  });

  it.each(['', '_INBOX.a', '$JS.ACK.THOUGHT.c.x.30.4.1.5', '$JS.ACK.THOUGHT.c.2.30.4.1.5.6'])('refuses %j', (reply) => {
    expect(() => position(reply)).toThrow(expect.objectContaining({ code: 'broker_refused' }));
  });
});
