import { readFile, stat } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { loadConfig, WrongUse } from '@emend/runtime';
import { debugFile } from './adapters/debugFile.js';
import { readDictionary } from './adapters/dictionary.js';
import { endpointProfile, openCalls } from './adapters/openCalls.js';
import { promptFilesInForce } from './adapters/promptFiles.js';
import { transcriptsConfig } from './config.js';
import { correctTranscript } from './correctTranscript.js';
import { changedSegments, changesHtml, changesText } from './domain/changes.js';
import { readingFaults } from './domain/reading/faults.js';
import { formatOfName, readTranscript, type TranscriptFormat, transcriptFormats } from './domain/reading/readTranscript.js';
import { TranscriptsError } from './errors.js';
import { compilePrompts, type PromptFiles, type Prompts, promptTable } from './prompts.js';
import { stageSettings } from './settings.js';

export const usage =
  'correct FILE [--format F] [--glossary FILE] [--protect FILE] [--html | --json] | prompts list | prompts show NAME | prompts diff';

/** Where a command speaks: its result, and whether a terminal shows it. */
export interface Out {
  readonly say: (text: string) => void;
  readonly colour: boolean;
}

const fileBytesMax = 32 * 1024 * 1024;

/** `correct FILE`: the corrected transcript of one file, as its changes with their reasons. Nothing is written to a log. */
export async function correctCommand(args: readonly string[], env: NodeJS.ProcessEnv, out: Out): Promise<number> {
  const options = {
    format: { type: 'string' },
    glossary: { type: 'string' },
    protect: { type: 'string' },
    html: { type: 'boolean' },
    json: { type: 'boolean' },
  } as const;
  const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options });
  const [file] = positionals;
  const format = values.format ?? formatOfName(file ?? '');
  if (file === undefined || positionals.length > 1 || !isFormat(format)) throw new WrongUse();
  const config = loadConfig(transcriptsConfig, env);
  const read = readTranscript(await readText(file), format);
  if (read.kind === 'refused')
    throw new TranscriptsError(
      'transcript_refused',
      read.faults.map(({ code, place }) => `${place}: ${code}: expected ${readingFaults[code]}`),
    );
  const [prompts, isWord, glossary, protectedTerms] = [
    await promptsInForce(config.promptsDir),
    await readDictionary(),
    await readTerms(values.glossary),
    await readTerms(values.protect),
  ];
  const { segments, language } = read;
  const deps = {
    prompts,
    isWord,
    call: await openCalls(config),
    settings: stageSettings({ profile: endpointProfile, repair: { maxAttempts: config.repairAttempts } }),
    sectionsInWork: 2 * config.admission,
    signal: new AbortController().signal,
    ...(config.debugFile !== undefined && { debug: debugFile(config.debugFile) }),
  };
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

async function promptsInForce(folder: string | undefined): Promise<Prompts> {
  const compiled = compilePrompts(await readFiles(folder));
  if (compiled.kind === 'compiled') return compiled.prompts;
  throw new TranscriptsError(
    'prompts_refused',
    compiled.faults.map(({ file, code, expected }) => `${file}: ${code}: expected ${expected}`),
  );
}

const readFiles = (folder: string | undefined): Promise<PromptFiles> =>
  promptFilesInForce(folder).catch(() => {
    throw new TranscriptsError('file_unreadable', [folder ?? 'the shipped prompts']);
  });

async function readText(file: string): Promise<string> {
  const size = await stat(file).then(
    (found) => (found.isFile() ? found.size : Number.POSITIVE_INFINITY),
    () => Number.POSITIVE_INFINITY,
  );
  if (size > fileBytesMax) throw new TranscriptsError('file_unreadable', [file]);
  return readFile(file, 'utf8');
}

/** One term a line. */
const readTerms = async (file: string | undefined): Promise<readonly string[]> =>
  file === undefined
    ? []
    : (await readText(file))
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');

/** `prompts list|show|diff`: which prompts are in force, and what an operator's folder changes. */
export async function promptsCommand(args: readonly string[], env: NodeJS.ProcessEnv, out: Out): Promise<number> {
  const [verb, name, ...more] = args;
  const { promptsDir } = loadConfig(transcriptsConfig, env);
  const [shipped, inForce] = [await readFiles(undefined), await readFiles(promptsDir)];
  if (more.length > 0 || (name !== undefined && verb !== 'show')) throw new WrongUse();
  const isMine = (one: string): boolean => shipped.get(one) !== inForce.get(one);
  switch (verb) {
    case 'list':
      await promptsInForce(promptsDir);
      out.say(
        [...inForce.keys()]
          .sort()
          .map((one) => `${isMine(one) ? 'replaced' : 'shipped '}  ${one}${Object.hasOwn(promptTable, one) ? '' : ' (fragment)'}`)
          .join('\n'),
      );
      return 0;
    case 'show': {
      const text = inForce.get(name ?? '');
      if (text === undefined) throw new TranscriptsError('prompt_unknown', [name ?? '']);
      out.say(text);
      return 0;
    }
    case 'diff':
      out.say(
        [...inForce.keys()]
          .sort()
          .filter(isMine)
          .map((one) => differenceText(one, shipped.get(one) ?? '', inForce.get(one) ?? ''))
          .join('\n') || 'every prompt is as it ships',
      );
      return 0;
    default:
      throw new WrongUse();
  }
}

const differenceText = (name: string, before: string, after: string): string =>
  [`${name}.liquid`, ...linesOf(before, after, '-'), ...linesOf(after, before, '+')].join('\n');
const linesOf = (text: string, other: string, mark: string): readonly string[] => {
  const others = new Set(other.split('\n'));
  return text
    .split('\n')
    .filter((line) => !others.has(line))
    .map((line) => `${mark} ${line}`);
};
