/** Codes of this package; never reused for another meaning. */
export const overseerErrorCodes = {
  output_repair_model_invalid: 'The setting of the repairing model is no text.',
  output_repair_model_twice: 'The setting and its alias name two models.',
  schema_without_json_schema: 'A Standard Schema cannot say its JSON Schema, and no converter was given.',
} as const;
export type OverseerErrorCode = keyof typeof overseerErrorCodes;

/** A setting that cannot be meant. It carries a place and what was expected there, never what stands there. */
export class OverseerError extends Error {
  override readonly name = 'OverseerError';

  constructor(
    readonly code: OverseerErrorCode,
    readonly place: string,
    readonly expected: string,
  ) {
    super(`${code} at ${place}: expected ${expected}`);
  }
}
