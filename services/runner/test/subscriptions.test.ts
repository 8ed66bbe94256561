import { describe, expect, it } from 'vitest';
import { fits, fitsAny } from '../src/domain/subscriptions.js';

const note = 'stream.thought.source.note.captured.field-notes.n001';

describe('a subscription', () => {
  it.each([
    ['stream.thought.source.note.captured', true],
    [note, true],
    ['stream.thought.source.*.captured', true],
    ['stream.thought.source.*.captured.*.n001', true],
    ['stream.thought.source.>', true],
    ['>', true],
    ['stream.thought.source.photo.captured', false],
    ['stream.thought.source.note', true],
    ['stream.thought.source.no', false],
    [`${note}.more`, false],
    [`${note}.>`, false],
    ['stream.thought.source.*.*.*.n002', false],
    // What NATS refuses.
    ['stream.>.source', false],
    ['stream..source', false],
    ['', false],
  ])('%s', (subscription, expected) => {
    expect(fits(subscription, note)).toBe(expected);
  });

  it('one of several is enough, and none fits nothing', () => {
    expect(fitsAny(['stream.thought.source.photo.captured', 'stream.thought.source.>'], note)).toBe(true);
    expect(fitsAny([], note)).toBe(false);
  });
});
