import { appendFileSync } from 'node:fs';
import { sha256 } from '@emend/contracts';
import type { DebugSink } from '@emend/revision';
import type { WorkUnit } from '../domain/correctedTranscript.js';

/** What stands in place of a text: its length, and a hash by which equal ones are known. */
const redacted = (text: string): string => `[${text.length} characters, ${sha256(text).slice(0, 12)}]`;

/** Attempt histories as JSON Lines, with every text redacted. A line that cannot be written is lost, and nothing else (A95, A138). */
export const debugFile =
  (file: string) =>
  (at: WorkUnit): DebugSink => ({
    redact: redacted,
    record: (entry) => appendFileSync(file, `${JSON.stringify({ ...at, ...entry })}\n`),
  });
