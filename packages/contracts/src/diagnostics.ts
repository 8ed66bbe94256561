import { z } from 'zod';
import { contractRefSchema } from './outputContracts/reference.js';

/** Classes that a repair policy may allow (T26 to T28). */
export const repairableClasses = ['invalid_json', 'contract_violation', 'semantic_validation'] as const;

/** Classes that are never repaired (T30 to T39). */
export const terminalClasses = [
  'truncated',
  'refused',
  'tool_call',
  'too_large',
  'timeout',
  'cancelled',
  'provider_outage',
  'rate_limited',
  'authentication',
  'credential',
  'configuration',
  'sandbox',
  'broker',
  'process',
  'abandoned',
] as const;

export const diagnosticClasses = [...repairableClasses, ...terminalClasses] as const;
export type DiagnosticClass = (typeof diagnosticClasses)[number];

/** The words an issue may use. A validator's own sentence never leaves it: sentences can quote values (T54). */
export const issueCodes = [
  'empty',
  'not_json',
  'several_documents',
  'duplicate_name',
  'lone_surrogate',
  'number_unsafe',
  'too_deep',
  'type',
  'required',
  'unexpected_property',
  'too_long',
  'too_short',
  'too_many',
  'too_few',
  'out_of_range',
  'not_in_enum',
  'pattern',
  'format',
  'other_constraint',
  'rule_broken',
] as const;
export type IssueCode = (typeof issueCodes)[number];

export const issuesMax = 32;
/** Characters of an issue's path. */
export const issuePathMax = 128;

/** A JSON Pointer of the contract's own property names and array indexes; a name that the contract does not know is `*`. */
const pathPattern = /^(?:\/(?:\*|[A-Za-z0-9_$.-]+))*$/;

export const issueSchema = z.strictObject({
  code: z.enum(issueCodes),
  path: z.string().max(issuePathMax).regex(pathPattern),
});
export type Issue = z.infer<typeof issueSchema>;

export const ruleIdSchema = z
  .string()
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
  .max(64);

/** All that may be said of an output that was refused (T29): nothing else fits. */
export const diagnosticSchema = z.strictObject({
  class: z.enum(diagnosticClasses),
  contract: z.strictObject(contractRefSchema.shape),
  /** The stable id of the semantic rule that was broken; with class `semantic_validation` only. */
  ruleId: ruleIdSchema.optional(),
  issues: z.array(issueSchema).max(issuesMax),
  /** All issues found, also those beyond {@link issuesMax}. */
  issueCount: z.int().min(0),
  /** UTF-8 size of the refused text. */
  candidateBytes: z.int().min(0),
});
export type Diagnostic = z.infer<typeof diagnosticSchema>;

export type CheckedDiagnostic =
  | { readonly kind: 'sanitized'; readonly diagnostic: Diagnostic }
  /** Something in it is not a bounded count, a fixed identifier or a cleaned issue. What it is, is not repeated. */
  | { readonly kind: 'unsanitized' };

/** Reads a stored diagnostic without trusting its writer (T29). */
export function checkDiagnostic(stored: unknown): CheckedDiagnostic {
  const parsed = diagnosticSchema.safeParse(stored);
  if (!parsed.success) return { kind: 'unsanitized' };
  const { class: kind, ruleId, issues, issueCount } = parsed.data;
  const ruleFits = (kind === 'semantic_validation') === (ruleId !== undefined);
  return ruleFits && issueCount >= issues.length ? { kind: 'sanitized', diagnostic: parsed.data } : { kind: 'unsanitized' };
}
