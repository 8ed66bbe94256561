import type { ContractRef, Diagnostic, DiagnosticClass } from '@emend/contracts';

/** The diagnostic of a run that has no output to judge: a class and nothing else. */
export const withoutOutput = (kind: DiagnosticClass, contract: ContractRef): Diagnostic => ({
  class: kind,
  contract,
  issues: [],
  issueCount: 0,
  candidateBytes: 0,
});
