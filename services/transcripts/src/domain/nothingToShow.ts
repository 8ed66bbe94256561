/** Why there is no corrected transcript to show; never reused for another meaning. */
export const nothingToShow = {
  source_missing: 'No event stands on the place of the source, as far as this broker says.',
  source_erased: 'The source was erased by an operator.',
  source_unreadable: 'What stands on the place of the source has no effect, or is from a newer writer.',
  source_no_transcript: 'The source has no transcript in it.',
  source_object_missing: 'The object with the segments of the source is not there, or was erased.',
  source_object_damaged: 'The object with the segments of the source is not the one that the source names.',
  agent_missing: 'The declaration that answers transcripts is not in the log.',
  not_started: 'No run has begun to correct it yet.',
  in_work: 'A run is at it: it is claimed and has not ended.',
  run_failed: 'The run failed; the class of the failure is named. The transcript stands as it was.',
  run_abandoned: 'Every attempt was abandoned: its process died, and no further one has begun.',
  not_written_yet: 'The run has ended with an output, and the corrected transcript that follows from it is not there yet.',
  corrected_erased: 'The corrected transcript was erased by an operator.',
  corrected_unreadable: 'What stands on the place of the corrected transcript has no effect, or is from a newer writer.',
  corrected_object_missing: 'The object with the corrected transcript is not there, or was erased.',
  corrected_object_damaged: 'The object with the corrected transcript is not the one that its event names.',
} as const;
export type NothingCode = keyof typeof nothingToShow;

/** Nothing to show: why, where, and of a failed run its class. */
export interface Nothing {
  readonly kind: 'nothing';
  readonly code: NothingCode;
  readonly place: string;
  readonly detail: string | null;
}

export const nothing = (code: NothingCode, place: string, detail: string | null = null): Nothing => ({
  kind: 'nothing',
  code,
  place,
  detail,
});
