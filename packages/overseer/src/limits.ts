import { candidateBytesMax, outputDepthMax } from '@emend/contracts';

export interface Limits {
  /** UTF-8 bytes of a text, measured before anything is read or cut (O26). */
  readonly bytesMax: number;
  /** Arrays and objects one inside the other. */
  readonly levelsMax: number;
  /** Steps of the tolerant reader for each byte, plus a thousand. */
  readonly stepsPerByte: number;
}

export const defaultLimits: Limits = { bytesMax: candidateBytesMax, levelsMax: outputDepthMax, stepsPerByte: 16 };

/** Steps that any text may take, however short. */
export const stepsBase = 1_000;

/** Counts the work of one text. */
export class Budget {
  steps = 0;
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get spent(): boolean {
    return this.steps > this.#max;
  }
}
