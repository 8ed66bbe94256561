import { type Diagnostic, type DiagnosticClass, type Issue, type IssueCode, issuesMax } from './diagnostics.js';
import { type FinishMeaning, finishMeaning } from './finishReasons.js';
import type { JsonValue } from './outputContracts/definition.js';
import type { OutputContract } from './outputContracts/registry.js';
import { sanitizePath } from './sanitizer.js';
import { type RuleContext, type SemanticRule, semanticRulesOf } from './semanticRules.js';
import { openContainers, parseStrictJson } from './strictJson.js';

/** UTF-8 bytes of a model's answer; measured before anything is read (O26). */
export const candidateBytesMax = 65_536;

export interface Completion {
  readonly text: string;
  /** The provider's own word; absent where it gave none. */
  readonly finishReason?: string | null | undefined;
}

export type Judged =
  /** `text` is the canonical form of the output. */
  | { readonly kind: 'valid'; readonly output: JsonValue; readonly text: string }
  | { readonly kind: 'failed'; readonly diagnostic: Diagnostic };

/**
 * Judges a model's answer against its contract: finish reason, size, strict JSON, schema, semantic rules, in this order.
 * Pure; the answer's wording never enters the diagnostic (T29, T53, T54).
 */
export function judgeCompletion(
  contract: OutputContract,
  completion: Completion,
  context: RuleContext,
  rules: readonly SemanticRule[] = semanticRulesOf(contract.ref.id),
): Judged {
  const candidateBytes = Buffer.byteLength(completion.text, 'utf8');
  const failed = (kind: DiagnosticClass, issues: readonly Issue[] = [], issueCount = issues.length, ruleId?: string): Judged => ({
    kind: 'failed',
    diagnostic: {
      class: kind,
      contract: contract.ref,
      ...(ruleId === undefined ? {} : { ruleId }),
      issues: issues.slice(0, issuesMax),
      issueCount,
      candidateBytes,
    },
  });

  const meaning = finishMeaning(completion.finishReason);
  if (meaning !== 'complete' && meaning !== 'unknown') return failed(meaning);
  if (candidateBytes > candidateBytesMax) return failed('too_large');

  const parsed = parseStrictJson(completion.text);
  if (parsed.kind === 'refused') return failed(classOfUnreadable(parsed.code, meaning, completion.text), [{ code: parsed.code, path: '' }]);

  const checked = contract.check(parsed.value);
  if (checked.kind === 'invalid') return failed('contract_violation', checked.issues, checked.issueCount);

  for (const rule of rules) {
    const paths = rule.brokenAt(checked.value, context);
    if (paths.length === 0) continue;
    const issues = paths.map((path): Issue => ({ code: 'rule_broken', path: sanitizePath(path, contract.propertyNames, checked.value) }));
    return failed('semantic_validation', issues, issues.length, rule.id);
  }
  return { kind: 'valid', output: checked.value, text: checked.text };
}

/** Text that the strict reader refused: cut off where the provider cannot say that it ended, or where a container is plainly still open. */
function classOfUnreadable(code: IssueCode, meaning: FinishMeaning, text: string): DiagnosticClass {
  if (code === 'too_deep') return 'too_large';
  if (meaning === 'unknown') return 'truncated';
  // Good JSON with a number that no double holds: the contract is what it breaks.
  if (code === 'number_unsafe') return 'contract_violation';
  // With `stop`, the provider's word is not proof.
  const ended = text.trimEnd();
  return openContainers(ended).atEnd > 0 && !/[}\]]$/.test(ended) ? 'truncated' : 'invalid_json';
}
