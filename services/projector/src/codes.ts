/** Every code this service gives: as the cause of its end, as an incident, or as the reason of a component's health. */
export const projectorCodes = {
  unknown_version: 'The next event is from a newer writer. The fold waits for a newer projector; nothing is skipped.',
  checkpoint_differs: 'The log was replaced or has lost its tail. The file is emptied and a new generation begun.',
  ledger_dropped: 'The file could not be trusted. It is folded anew; the view keeps what it has meanwhile.',
  view_diverged: 'The view says something else of the same events, a second time. Run `emend rebuild`.',
  projection_older: 'The view belongs to a newer projection. This version stays away from it.',
  generation_of_others: 'Another projector has taken the view, for another log or with another projection.',
  generation_contended: 'The meta value changed under every try.',
  row_too_large: 'A row is larger than its bucket takes. It is left out, and every other row goes on.',
  row_unstorable: 'A row has no canonical form. It is left out, and every other row goes on.',
  views_missing: 'A bucket does not exist. Run `emend bootstrap`.',
  catching_up: 'The fold is not yet where the log was at the start.',
  broker_away: 'The broker does not answer; what was meant for it waits.',
} as const;

export type ProjectorCode = keyof typeof projectorCodes;
