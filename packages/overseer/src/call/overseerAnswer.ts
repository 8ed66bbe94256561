import {
  candidateBytesMax,
  compileSchema,
  finishMeaning,
  type JsonValue,
  type OutputRepairReason,
  parseStrictJson,
  type SchemaIssue,
} from '@emend/contracts';
import type { ModelAnswer } from '@emend/model';
import { OutputRepairCandidate } from './candidate.js';
import { CompletedTurn } from './completedTurn.js';
import { type CompletionProtocol, judgeTurn } from './completionProtocol.js';
import { repairedArguments } from './repairRequest.js';
import type { Completed } from './turn.js';
import { keepsValidPaths } from './validPaths.js';

export type OverseerJudged =
  | { readonly kind: 'overseen'; readonly completed: Completed }
  | { readonly kind: 'refused'; readonly reason: OutputRepairReason };

/** Judges what an overseer answered: a complete turn, the envelope read strictly, then the same protocol as for the worker (O15, O16). */
export function judgeOverseer(protocol: CompletionProtocol, candidate: OutputRepairCandidate, answer: ModelAnswer): OverseerJudged {
  if (answer.kind === 'failed') return refused('call_failed');
  if (answer.kind === 'not_generated') return refused('not_generated');
  if (finishMeaning(answer.finishReason) !== 'complete') return refused('answer_incomplete');
  if (Buffer.byteLength(answer.text, 'utf8') > candidateBytesMax) return refused('answer_too_large');
  const repaired = readEnvelope(answer.text);
  if (repaired === undefined) return refused('envelope_invalid');
  const rejected = OutputRepairCandidate.rejectedIn(candidate);
  const text = JSON.stringify(repaired);
  const sent = rejected === undefined ? OutputRepairCandidate.textOf(candidate) : rejected;
  if (text === JSON.stringify(sent)) return refused('answer_unchanged');
  const judged = judgeTurn(protocol, { text, finishReason: 'stop' });
  if (judged.kind !== 'completed') return refused('protocol_refused');
  const keeps = rejected === undefined || keepsValidPaths(rejected, judged.output, issuesOf(protocol, rejected));
  return keeps ? { kind: 'overseen', completed: new CompletedTurn(judged.output, 'overseen', []) } : refused('valid_paths_changed');
}

const refused = (reason: OutputRepairReason): OverseerJudged => ({ kind: 'refused', reason });

/** What stands in an object with exactly `repaired_arguments`; undefined for anything else, however near it comes. */
function readEnvelope(text: string): JsonValue | undefined {
  const read = parseStrictJson(text);
  if (read.kind === 'refused' || typeof read.value !== 'object' || read.value === null || Array.isArray(read.value)) return undefined;
  const names = Object.keys(read.value);
  return names.length === 1 && names[0] === repairedArguments ? Object.values(read.value)[0] : undefined;
}

type Validate = (value: unknown) => readonly SchemaIssue[];
const validators = new WeakMap<CompletionProtocol, Validate>();

/** All issues, with whole paths: those of a diagnostic are bounded. Compiled when first needed, since few answers come here. */
function issuesOf(protocol: CompletionProtocol, rejected: JsonValue): readonly SchemaIssue[] {
  const validate = validators.get(protocol) ?? compileSchema(protocol.contract.schema, protocol.contract.ref.id);
  validators.set(protocol, validate);
  return validate(rejected);
}
