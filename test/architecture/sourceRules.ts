import path from 'node:path';

export const linesMax = 300;

/** Files that may be longer, each with the reason. */
export const longFiles: Readonly<Record<string, string>> = {};

export interface SourceFile {
  /** Relative to the root, with forward slashes. */
  readonly file: string;
  readonly text: string;
}

interface SourceRule {
  readonly id: string;
  readonly sentence: string;
  readonly appliesTo: (file: string) => boolean;
  /** What breaks the rule in this file, in the file's own words. */
  readonly find: (source: SourceFile) => readonly string[];
}

const isTest = (file: string) => file.endsWith('.test.ts');
const isPure = (file: string) =>
  /^packages\/(contracts\/src|history\/src|revision\/src|model\/src\/decisions)\//.test(file) ||
  /^services\/[^/]+\/src\/domain\//.test(file);

// A clock, chance, the environment, a timer, or a way to reach them by another name. A Date made from an argument is pure.
const effects =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bprocess\.|=\s*process\b|\bperformance\b|\bset(Timeout|Interval|Immediate)\b|\bqueueMicrotask\b|\bfetch\(|\brandom(UUID|Bytes|Int|FillSync)\b|\bgetRandomValues\b|\bglobalThis\b|\bconsole\./g;

// Written in parts, so that this file does not find itself.
const unfinished = new RegExp(`\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX'].join('|')})\\b`, 'g');
const focused = /\b(?:it|test|describe|suite)(?:\.\w+)*\.only\b/g;
const skipped = /\b(?:it|test|describe|suite)(?:\.\w+)*\.(?:skip|skipIf|runIf|todo|fails)\b/;

export const sourceRules: readonly SourceRule[] = [
  {
    id: 'named-after-its-idea',
    sentence: 'A file or folder is named after the main thing in it, never utils, common, helpers, types or manager.',
    appliesTo: () => true,
    find: ({ file }) =>
      file.split('/').filter((part) => /^(utils?|common|helpers?|types?|misc|shared)$|(utils?|helpers?|managers?)$/i.test(stem(part))),
  },
  {
    id: 'camel-case',
    sentence: 'A file name is camelCase.',
    appliesTo: () => true,
    find: ({ file }) => [path.posix.basename(file)].filter((name) => !/^[a-z][A-Za-z0-9]*$/.test(stem(name))),
  },
  {
    id: 'pure-code-takes-arguments',
    sentence: 'contracts, history, revision, the decisions of model and every domain/ take time, ids and settings as arguments.',
    appliesTo: (file) => isPure(file) && !isTest(file),
    find: ({ text }) => withoutComments(text).match(effects) ?? [],
  },
  {
    id: 'one-idea-per-file',
    sentence: `A source file has at most ${linesMax} lines, or stands in the list of longer ones with a reason.`,
    appliesTo: (file) => /^(packages|services)\/[^/]+\/src\//.test(file) && longFiles[file] === undefined,
    find: ({ text }) => [text.split('\n').length - 1].filter((lines) => lines > linesMax).map((lines) => `${lines} lines`),
  },
  {
    id: 'nothing-unfinished',
    sentence: 'What is left to do is an issue, not a comment.',
    appliesTo: () => true,
    find: ({ text }) => text.match(unfinished) ?? [],
  },
  {
    id: 'no-focused-test',
    sentence: 'No test keeps the others from running.',
    appliesTo: (file) => /(^|\/)test\//.test(file) || isTest(file),
    find: ({ text }) => withoutStrings(text).match(focused) ?? [],
  },
  {
    id: 'skipped-with-a-reason',
    sentence: 'A test that may be left out says why: `// skipped: …` on its line or the line before.',
    appliesTo: (file) => /(^|\/)test\//.test(file) || isTest(file),
    find: ({ text }) => skippedWithoutReason(text.split('\n')),
  },
];

function skippedWithoutReason(lines: readonly string[]): readonly string[] {
  const hasReason = (index: number) => /\/\/ skipped: \S/.test(`${lines[index - 1] ?? ''}\n${lines[index] ?? ''}`);
  return lines.filter((line, index) => skipped.test(withoutStrings(line)) && !hasReason(index)).map((line) => line.trim());
}

function stem(part: string): string {
  return part.replace(/((\.contract)?\.test|\.d)?\.ts$/, '');
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/.*$/gm, '$1');
}

/** Good enough for the two rules about tests: a string that names a forbidden call is not the call. */
function withoutStrings(text: string): string {
  return text.replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, "''");
}
