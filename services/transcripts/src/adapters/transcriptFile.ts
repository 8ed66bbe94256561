import { readingFaults } from '../domain/reading/faults.js';
import {
  formatOfName,
  readTranscript,
  type TranscriptFormat,
  transcriptFormats,
  type TranscriptRead,
} from '../domain/reading/readTranscript.js';
import { TranscriptsError } from '../errors.js';
import { readText } from './textFiles.js';

/** The format of a file: the one that is named, else by the end of its name. Null where there is none of that name. */
export function formatOf(file: string, named: string | undefined): TranscriptFormat | null {
  const format = named ?? formatOfName(file);
  return isFormat(format) ? format : null;
}

const isFormat = (name: string): name is TranscriptFormat => (transcriptFormats as readonly string[]).includes(name);

/**
 * The transcript of one file, whole.
 * @throws TranscriptsError `transcript_refused` with each place that cannot be read, `file_unreadable`
 */
export async function readTranscriptFile(file: string, format: TranscriptFormat): Promise<Extract<TranscriptRead, { kind: 'read' }>> {
  const read = readTranscript(await readText(file), format);
  if (read.kind === 'read') return read;
  throw new TranscriptsError(
    'transcript_refused',
    read.faults.map(({ code, place }) => `${file}: ${place}: ${code}: expected ${readingFaults[code]}`),
  );
}
