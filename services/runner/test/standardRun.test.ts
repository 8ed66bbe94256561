import { type Diagnostic, encodeEvent, eventIdOf, placeOf, readEvent, runIdOf } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { stateOf, decideAttempt } from '../src/domain/runTable.js';
import {
  abandonedDraft,
  type Attempt,
  claimDraft,
  failureDraft,
  outputDraft,
  placesOf,
  referenceOf,
  runIn,
} from '../src/domain/standardRun.js';
import { contract, digests, observer, provenance, sourceOf, toldAt, validFor } from './scene.js';

const attempt: Attempt = { producer: 'runner', source: sourceOf(), agent: observer(), n: 1 };
const time = '2026-11-30T12:00:00.000Z';
const claim = { time, model: provenance, claimant: 'claimant-aaaaaaaaaaaaa', promptHash: 'a'.repeat(64), sandbox: digests };
const calls = { primary: 1, overseer: 0 };
const diagnostic: Diagnostic = { class: 'abandoned', contract: contract.ref, issues: [], issueCount: 0, candidateBytes: 0 };
const failed: Diagnostic = { ...diagnostic, class: 'invalid_json' };

const started = readEvent(encodeEvent(claimDraft(attempt, claim)));
const voided = readEvent({ subject: placesOf(attempt).started, bytes: new TextEncoder().encode('{}') });
const ended = (kind: 'output' | 'failure' | 'abandoned') => {
  if (kind === 'output')
    return readEvent(
      encodeEvent(
        outputDraft(attempt, { time, calls, output: validFor(), completion: 'repaired', edits: [{ code: 'trailing_comma', count: 1 }] }),
      ),
    );
  return readEvent(
    encodeEvent(kind === 'failure' ? failureDraft(attempt, { time, calls, diagnostic: failed }) : abandonedDraft(attempt, started)),
  );
};

describe('the table of an attempt', () => {
  it.each([
    ['nothing stands', { started: null, ended: null }, 'unseen', 'claim'],
    ['my own claim', { started, ended: null }, 'claimed_by_me', 'generate'],
    ['a void claim', { started: voided, ended: null }, 'claimed_by_another', 'abandon'],
    ['an output', { started, ended: ended('output') }, 'ended', 'nothing'],
    ['a failure', { started, ended: ended('failure') }, 'ended', 'nothing'],
    ['a void end', { started, ended: voided }, 'ended', 'nothing'],
    ['an end that was given up', { started, ended: ended('abandoned') }, 'ended_abandoned', 'next_attempt'],
    ['an end without its claim', { started: null, ended: ended('abandoned') }, 'ended_abandoned', 'next_attempt'],
  ] as const)('%s', (_name, seen, state, step) => {
    expect(stateOf(seen, claim.claimant)).toBe(state);
    expect(decideAttempt(state)).toBe(step);
  });

  it('the claim of another delivery', () => {
    expect(stateOf({ started, ended: null }, 'claimant-bbbbbbbbbbbbb')).toBe('claimed_by_another');
  });
});

describe('the events of a run', () => {
  it('are those of a producer, on two places that follow from trigger, declaration and attempt', () => {
    expect(runIn(attempt)).toBe(runIdOf({ producer: 'runner', reference: referenceOf(attempt) }));
    const places = placesOf(attempt);
    expect([placeOf(places.started), placeOf(places.ended)]).toEqual([
      { place: 'runStarted', key: ['runner', runIn(attempt)] },
      { place: 'runEnded', key: ['runner', runIn(attempt)] },
    ]);
    const others = [
      { ...attempt, n: 2 },
      { ...attempt, agent: observer({ prompt: 'Other.' }) },
      { ...attempt, source: sourceOf('n002') },
    ];
    expect(new Set([attempt, ...others].map(runIn)).size).toBe(4);
  });

  it('the claim names its one source, its prompt and its sandbox (T51)', () => {
    expect(started).toMatchObject({
      kind: 'event',
      event: {
        causationId: attempt.source.id,
        data: {
          role: 'standard',
          manifest: { sources: [attempt.source.subject], promptHash: claim.promptHash, sandbox: digests },
          claimant: claim.claimant,
        },
      },
    });
  });

  it('an output names its contract, how it came to be valid, and its calls (T52)', () => {
    expect(ended('output')).toMatchObject({
      kind: 'event',
      event: {
        name: 'outputProduced',
        time,
        causationId: eventIdOf(placesOf(attempt).started),
        data: { contract: contract.ref, completion: 'repaired', edits: [{ code: 'trailing_comma', count: 1 }], calls },
      },
    });
  });

  it('who gives up a claim writes the same bytes as everybody who does', () => {
    expect(ended('abandoned')).toMatchObject({ kind: 'event', event: { time, data: { diagnostic } } });
    expect(abandonedDraft(attempt, voided).time).toBe(toldAt);
  });

  it('an output is private unless all that went in is public', () => {
    const closer: Attempt = { ...attempt, source: { ...attempt.source, privacy: 'sensitive' } };
    expect(claimDraft(attempt, claim).privacy).toBe('public');
    expect(claimDraft(closer, claim).privacy).toBe('private');
    const restricted: Attempt = { ...attempt, source: { ...attempt.source, sourceClass: 'restricted-source' } };
    expect([attempt, restricted].map((one) => claimDraft(one, claim).sourceClass)).toEqual(['public-source', 'restricted-source']);
  });
});
