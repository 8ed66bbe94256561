import {
  encodeEvent,
  type EventDraft,
  type EventRead,
  eventIdOf,
  readEvent,
  subjects,
  transcriptCorrection,
  writeTranscript,
} from '@emend/contracts';
import { endDraft, type EndFacts, placesOf, runIn, withoutOutput } from '@emend/runs/decisions';
import { describe, expect, it } from 'vitest';
import { derivedDraft } from '../src/domain/derivedTranscript.js';
import { writeOutput } from '../src/domain/correctedOutput.js';
import { identified } from '../src/domain/segments.js';
import { captureOf, contract, corrector, shortTalk, sourceIn } from './scene.js';

const written = writeTranscript(captureOf(shortTalk));
if (written.kind !== 'inline') throw new Error(written.kind);
const attempt = { producer: 'transcripts', source: sourceIn(written.event), agent: corrector(), n: 1 };
const tally = { calls: 1, transportRetries: 0, structuralRepairs: 0, repairedReplies: 0, promptTokens: null, completionTokens: null };
const result = writeOutput(
  {
    kind: 'corrected',
    segments: identified(shortTalk),
    corrections: [],
    report: {
      sections: 1,
      proposed: 0,
      applied: 0,
      repairOutcomes: [],
      notApplied: [],
      calls: { proposals: tally, decisions: tally, revisions: tally },
    },
  },
  'en',
);
if (result.kind !== 'inline') throw new Error(result.kind);
const time = '2026-12-01T05:00:00.000Z';
const { ref } = contract;
const endOf = (end: EndFacts): EventRead => readEvent(encodeEvent(endDraft(attempt, { ...end, time }) as EventDraft<'outputProduced'>));
const checked = contract.check(result.output);
if (checked.kind !== 'valid') throw new Error(checked.kind);
const output = { kind: 'output', output: checked.value, completion: 'exact' } as const;

describe('the corrected transcript of an end', () => {
  it('says what the end says, at the time of the end, and is caused by it', () => {
    const draft = derivedDraft(endOf(output), ref);
    const run = runIn(attempt);
    expect(draft).toMatchObject({
      name: 'transcriptCorrected',
      source: 'transcripts',
      time,
      rootId: attempt.source.id,
      causationId: eventIdOf(placesOf(attempt).ended),
      privacy: 'public',
      sourceClass: 'public-source',
      data: { producer: 'transcripts', run, trigger: attempt.source.subject, ended: eventIdOf(placesOf(attempt).ended), contract: ref },
    });
    expect(draft?.data).toMatchObject({ language: 'en', report: result.output.report, body: result.output.body });
    const event = encodeEvent(draft!);
    expect(event.subject).toBe(subjects.transcriptCorrected({ producer: 'transcripts', run }));
    expect(readEvent(event).kind).toBe('event');
  });

  it('has the same bytes whoever makes it, and however often', () => {
    const bytes = () => encodeEvent(derivedDraft(endOf(output), ref)!).bytes;
    expect(bytes()).toEqual(bytes());
  });

  it.each<[string, EventRead]>([
    ['a failure', endOf({ kind: 'failure', diagnostic: withoutOutput('timeout', ref) })],
    ['a void end', { kind: 'void', code: 'not_json' }],
    ['an output of another shape', endOf({ ...output, output: { title: 'x' } })],
    ['an event of another name', readEvent(written.event)],
  ])('is none where there is %s', (_, end) => {
    expect(derivedDraft(end, ref)).toBeNull();
  });

  it('is none of an end under another contract', () => {
    expect(derivedDraft(endOf(output), { ...ref, hash: 'f'.repeat(64) })).toBeNull();
    expect(transcriptCorrection.version).toBe(ref.version);
  });
});
