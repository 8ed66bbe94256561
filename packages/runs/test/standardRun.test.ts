import { type Diagnostic, encodeEvent, eventIdOf, placeOf, readEvent, runIdOf } from '@emend/contracts';
import { describe, expect, it } from 'vitest';
import { agentDeclaration, minute, observed } from '../../../test/support/specimens.js';
import {
  abandonedDraft,
  type Attempt,
  claimDraft,
  decideAttempt,
  endDraft,
  placesOf,
  referenceOf,
  runIn,
  stateOf,
  withoutOutput,
} from '../src/decisions/index.js';
import { attemptOf, claimedAt, contract, digests, model, sourceOf } from './scene.js';

const attempt = attemptOf();
const time = claimedAt;
const claim = { time, model, claimant: 'claimant-aaaaaaaaaaaaa', promptHash: 'a'.repeat(64), sandbox: digests };
const calls = { primary: 1, overseer: 0 };
const failed: Diagnostic = withoutOutput('invalid_json', contract.ref);

const started = readEvent(encodeEvent(claimDraft(attempt, claim)));
const voided = readEvent({ subject: placesOf(attempt).started, bytes: new TextEncoder().encode('{}') });
const ends = {
  output: endDraft(attempt, {
    kind: 'output',
    time,
    calls,
    output: observed('Tide'),
    completion: 'repaired',
    edits: [{ code: 'trailing_comma', count: 1 }],
  }),
  failure: endDraft(attempt, { kind: 'failure', time, calls, diagnostic: failed }),
  abandoned: abandonedDraft(attempt, started),
};
const ended = (kind: keyof typeof ends) => {
  const draft = ends[kind];
  return readEvent(draft.name === 'runFailed' ? encodeEvent(draft) : encodeEvent(draft));
};

describe('the table of an attempt', () => {
  it.each([
    ['nothing stands', { started: null, ended: null }, 'unseen', 'claim'],
    ['my own claim', { started, ended: null }, 'claimed_by_me', 'work'],
    ['a void claim', { started: voided, ended: null }, 'claimed_by_another', 'abandon'],
    ['an output', { started, ended: ended('output') }, 'ended', 'after_end'],
    ['a failure', { started, ended: ended('failure') }, 'ended', 'after_end'],
    ['a void end', { started, ended: voided }, 'ended', 'after_end'],
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
    expect(runIn(attempt)).toBe(runIdOf({ producer: 'counter', reference: referenceOf(attempt) }));
    const places = placesOf(attempt);
    expect([placeOf(places.started), placeOf(places.ended)]).toEqual([
      { place: 'runStarted', key: ['counter', runIn(attempt)] },
      { place: 'runEnded', key: ['counter', runIn(attempt)] },
    ]);
    const others = [
      { ...attempt, n: 2 },
      { ...attempt, agent: agentDeclaration(contract, { prompt: 'Other.' }) },
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

  it('the claim of a service without a sandbox has none', () => {
    const { sandbox: _none, ...bare } = claim;
    expect(claimDraft(attempt, bare).data.manifest).toEqual({ sources: [attempt.source.subject], promptHash: claim.promptHash });
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
    expect(ended('abandoned')).toMatchObject({
      kind: 'event',
      event: { time, data: { diagnostic: withoutOutput('abandoned', contract.ref) } },
    });
    expect(abandonedDraft(attempt, voided).time).toBe(minute(0));
  });

  it('an output is private unless all that went in is public', () => {
    const closer: Attempt = { ...attempt, source: { ...attempt.source, privacy: 'sensitive' } };
    expect(claimDraft(attempt, claim).privacy).toBe('public');
    expect(claimDraft(closer, claim).privacy).toBe('private');
    const restricted: Attempt = { ...attempt, source: { ...attempt.source, sourceClass: 'restricted-source' } };
    expect([attempt, restricted].map((one) => claimDraft(one, claim).sourceClass)).toEqual(['public-source', 'restricted-source']);
  });
});
