import { compileContract, type JsonObject, type JsonValue, parseStrictJson } from '@emend/contracts';

/** Why a reply brings nothing in. It spends its attempt (A101). */
export const replyFaults = {
  reply_not_json: 'The text is no strict JSON. Nothing is picked out of it or mended.',
  reply_breaks_contract: 'It is JSON of another shape: a revision without its correction, an unknown action, a member too many.',
  reply_names_another_proposal: 'Its reference is not the one that was asked about.',
} as const;

export type ReplyFault = keyof typeof replyFaults;

export type Reply =
  | { readonly kind: 'revise'; readonly correction: JsonValue }
  | { readonly kind: 'withdraw' }
  | { readonly kind: 'unusable'; readonly code: ReplyFault };

/** The contract of one revision call: one schema, and one reader for it. Made once for a kind of proposal. */
export interface ReplyContract {
  readonly schema: JsonObject;
  /** What a model is told of the shape. */
  readonly description: string;
  read(text: string, ref: string): Reply;
}

const description = [
  'Answer with one JSON object about the one proposal that is named here, and with nothing else.',
  'To change it: {"proposal_ref": its reference, "action": "revise", "correction": the whole new version}.',
  'To take it back: {"proposal_ref": its reference, "action": "withdraw"}.',
  'An empty replacement deletes text; it does not take the proposal back.',
].join('\n');

/**
 * @param correction the JSON Schema (2020-12) of one correction, complete in itself: without `$ref`.
 * @throws ContractsError `contract_schema_invalid`
 */
export function replyContract(correction: JsonObject): ReplyContract {
  const contract = compileContract({
    id: 'emend.revision.reply',
    version: 1,
    schema: replySchema(correction),
    promptDescription: description,
  });
  return {
    schema: contract.schema,
    description,
    read(text, ref) {
      const parsed = parseStrictJson(text);
      if (parsed.kind === 'refused') return { kind: 'unusable', code: 'reply_not_json' };
      if (contract.check(parsed.value).kind === 'invalid') return { kind: 'unusable', code: 'reply_breaks_contract' };
      const reply = parsed.value as unknown as WellFormed; // the contract has just said so
      if (reply.proposal_ref !== ref) return { kind: 'unusable', code: 'reply_names_another_proposal' };
      return reply.action === 'withdraw' ? { kind: 'withdraw' } : { kind: 'revise', correction: reply.correction };
    },
  };
}

type WellFormed =
  | { readonly proposal_ref: string; readonly action: 'revise'; readonly correction: JsonValue }
  | { readonly proposal_ref: string; readonly action: 'withdraw' };

/** Two shapes that share no value, so that a withdrawal is an action and never an empty correction (A68, A70). */
function replySchema(correction: JsonObject): JsonObject {
  const shape = (action: string, required: readonly string[], member: JsonObject): JsonObject => ({
    type: 'object',
    properties: { proposal_ref: { type: 'string' }, action: { const: action }, correction: member },
    required: ['proposal_ref', 'action', ...required],
    additionalProperties: false,
  });
  return { anyOf: [shape('revise', ['correction'], correction), shape('withdraw', [], { type: 'null' })] };
}
