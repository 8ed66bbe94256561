/** Every code this service raises, and what it says. A code is never reused for another meaning. */
export const exporterErrorCodes = {
  export_disk_full: 'The disk of the export folder is full. The last export is whole; nothing of the new one is left.',
  export_folder_unusable: 'The export folder cannot be read or written: a permission, a file in the place of a folder, a failing disk.',
  export_manifest_unreadable:
    'A manifest in the export folder cannot be read, so that withdrawn rows could not be listed. Put it back, or use another folder.',
  export_ahead_of_log: 'The export folder holds an export of a later position than the log has: it is of another log.',
  row_not_loadable: 'A row would not load as it is meant: a bug. Nothing was written.',
  log_replaced: 'The log is not the one that was folded, and folding it anew did not help.',
  event_from_newer_version: 'The log holds an event of a newer version. It is never skipped: deploy this reader first.',
  declassification_file_unreadable: 'The declassification file cannot be read.',
  declassification_file_invalid: 'The declassification file is not exactly what its format says.',
  destination_file_unreadable: 'The destination file cannot be read.',
  destination_file_invalid: 'The destination file is not exactly what its format says.',
} as const;

export type ExporterErrorCode = keyof typeof exporterErrorCodes;

/** A fault with its code and where it happened: a path or a position, never what a row or an event says. */
export class ExporterError extends Error {
  override readonly name = 'ExporterError';

  constructor(
    readonly code: ExporterErrorCode,
    readonly where?: string,
  ) {
    super(`${code}: ${exporterErrorCodes[code]}${where === undefined ? '' : ` (${where})`}`);
  }
}
