import type { EventData, EventName } from './events/catalogue.js';
import { policyTokenOf } from './identities.js';

/** One row of the table of places: a stem, the names of its key's tokens, who writes it. */
export interface Place {
  /** After `stream.thought.`. */
  readonly stem: string;
  readonly key: readonly string[];
  /** Types that may stand here. */
  readonly holds: readonly EventName[];
  readonly writer: 'producer' | 'declare' | 'coordinator' | 'repair-agent' | 'judgments' | 'transcripts';
}

export const subjectPrefix = 'stream.thought.';

/** The only map between types and places. The broker stores one event per place, for ever. */
export const places = {
  source: { stem: 'source.<kind>.captured', key: ['producer', 'capture'], holds: ['sourceCaptured'], writer: 'producer' },
  contract: { stem: 'contract.declared', key: ['id…', 'version'], holds: ['contractDeclared'], writer: 'declare' },
  agent: { stem: 'agent.declared', key: ['id…', 'version'], holds: ['agentDeclared'], writer: 'declare' },
  policy: { stem: 'agent.policy.declared', key: ['id…', 'version'], holds: ['policyDeclared'], writer: 'declare' },
  runStarted: { stem: 'agent.run.started', key: ['producer', 'run'], holds: ['runStarted'], writer: 'producer' },
  runEnded: { stem: 'agent.run.ended', key: ['producer', 'run'], holds: ['outputProduced', 'runFailed'], writer: 'producer' },
  repairRequested: { stem: 'agent.repair.requested', key: ['run', 'policy'], holds: ['repairRequested'], writer: 'coordinator' },
  repairStarted: { stem: 'agent.repair.started', key: ['run', 'policy'], holds: ['runStarted'], writer: 'repair-agent' },
  correction: {
    stem: 'derived.output.correction',
    key: ['run', 'policy'],
    holds: ['correctionProposed', 'runFailed'],
    writer: 'repair-agent',
  },
  transcriptCorrected: {
    stem: 'derived.transcript.corrected',
    key: ['producer', 'run'],
    holds: ['transcriptCorrected'],
    writer: 'transcripts',
  },
  judgment: { stem: 'judgment', key: ['run', 'chain', 'n'], holds: ['judgmentRecorded', 'judgmentRetracted'], writer: 'judgments' },
} as const satisfies Readonly<Record<string, Place>>;

export type PlaceName = keyof typeof places;

const at = (place: PlaceName, ...key: readonly (string | number)[]): string => `${subjectPrefix}${places[place].stem}.${key.join('.')}`;

/** The subjects of the places, from their keys. */
export const subjects = {
  source: (key: { kind: string; producer: string; capture: string }) => at('source', key.producer, key.capture).replace('<kind>', key.kind),
  contract: (key: { id: string; version: number }) => at('contract', key.id, key.version),
  agent: (key: { id: string; version: number }) => at('agent', key.id, key.version),
  policy: (key: { id: string; version: number }) => at('policy', key.id, key.version),
  runStarted: (key: { producer: string; run: string }) => at('runStarted', key.producer, key.run),
  runEnded: (key: { producer: string; run: string }) => at('runEnded', key.producer, key.run),
  repairRequested: (key: { run: string; policy: string }) => at('repairRequested', key.run, key.policy),
  repairStarted: (key: { run: string; policy: string }) => at('repairStarted', key.run, key.policy),
  correction: (key: { run: string; policy: string }) => at('correction', key.run, key.policy),
  transcriptCorrected: (key: { producer: string; run: string }) => at('transcriptCorrected', key.producer, key.run),
  judgment: (key: { run: string; chain: string; n: number }) => at('judgment', key.run, key.chain, key.n),
  /** A filter, not a place: the judgments of every authority on one run. */
  judgmentsOf: (run: string) => at('judgment', run, '*', '*'),
} as const;

/** Where an event stands, from its body alone. A tombstone stands where it says. */
export function subjectOf<Name extends EventName>(name: Name, data: EventData<Name>): string {
  return subjectByName[name](data);
}

const subjectByName: { readonly [Name in EventName]: (data: EventData<Name>) => string } = {
  sourceCaptured: (data) => subjects.source(data),
  contractDeclared: (data) => subjects.contract(data.definition),
  agentDeclared: (data) => subjects.agent(data),
  policyDeclared: (data) => subjects.policy(data.definition),
  runStarted: (data) => (data.repair ? subjects.repairStarted(data.repair) : subjects.runStarted(data)),
  outputProduced: (data) => subjects.runEnded(data),
  runFailed: (data) => (data.repair ? subjects.correction(data.repair) : subjects.runEnded(data)),
  repairRequested: (data) => subjects.repairRequested({ run: data.run, policy: policyTokenOf(data.policy) }),
  correctionProposed: (data) => subjects.correction(data),
  transcriptCorrected: (data) => subjects.transcriptCorrected(data),
  judgmentRecorded: (data) => subjects.judgment(data),
  judgmentRetracted: (data) => subjects.judgment(data),
  erased: (data) => data.place,
};

export interface PlaceRead {
  readonly place: PlaceName;
  /** The tokens after the stem, in the table's order; an id's tokens are joined again. */
  readonly key: readonly string[];
}

interface Stem {
  readonly place: PlaceName;
  readonly tokens: readonly string[];
  /** The stem with its dot: what a subject of this place goes on with. Null where a token of the stem is a name. */
  readonly text: string | null;
}

const stems: readonly Stem[] = (Object.keys(places) as PlaceName[]).map((place) => {
  const { stem } = places[place];
  return { place, tokens: stem.split('.'), text: stem.includes('<') ? null : `${stem}.` };
});

const keyTokens = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/;

/** Which place a subject names, or none of ours. */
export function placeOf(subject: string): PlaceRead | null {
  if (!subject.startsWith(subjectPrefix) || !keyTokens.test(subject)) return null;
  const rest = subject.slice(subjectPrefix.length);
  const found = stems.find((stem) => (stem.text === null ? hasTokens(rest, stem.tokens) : rest.startsWith(stem.text)));
  if (found === undefined) return null;
  const key = found.text === null ? rest.split('.').slice(found.tokens.length) : rest.slice(found.text.length).split('.');
  const wanted: readonly string[] = places[found.place].key;
  if (wanted[0] === 'id…') return key.length < 2 ? null : { place: found.place, key: [key.slice(0, -1).join('.'), key.at(-1) ?? ''] };
  return key.length === wanted.length ? { place: found.place, key } : null;
}

function hasTokens(rest: string, stem: readonly string[]): boolean {
  const tokens = rest.split('.');
  return stem.every((token, index) => token === tokens[index] || token === '<kind>');
}

/**
 * The run whose history an event on this place belongs to: always the original run, never the repair run. A corrected transcript
 * belongs to none: it says what the end of its run says, and nothing is decided by it.
 */
export function runOfPlace(read: PlaceRead): string | null {
  switch (read.place) {
    case 'runStarted':
    case 'runEnded':
      return read.key[1] ?? null;
    case 'repairRequested':
    case 'repairStarted':
    case 'correction':
    case 'judgment':
      return read.key[0] ?? null;
    case 'source':
    case 'contract':
    case 'agent':
    case 'policy':
    case 'transcriptCorrected':
      return null;
    default:
      return read.place satisfies never;
  }
}
