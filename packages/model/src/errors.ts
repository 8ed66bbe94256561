/** Why no model can be had from what the host wrote. Never reused for another meaning. */
export const modelErrorCodes = {
  catalogue_unreadable: 'The catalogue file cannot be read, or is larger than a catalogue may be.',
  catalogue_not_yaml: 'The catalogue file is not one YAML document; the place is its line.',
  catalogue_invalid: 'The catalogue says something that is no catalogue; the place is the member.',
  tier_missing: 'The catalogue has no model for the tier that was asked for.',
  api_key_unreadable: 'The key file cannot be read, or does not hold one key on one line.',
} as const;
export type ModelErrorCode = keyof typeof modelErrorCodes;

/** The host's settings name no model. It carries a place and what was expected there, never what stands there. */
export class ModelError extends Error {
  override readonly name = 'ModelError';

  constructor(
    readonly code: ModelErrorCode,
    readonly place: string,
    readonly expected: string,
  ) {
    super(`${code} at ${place}: expected ${expected}`);
  }
}
