/** Codes of this program; never reused for another meaning. */
export const transcriptsErrorCodes = {
  file_unreadable: 'The file cannot be read, or is larger than 32 MiB.',
  transcript_refused: 'Places of the transcript cannot be read; each is named.',
  prompts_refused: 'A prompt cannot be used; each file is named.',
  prompt_unknown: 'There is no prompt of that name.',
  settings_refused: 'Settings of stages cannot be used; each place is named.',
  stage_failed: 'A stage call failed; its code, stage and section are named.',
} as const;
export type TranscriptsErrorCode = keyof typeof transcriptsErrorCodes;

/** A refusal with a stable code and places, never with text of a transcript. */
export class TranscriptsError extends Error {
  override readonly name = 'TranscriptsError';
  constructor(
    readonly code: TranscriptsErrorCode,
    readonly places: readonly string[],
  ) {
    super(places.length === 1 ? `${code}: ${places[0] ?? ''}` : [`${code}: ${places.length} places`, ...places].join('\n  '));
  }
}
