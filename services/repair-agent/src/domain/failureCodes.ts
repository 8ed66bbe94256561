import { notStartedCodes, playerFailedCodes, runFailedCodes } from '@emend/agents/codes';
import type { Diagnostic, RepairRequested } from '@emend/contracts';
import { type FailureRow, modelFailedCodes, modelNotGeneratedCodes } from '@emend/model/decisions';
import { withoutOutput } from '@emend/runs/decisions';

/**
 * The answer proves that no generation took place, and the cause is not the request. The holder waits with its request
 * in hand, and only after the longest wait does the class become the request's settlement.
 */
export const notGeneratedCodes = { ...modelNotGeneratedCodes, ...notStartedCodes } as const;

/** What ends a repair run by a word of this service. */
const ownCodes = {
  generator_threw: { class: 'process', sentence: 'The generator threw: a bug.' },
  shutdown: { class: 'cancelled', sentence: 'The drain ended before the generation did.' },
  stopped_while_waiting: { class: 'cancelled', sentence: 'The process was stopped while it waited for the provider.' },
  evidence_missing: { class: 'configuration', sentence: 'A reference of the request was not found within the wait.' },
  evidence_mismatch: { class: 'configuration', sentence: 'What was found does not agree with what the request recorded.' },
  abandoned: { class: 'abandoned', sentence: 'A claim of another delivery stood without a settlement, or the request was given up.' },
} as const satisfies Readonly<Record<string, FailureRow>>;

/** The repair run ended without a candidate. A generation may have taken place, or none is possible; it is not tried again. */
export const failedCodes = { ...modelFailedCodes, ...runFailedCodes, ...playerFailedCodes, ...ownCodes } as const;

export type NotGeneratedCode = keyof typeof notGeneratedCodes;
export type FailedCode = keyof typeof failedCodes;
export type FailureCode = NotGeneratedCode | FailedCode;

const rows: Readonly<Record<FailureCode, FailureRow>> = { ...notGeneratedCodes, ...failedCodes };

/** The diagnostic of a repair run without a candidate. */
export const diagnosticOf = (code: FailureCode, request: RepairRequested): Diagnostic => withoutOutput(rows[code].class, request.contract);
