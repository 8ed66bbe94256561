import type { z } from 'zod';
import { transcriptCorrectedSchema } from '../transcripts.js';
import * as schemas from './data.js';

/** Every event type we know, by the name the code uses. The type string carries the version, as the seeds write it. */
export const eventCatalogue = {
  sourceCaptured: { type: 'stream.thought.source.<kind>.captured', version: 1, data: schemas.sourceCapturedSchema },
  contractDeclared: { type: 'stream.thought.contract.declared', version: 1, data: schemas.contractDeclaredSchema },
  agentDeclared: { type: 'stream.thought.agent.declared', version: 1, data: schemas.agentDeclaredSchema },
  policyDeclared: { type: 'stream.thought.agent.policy.declared', version: 1, data: schemas.policyDeclaredSchema },
  runStarted: { type: 'stream.thought.agent.run.started', version: 1, data: schemas.runStartedSchema },
  outputProduced: { type: 'stream.thought.derived.output.produced', version: 1, data: schemas.outputProducedSchema },
  runFailed: { type: 'stream.thought.agent.run.failed', version: 1, data: schemas.runFailedSchema },
  repairRequested: { type: 'stream.thought.agent.repair.requested', version: 1, data: schemas.repairRequestedSchema },
  correctionProposed: { type: 'stream.thought.derived.output.correction.proposed', version: 1, data: schemas.correctionProposedSchema },
  transcriptCorrected: { type: 'stream.thought.derived.transcript.corrected', version: 1, data: transcriptCorrectedSchema },
  judgmentRecorded: { type: 'stream.thought.judgment.recorded', version: 1, data: schemas.judgmentRecordedSchema },
  judgmentRetracted: { type: 'stream.thought.judgment.retracted', version: 1, data: schemas.judgmentRetractedSchema },
  erased: { type: 'stream.thought.erased', version: 1, data: schemas.erasedSchema },
} as const;

export type EventName = keyof typeof eventCatalogue;
export type EventData<Name extends EventName> = z.infer<(typeof eventCatalogue)[Name]['data']>;
export const eventNames = Object.keys(eventCatalogue) as readonly EventName[];

/** A source's type names its kind, so it is matched and not looked up. */
const nameByType = new Map<string, EventName>(
  eventNames.filter((name) => name !== 'sourceCaptured').map((name) => [eventCatalogue[name].type, name]),
);
const sourceType = /^stream\.thought\.source\.[A-Za-z0-9_-]{1,64}\.captured$/;

export type TypeRead =
  | { readonly kind: 'known'; readonly name: EventName }
  /** A type of ours in a version that this reader is too old for: it waits or halts, it never skips. */
  | { readonly kind: 'unknown_version' }
  | { readonly kind: 'unknown_type' };

const knownTypes: ReadonlyMap<string, TypeRead> = new Map(
  eventNames
    .filter((name) => name !== 'sourceCaptured')
    .map((name) => [`${eventCatalogue[name].type}@${eventCatalogue[name].version}`, { kind: 'known', name }]),
);

export function readType(type: string): TypeRead {
  return knownTypes.get(type) ?? readOtherType(type);
}

function readOtherType(type: string): TypeRead {
  const split = /^(.+)@([1-9][0-9]{0,5})$/.exec(type);
  const stem = split?.[1] ?? '';
  const name = sourceType.test(stem) ? 'sourceCaptured' : nameByType.get(stem);
  if (name === undefined) return { kind: 'unknown_type' };
  return Number(split?.[2]) === eventCatalogue[name].version ? { kind: 'known', name } : { kind: 'unknown_version' };
}

/** The type string of an event. */
export function typeOf<Name extends EventName>(name: Name, data: EventData<Name>): string {
  const { type, version } = eventCatalogue[name];
  if (name !== 'sourceCaptured') return `${type}@${version}`;
  return `${type.replace('<kind>', (data as EventData<'sourceCaptured'>).kind)}@${version}`;
}
