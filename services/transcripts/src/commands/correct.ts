import { parseArgs } from 'node:util';
import { loadConfig, WrongUse } from '@emend/runtime';
import { openCorrecting } from '../adapters/openCorrecting.js';
import { readTerms, readText } from '../adapters/textFiles.js';
import { transcriptsConfig } from '../config.js';
import { correctTranscript } from '../correctTranscript.js';
import { changedSegments, changesHtml, changesText } from '../domain/changes.js';
import { readingFaults } from '../domain/reading/faults.js';
import { formatOfName, readTranscript, type TranscriptFormat, transcriptFormats } from '../domain/reading/readTranscript.js';
import { TranscriptsError } from '../errors.js';
import type { Out } from './out.js';

const options = {
  format: { type: 'string' },
  glossary: { type: 'string' },
  protect: { type: 'string' },
  html: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

/** `correct FILE`: the corrected transcript of one file, as its changes with their reasons. Nothing is written to a log. */
export async function correctCommand(args: readonly string[], env: NodeJS.ProcessEnv, out: Out): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [file] = positionals;
  const format = values.format ?? formatOfName(file ?? '');
  if (file === undefined || positionals.length > 1 || !isFormat(format)) throw new WrongUse();
  const config = loadConfig(transcriptsConfig, env);
  const { segments, language } = await readSegments(file, format);
  const [glossary, protectedTerms] = [await readTerms(values.glossary), await readTerms(values.protect)];
  const deps = { ...(await openCorrecting(config)), signal: new AbortController().signal };
  const end = await correctTranscript(deps, { segments, language, glossary, protectedTerms });
  if (end.kind !== 'corrected')
    throw new TranscriptsError('stage_failed', [end.kind === 'failed' ? `${end.code} in ${end.stage}, section ${end.section}` : end.kind]);
  const changed = changedSegments(segments, end.segments, end.corrections);
  out.say(
    values.json
      ? JSON.stringify(end)
      : values.html
        ? changesHtml(changed)
        : `${changesText(changed, out.colour)}\n\n${end.report.applied} of ${end.report.proposed} corrections applied`,
  );
  return 0;
}

const isFormat = (name: string): name is TranscriptFormat => (transcriptFormats as readonly string[]).includes(name);

/** @throws TranscriptsError `transcript_refused` with each bad place, `file_unreadable` */
async function readSegments(file: string, format: TranscriptFormat) {
  const read = readTranscript(await readText(file), format);
  if (read.kind !== 'refused') return read;
  throw new TranscriptsError(
    'transcript_refused',
    read.faults.map(({ code, place }) => `${place}: ${code}: expected ${readingFaults[code]}`),
  );
}
