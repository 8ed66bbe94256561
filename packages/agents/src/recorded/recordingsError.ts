/** Why recordings cannot be played. Never reused for another meaning. */
export const recordingsErrorCodes = {
  player_file_unreadable: 'The file of recordings is not there, is no file, or cannot be read.',
  player_file_invalid: 'The file is larger than recordings may be, or a line of it is no recording.',
  player_file_contradicts: 'Two lines of one tier answer one prompt differently, or name two models.',
  player_tier_missing: 'The file has no recording of the tier.',
} as const;
export type RecordingsErrorCode = keyof typeof recordingsErrorCodes;

/** The recordings cannot be played. It carries a place and what was expected there, never what stands there. */
export class RecordingsError extends Error {
  override readonly name = 'RecordingsError';

  constructor(
    readonly code: RecordingsErrorCode,
    readonly place: string,
    readonly expected: string,
  ) {
    super(`${code} at ${place}: expected ${expected}`);
  }
}
