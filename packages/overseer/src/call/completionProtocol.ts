import {
  type Diagnostic,
  type DiagnosticClass,
  finishMeaning,
  type Issue,
  type JsonValue,
  type OutputContract,
  outputBytesMax,
} from '@emend/contracts';
import { errorIn } from '@emend/model/decisions';
import { type Decoder, type DecoderOptions, decoder } from '../decode.js';
import type { Decoded } from '../decoded.js';
import { OutputRepairCandidate } from './candidate.js';
import { CompletedTurn } from './completedTurn.js';
import type { Completed, Failed, Malformed } from './turn.js';

/** What judges the worker's answer and the overseer's alike (O6, O16). */
export interface CompletionProtocol {
  readonly contract: OutputContract;
  /** Of the contract's own schema: what it gives fits it. */
  readonly decoder: Decoder;
  /** Whether a text is the content of a message or the arguments of a call. */
  readonly carrier: 'content' | 'tool_call';
}

/** @throws ContractsError `contract_schema_invalid`: a schema that does not compile is a configuration error, never "no validation". */
export const completionProtocol = (contract: OutputContract, options: Omit<DecoderOptions, 'schema'> = {}): CompletionProtocol => ({
  contract,
  decoder: decoder({ ...options, schema: contract.schema }),
  carrier: options.carrier ?? 'content',
});

export interface Answer {
  readonly text: string;
  /** The provider's own word; null where it gave none. */
  readonly finishReason: string | null;
}

/**
 * Finish reason, size, decoding, contract, in this order. Semantic rules come later and are somebody else's.
 * Pure; the answer's wording is in the output or in the candidate, and nowhere else.
 */
export function judgeTurn(protocol: CompletionProtocol, { text, finishReason }: Answer): Completed | Malformed | Failed {
  const decoded = protocol.decoder.decode(text, finishReason);
  const read = { protocol, text, decoded };
  if (finishMeaning(finishReason) === 'tool_call' && protocol.carrier === 'content') return malformed(read, 'tool_call');
  switch (decoded.status) {
    case 'exact':
      return accept(read, { output: decoded.value, obtained: 'exact', edits: [] });
    case 'repaired':
      return accept(read, { output: decoded.value, obtained: 'repaired', edits: decoded.edits });
    case 'ambiguous':
      return repairable(read, 'invalid_json', { issues: [notJson], issueCount: 1 });
    case 'invalid':
      return providerErrorIn(decoded.rejected) ?? repairable(read, decoded.class, decoded, decoded.rejected);
    case 'empty':
      // There is nothing to repair: whatever an overseer wrote would be its own.
      return malformed(read, 'invalid_json', { issues: [{ code: 'empty', path: '' }], issueCount: 1 });
    case 'truncated':
    case 'refused':
    case 'too_large':
      return malformed(read, decoded.status);
  }
}

const notJson: Issue = { code: 'not_json', path: '' };

interface Read {
  readonly protocol: CompletionProtocol;
  readonly text: string;
  readonly decoded: Decoded;
}

interface Found {
  readonly issues: readonly Issue[];
  readonly issueCount: number;
}

/** Bytes of the canonical form for one byte of a text, at most: a raw control character becomes `\u0001`, and `1e20` is written out. */
const growthMax = 6;

/** A value that the decoder has held against the contract's schema. What is left is the size of its canonical form. */
function accept(read: Read, { output, obtained, edits }: Pick<Completed, 'output' | 'obtained' | 'edits'>): Completed | Malformed | Failed {
  const { contract } = read.protocol;
  // A contract may have a member `error` of its own; one that merely lets everything pass has not.
  const error = contract.propertyNames.has('error') ? null : providerErrorIn(output);
  if (error !== null) return error;
  if (read.decoded.bytes * growthMax > outputBytesMax) {
    const checked = contract.check(output);
    if (checked.kind === 'invalid') return repairable(read, 'contract_violation', checked, output);
  }
  return new CompletedTurn(output, obtained, edits);
}

/** A provider's error object alone, delivered as the text (F12). */
function providerErrorIn(value: JsonValue | undefined): Failed | null {
  const code = typeof value === 'object' && value !== null && 'error' in value ? errorIn(value) : null;
  return code === null ? null : { kind: 'failed', code };
}

const repairable = (read: Read, kind: DiagnosticClass, found: Found, rejected?: JsonValue): Malformed => ({
  ...malformed(read, kind, found),
  candidate: OutputRepairCandidate.of(read.text, rejected),
});

const malformed = ({ protocol, decoded }: Read, kind: DiagnosticClass, found: Found = { issues: [], issueCount: 0 }): Malformed => ({
  kind: 'malformed',
  diagnostic: diagnosticOf(protocol.contract, kind, found, decoded.bytes),
  candidate: null,
});

const diagnosticOf = (
  { ref }: OutputContract,
  kind: DiagnosticClass,
  { issues, issueCount }: Found,
  candidateBytes: number,
): Diagnostic => ({
  class: kind,
  contract: ref,
  issues: [...issues],
  issueCount,
  candidateBytes,
});
