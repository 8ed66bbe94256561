import type { GenerationEnd } from '@emend/agents';
import { type Diagnostic, judgeCompletion } from '@emend/contracts';
import type { Evidence } from './domain/evidence.js';
import { diagnosticOf, type FailedCode, type NotGeneratedCode } from './domain/failureCodes.js';
import { type ClaimFacts, failureDraft, proposalDraft, type Repairing } from './domain/repairRun.js';
import type { Settlement } from './settle.js';

interface Generated {
  readonly evidence: Evidence;
  readonly claim: ClaimFacts;
  readonly end: GenerationEnd<FailedCode, NotGeneratedCode>;
}

/** Ring 1 and every other second call are off in this role: what the one answer is, is what the run was. */
export function judgeGeneration(
  of: Repairing,
  { evidence: { source, contract }, claim, end }: Generated,
): { readonly draft: Settlement; readonly code: string } {
  const failed = (diagnostic: Diagnostic, code: string = diagnostic.class) => ({
    draft: failureDraft(of, { diagnostic, claimed: true, claim }),
    code,
  });
  if (end.kind === 'failed') return failed(diagnosticOf(end.code, of.request.data), end.code);
  const judged = judgeCompletion(contract, end, { sources: new Map([[source.id, source.data.text]]) });
  if (judged.kind === 'failed') return failed(judged.diagnostic);
  return { draft: proposalDraft(of, { claim, output: judged.output, sourceClass: source.sourceClass }), code: 'proposed' };
}
