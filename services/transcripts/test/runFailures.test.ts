import { checkDiagnostic, diagnosticClasses } from '@emend/contracts';
import { modelFailedCodes, modelNotGeneratedCodes } from '@emend/model/decisions';
import { withoutOutput } from '@emend/runs/decisions';
import { describe, expect, it } from 'vitest';
import { classOfFailure, ownFailures } from '../src/domain/runFailures.js';
import { contract } from './scene.js';

describe('the class of what ended a run', () => {
  it.each([
    ...Object.entries({ ...modelNotGeneratedCodes, ...modelFailedCodes }).map(([code, row]) => [code, row.class] as const),
    ...Object.entries(ownFailures).map(([code, row]) => [code, row.class] as const),
    ['answer_truncated', 'truncated'],
    ['answer_refused', 'refused'],
    ['answer_tool_call', 'tool_call'],
    ['invalid_json', 'invalid_json'],
    ['contract_violation', 'contract_violation'],
    ['too_large', 'too_large'],
    ['a_code_that_nobody_knows', 'process'],
    ['constructor', 'process'],
    ['answer_', 'process'],
  ] as const)('%s is %s', (code, kind) => {
    expect(classOfFailure(code)).toBe(kind);
    expect(diagnosticClasses).toContain(kind);
  });

  it('gives a diagnostic with nothing in it but its class', () => {
    for (const code of Object.keys(ownFailures)) {
      const diagnostic = withoutOutput(classOfFailure(code), contract.ref);
      expect(checkDiagnostic(diagnostic)).toEqual({ kind: 'sanitized', diagnostic });
      expect(diagnostic).toMatchObject({ issues: [], issueCount: 0, candidateBytes: 0 });
    }
  });

  it('a work that was stopped is given up, and so another attempt is made', () => {
    expect(classOfFailure('given_up')).toBe('abandoned');
    expect(Object.entries(ownFailures).filter(([, row]) => row.class === 'abandoned')).toHaveLength(1);
  });
});
