import type { Issue, JsonValue } from '@emend/contracts';
import type { Edit } from './edits.js';
import type { FaultCode } from './faults.js';

/** Where reading stopped. `at` is in UTF-8 bytes of the text as it came. */
interface Stop {
  readonly fault: FaultCode;
  readonly at: number;
}

/** What a text is. A value comes only with `exact` and `repaired`. */
export type Outcome =
  /** Strict JSON that fits, untouched. */
  | { readonly status: 'exact'; readonly value: JsonValue }
  /** The only reading that fits, and what was changed to get it. */
  | { readonly status: 'repaired'; readonly value: JsonValue; readonly edits: readonly Edit[] }
  /** At least `readings` different readings; none is taken. */
  | ({ readonly status: 'ambiguous'; readonly readings: number } & Stop)
  /** Cut off, or not provably whole. Nothing open is ever closed. */
  | { readonly status: 'truncated' }
  | { readonly status: 'refused' }
  /** No answer: no text at all, or only reasoning. */
  | { readonly status: 'empty' }
  | { readonly status: 'too_large'; readonly limit: 'bytes' | 'levels' }
  /**
   * `invalid_json` or `contract_violation`. `rejected` is what was read in full and broke the contract: evidence for the caller, never an output;
   * it is absent where no value could be held exactly.
   */
  | ({
      readonly status: 'invalid';
      readonly class: 'invalid_json' | 'contract_violation';
      readonly issues: readonly Issue[];
      readonly issueCount: number;
      readonly rejected?: JsonValue;
    } & Stop);

export type Decoded = Outcome & {
  /** Always true: a partial value of a stream says `false`. */
  readonly final: true;
  /** UTF-8 size of the text. */
  readonly bytes: number;
  /** Characters looked at, each time one was. Bounded by `limits.stepsPerByte`. */
  readonly steps: number;
};
