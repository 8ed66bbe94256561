import { parseArgs } from 'node:util';
import { loadConfig, WrongUse } from '@emend/runtime';
import { openCorrecting } from '../adapters/openCorrecting.js';
import { readTerms } from '../adapters/textFiles.js';
import { formatOf, readTranscriptFile } from '../adapters/transcriptFile.js';
import { transcriptsConfig } from '../config.js';
import { correctTranscript } from '../correctTranscript.js';
import { changedSegments, changesHtml, changesText } from '../domain/changes.js';
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
  const format = formatOf(file ?? '', values.format);
  if (file === undefined || positionals.length > 1 || format === null) throw new WrongUse();
  const config = loadConfig(transcriptsConfig, env);
  const { segments, language } = await readTranscriptFile(file, format);
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
