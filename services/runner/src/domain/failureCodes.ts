import { notStartedCodes, playerFailedCodes, runFailedCodes } from '@emend/agents/codes';
import type { ContractRef, Diagnostic } from '@emend/contracts';
import { type FailureRow, modelFailedCodes, modelNotGeneratedCodes } from '@emend/model/decisions';
import { withoutOutput } from '@emend/runs/decisions';

/** The answer proves that no generation took place. The holder waits, and only after the longest wait does the class end the run. */
export const notGeneratedCodes = { ...modelNotGeneratedCodes, ...notStartedCodes } as const;

/** What ends a run by a word of this service. */
const ownCodes = {
  generator_threw: { class: 'process', sentence: 'The generator threw: a bug.' },
  shutdown: { class: 'cancelled', sentence: 'The drain ended before the generation or its repair did.' },
  stopped_while_waiting: { class: 'cancelled', sentence: 'The process was stopped while it waited for the provider.' },
  abandoned: { class: 'abandoned', sentence: 'A claim of another delivery stood without an end.' },
} as const satisfies Readonly<Record<string, FailureRow>>;

/** The run ended without an output to judge. */
export const failedCodes = { ...modelFailedCodes, ...runFailedCodes, ...playerFailedCodes, ...ownCodes } as const;

export type NotGeneratedCode = keyof typeof notGeneratedCodes;
export type FailedCode = keyof typeof failedCodes;
export type FailureCode = NotGeneratedCode | FailedCode;

const rows: Readonly<Record<FailureCode, FailureRow>> = { ...notGeneratedCodes, ...failedCodes };

/** The diagnostic of a run without an output to judge. */
export const diagnosticOf = (code: FailureCode, contract: ContractRef): Diagnostic => withoutOutput(rows[code].class, contract);
