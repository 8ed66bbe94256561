import type { RepairOutcome } from '@emend/revision';
import type { CallTallies } from './callTally.js';
import type { Correction } from './correction.js';
import type { ModuleName } from './moduleNames.js';
import type { Segment } from './segments.js';

/** A transcript and what is known beside it. */
export interface TranscriptToCorrect {
  readonly segments: readonly Segment[];
  readonly glossary: readonly string[];
  readonly protectedTerms: readonly string[];
  readonly language: string | null;
}

/** One correction that is in the transcript, and where it came from. */
export interface AppliedCorrection extends Omit<Correction, 'segment'> {
  /** The segment's identity in the transcript. */
  readonly segment: string;
  readonly stage: string;
  readonly section: number;
  /** As the model first made it, and the version that was applied. */
  readonly proposal: string;
  readonly version: number;
}

/** Approved at once, and not in the transcript all the same. */
export interface NotApplied {
  readonly proposal: string;
  readonly code: string;
}

/** Where something happened: the stage and the section, from 1 (A134). */
export interface WorkUnit {
  readonly stage: ModuleName;
  readonly section: number;
}

/** The ordinary report: references, codes and counts, and no text (A133). */
export interface TranscriptReport {
  readonly sections: number;
  readonly proposed: number;
  readonly applied: number;
  readonly repairOutcomes: readonly (WorkUnit & RepairOutcome)[];
  readonly notApplied: readonly (WorkUnit & NotApplied)[];
  /** Every call that was made, by what it was for. */
  readonly calls: CallTallies;
}

export type CorrectionEnd =
  | {
      readonly kind: 'corrected';
      readonly segments: readonly Segment[];
      readonly corrections: readonly AppliedCorrection[];
      readonly report: TranscriptReport;
    }
  | ({ readonly kind: 'failed'; readonly code: string } & WorkUnit)
  | { readonly kind: 'cancelled' };
