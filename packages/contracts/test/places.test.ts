import { describe, expect, it } from 'vitest';
import {
  type EventName,
  encodeEvent,
  eventNames,
  type PlaceName,
  placeOf,
  places,
  policyTokenOf,
  runIdOf,
  runOfPlace,
  subjectOf,
  subjects,
} from '../src/index.js';
import { allDrafts, drafts, repairFailed, repairStarted } from './controls.js';

const id22 = 'R'.repeat(22);
const key22 = 'P'.repeat(22);

/** Every place with a subject on it: what the table, the subjects and the reader have to agree about. */
const examples: readonly (readonly [PlaceName, string, readonly string[], string | null])[] = [
  ['source', subjects.source({ kind: 'note', producer: 'p', capture: 'c' }), ['p', 'c'], null],
  ['contract', subjects.contract({ id: 'a', version: 1 }), ['a', '1'], null],
  [
    'contract',
    subjects.contract({ id: 'stream.thought.output.observation', version: 12 }),
    ['stream.thought.output.observation', '12'],
    null,
  ],
  ['agent', subjects.agent({ id: 'x.y', version: 3 }), ['x.y', '3'], null],
  ['policy', subjects.policy({ id: 'stream.thought.agent.output-repair', version: 1 }), ['stream.thought.agent.output-repair', '1'], null],
  ['runStarted', subjects.runStarted({ producer: 'p', run: id22 }), ['p', id22], id22],
  ['runEnded', subjects.runEnded({ producer: 'p', run: id22 }), ['p', id22], id22],
  ['repairRequested', subjects.repairRequested({ run: id22, policy: key22 }), [id22, key22], id22],
  ['repairStarted', subjects.repairStarted({ run: id22, policy: key22 }), [id22, key22], id22],
  ['correction', subjects.correction({ run: id22, policy: key22 }), [id22, key22], id22],
  ['transcriptCorrected', subjects.transcriptCorrected({ producer: 'p', run: id22 }), ['p', id22], null],
  ['judgment', subjects.judgment({ run: id22, chain: key22, n: 7 }), [id22, key22, '7'], id22],
];

describe('the table of places', () => {
  it('every place has an example here', () => {
    expect(new Set(examples.map(([place]) => place))).toEqual(new Set(Object.keys(places)));
  });

  it.each(examples)('%s: its subject %s reads back as its key, and as its run', (place, subject, key, run) => {
    expect(placeOf(subject)).toEqual({ place, key });
    expect(runOfPlace({ place, key })).toBe(run);
  });

  it('every event type but the tombstone has a place, and no place holds a tombstone by name', () => {
    const held = new Set<EventName>(Object.values(places).flatMap((place): readonly EventName[] => place.holds));
    expect(eventNames.filter((name) => !held.has(name))).toEqual(['erased']);
  });

  it.each(allDrafts.filter(([name]) => name !== 'erased'))('%s stands on a place that may hold it', (_, draft) => {
    const read = placeOf(subjectOf(draft.name, draft.data));
    expect(read).not.toBeNull();
    expect(places[read?.place ?? 'source'].holds).toContain(draft.name);
  });

  it('no stem is the beginning of another with its key', () => {
    for (const [place, subject] of examples) expect(placeOf(subject)?.place).toBe(place);
    expect(new Set(Object.values(places).map(({ stem }) => stem)).size).toBe(Object.keys(places).length);
  });
});

describe('a repair run', () => {
  const { run } = drafts.repairRequested.data;
  const policy = policyTokenOf(drafts.repairRequested.data.policy);

  it('claims and fails on the places of the failed run and the policy', () => {
    expect(encodeEvent(repairStarted).subject).toBe(subjects.repairStarted({ run, policy }));
    expect(encodeEvent(repairFailed).subject).toBe(subjects.correction({ run, policy }));
  });

  it('shares one place between its proposal and its failure, so that only one can settle', () => {
    expect(encodeEvent(drafts.correctionProposed).subject).toBe(encodeEvent(repairFailed).subject);
  });

  it('belongs to the history of the failed run, never to its own', () => {
    for (const draft of [repairStarted, repairFailed, drafts.correctionProposed, drafts.repairRequested]) {
      const read = placeOf(encodeEvent(draft as typeof repairStarted).subject);
      expect(read && runOfPlace(read)).toBe(run);
    }
    expect(repairStarted.data.run).not.toBe(run);
  });

  it('an output and a failure of one run share one place', () => {
    expect(encodeEvent(drafts.outputProduced).subject).toBe(encodeEvent(drafts.runFailed).subject);
  });
});

describe('subjects that are no place', () => {
  it.each([
    '',
    'stream.thought.',
    'stream.thought',
    'fact.thought.agent.run.started.p.r',
    'trace.thought.agent.run.started.p.r',
    'stream.thought.nowhere.p.r',
    'stream.thought.agent.run.started',
    'stream.thought.agent.run.started.p',
    'stream.thought.agent.run.started.p.',
    'stream.thought.agent.run.started..r',
    'stream.thought.agent.run.started.p.r.more',
    'stream.thought.agent.run.started.p.*',
    'stream.thought.agent.run.started.p.>',
    'stream.thought.agent.run.started.p.a b',
    'stream.thought.source.captured.p.c',
    'stream.thought.source..captured.p.c',
    'stream.thought.source.a.b.captured.p.c',
    'stream.thought.source.<kind>.captured.p.c',
    'stream.thought.contract.declared.1',
    'stream.thought.contract.declared..1',
    'stream.thought.contract.declared.a..1',
    'stream.thought.judgment.r.c',
    'stream.thought.judgment.r.c.1.2',
    'stream.thought.constructor.a.b',
  ])('%s', (subject) => {
    expect(placeOf(subject)).toBeNull();
  });
});

it('a run id depends on the producer and on its reference, each as a whole', () => {
  const ids = [
    runIdOf({ producer: 'a', reference: 'b' }),
    runIdOf({ producer: 'ab', reference: '' }),
    runIdOf({ producer: '', reference: 'ab' }),
    runIdOf({ producer: 'a', reference: 'b"' }),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});
