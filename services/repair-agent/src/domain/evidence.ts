import {
  type AgentDeclared,
  agentIsIntact,
  agentRefOf,
  canonicalHash,
  checkDiagnostic,
  type Diagnostic,
  type EventName,
  type EventOf,
  type OutputContract,
  pathsBelongTo,
  sameContract,
} from '@emend/contracts';
import type { PlacedEvent } from '@emend/runs/decisions';
import type { CompiledContracts } from './compiledContracts.js';

export const evidenceParts = ['started', 'failed', 'trigger', 'declaration', 'contract'] as const;
export type EvidencePart = (typeof evidenceParts)[number];

/** What was found of the events that a request names; null where it was not found within the wait. */
export type GatheredEvidence = Readonly<Record<EvidencePart, PlacedEvent | null>>;

/**
 * The evidence of a repair (T67 to T75), whole and agreeing. It has no field that could hold the malformed text. The source is never
 * cut: a repair answers what the failed run was asked. Its bounds are the log's own, 32,000 characters of text and 65,536 bytes an
 * event; a larger one is void, and so `unusable:trigger`.
 */
export interface Evidence {
  readonly started: EventOf<'runStarted'>;
  readonly failed: EventOf<'runFailed'>;
  readonly source: EventOf<'sourceCaptured'>;
  /** The failed run's own declaration, with its prompt (T68). */
  readonly declaration: AgentDeclared;
  readonly contract: OutputContract;
  readonly diagnostic: Diagnostic;
}

export type JudgedEvidence =
  | { readonly kind: 'complete'; readonly evidence: Evidence }
  | { readonly kind: 'faulty'; readonly code: 'evidence_missing' | 'evidence_mismatch'; readonly reasons: readonly string[] };

export interface RequestInHand {
  readonly sequence: number;
  readonly event: EventOf<'repairRequested'>;
}

/** Whether the log holds what the request says, unchanged: else the run is refused, never repaired from what is similar (T49, T68). */
export function judgeEvidence(
  request: RequestInHand,
  gathered: GatheredEvidence,
  { agent, contracts }: { readonly agent: AgentDeclared; readonly contracts: CompiledContracts },
): JudgedEvidence {
  const missing = evidenceParts.filter((part) => gathered[part] === null);
  if (missing.length > 0) return { kind: 'faulty', code: 'evidence_missing', reasons: missing.map((part) => `missing:${part}`) };
  const faulty = (reasons: readonly string[]): JudgedEvidence => ({ kind: 'faulty', code: 'evidence_mismatch', reasons });

  const unusable = evidenceParts.filter((part) => (gathered[part]?.sequence ?? 0) >= request.sequence);
  if (unusable.length > 0) return faulty(unusable.map((part) => `later:${part}`));

  const started = eventIn(gathered.started, 'runStarted');
  const failed = eventIn(gathered.failed, 'runFailed');
  const source = eventIn(gathered.trigger, 'sourceCaptured');
  const declaration = eventIn(gathered.declaration, 'agentDeclared')?.data;
  const declared = eventIn(gathered.contract, 'contractDeclared');
  const contract = declared && contracts.of(declared.data);
  const diagnostic = checkDiagnostic(request.event.data.diagnostic);
  if (!started || !failed || !source || !declaration || !contract || diagnostic.kind !== 'sanitized') {
    const usable = { started, failed, trigger: source, declaration, contract, diagnostic: diagnostic.kind === 'sanitized' };
    return faulty(Object.entries(usable).flatMap(([part, found]) => (found ? [] : [`unusable:${part}`])));
  }
  const evidence = { started, failed, source, declaration, contract, diagnostic: diagnostic.diagnostic };
  const broken = evidenceRules.filter((rule) => !rule.holds({ request: request.event, agent, ...evidence }));
  return broken.length > 0 ? faulty(broken.map(({ id, name }) => `${id}:${name}`)) : { kind: 'complete', evidence };
}

interface Facts extends Evidence {
  readonly request: EventOf<'repairRequested'>;
  /** The repair agent's own declaration. */
  readonly agent: AgentDeclared;
}

interface EvidenceRule {
  readonly id: string;
  readonly name: string;
  readonly sentence: string;
  readonly holds: (facts: Facts) => boolean;
}

const same = (a: unknown, b: unknown): boolean => canonicalHash(a) === canonicalHash(b);

/** What must agree before the model may see anything. All that is broken is returned, in this order. */
export const evidenceRules: readonly EvidenceRule[] = [
  {
    id: 'V1',
    name: 'run',
    sentence:
      'Claim and failure are those that the request names, of the run that it names, and no repair run; the failure answers the claim.',
    holds: ({ request: { data }, started, failed }) =>
      started.id === data.started &&
      failed.id === data.failed &&
      failed.data.started === started.id &&
      [started, failed].every((of) => of.data.run === data.run && !of.data.repair),
  },
  {
    id: 'V2',
    name: 'trigger',
    sentence: 'Claim and failure answer the source that the request names.',
    holds: ({ request: { data }, started, failed, source }) =>
      [data.trigger, started.data.trigger, failed.data.trigger].every((trigger) => trigger === source.subject),
  },
  {
    id: 'V3',
    name: 'root',
    sentence: 'Request, claim, failure and source go back to one source root.',
    holds: ({ request, started, failed, source }) => [started, failed, source].every((of) => of.rootId === request.rootId),
  },
  {
    id: 'V4',
    name: 'declaration',
    sentence: 'The declaration is intact, and its digests are those recorded by the request, the claim and the failure.',
    holds: ({ request: { data }, started, failed, declaration }) =>
      agentIsIntact(declaration) && [data, started.data, failed.data].every(({ agent }) => same(agent, agentRefOf(declaration))),
  },
  {
    id: 'V5',
    name: 'contract',
    sentence: 'The contract in the log has the hash that the request, the claim, the failure, the declaration and the diagnostic name.',
    holds: ({ request: { data }, started, failed, declaration, contract, diagnostic }) =>
      [data.contract, started.data.contract, failed.data.contract, declaration.contract, diagnostic.contract].every((ref) =>
        sameContract(ref, contract.ref),
      ),
  },
  {
    id: 'V6',
    name: 'agent',
    sentence: 'The repair agent is declared for this contract.',
    holds: ({ agent, contract }) => sameContract(agent.contract, contract.ref),
  },
  {
    id: 'V7',
    name: 'provenance',
    sentence: 'The original model, adapter and catalogue are those of the claim.',
    holds: ({ request: { data }, started }) => same(data.model, started.data.model),
  },
  {
    id: 'V8',
    name: 'issues',
    sentence: 'The issues use paths of the contract only, so that nothing else can enter the prompt by them.',
    holds: ({ contract, diagnostic }) => pathsBelongTo(contract, diagnostic.issues),
  },
];

function eventIn<Name extends EventName>(placed: PlacedEvent | null, name: Name): EventOf<Name> | null {
  // The name says which type of event it is.
  return placed?.read.kind === 'event' && placed.read.event.name === name ? (placed.read.event as EventOf<Name>) : null;
}
