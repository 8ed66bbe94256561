import { sha256 } from '@emend/contracts';
import { Liquid, type Template } from 'liquidjs';
import { modelCheckNames } from './domain/modelChecks.js';
import { moduleNames } from './domain/moduleNames.js';

export interface PromptMessage {
  readonly role: 'system' | 'user';
  readonly content: string;
}

interface PromptRow {
  /** The roles of its messages, in order. A repair prompt is one user message after the conversation. */
  readonly roles: readonly PromptMessage['role'][];
  /** What it may show. */
  readonly offers: readonly string[];
  /** What it has to show, or the model could not answer. */
  readonly requires: readonly string[];
}

const proposing: PromptRow = { roles: ['system', 'user'], offers: ['section', 'glossary', 'protected', 'language'], requires: ['section'] };
const repairing: PromptRow = {
  roles: ['user'],
  offers: ['ref', 'version', 'first', 'proposed', 'findings', 'unavailable', 'reply_fault', 'reply_contract', 'language'],
  requires: ['ref', 'version', 'proposed', 'findings', 'unavailable', 'reply_contract'],
};
const checking: PromptRow = {
  roles: ['system', 'user'],
  offers: ['section', 'language', 'proposed', 'before', 'after', 'codes'],
  requires: ['before', 'after', 'codes'],
};

/** Every prompt there is, by the name of its file. */
export const promptTable: Readonly<Record<string, PromptRow>> = Object.fromEntries([
  ...moduleNames.flatMap((name) => [
    [`${name}.propose`, proposing],
    [`${name}.repair`, repairing],
  ]),
  ...modelCheckNames.map((name) => [`check.${name}`, checking]),
]) as Readonly<Record<string, PromptRow>>;

/** Why a prompt cannot be used; never reused for another meaning. */
export const promptFaults = {
  prompt_missing: 'a file for every prompt of the table',
  prompt_unknown: 'the name of a prompt or of a fragment in the folder `fragments`',
  prompt_too_large: 'at most 32768 bytes',
  template_invalid: 'a Liquid template with known tags and filters',
  fragment_unknown: 'the name of a fragment that is there',
  parts_differ: 'a line `--- role ---` before each part, the parts of this prompt in their order',
  variable_unknown: 'only variables that this prompt offers',
  variable_missing: 'every variable that this prompt has to show',
} as const;
export type PromptFaultCode = keyof typeof promptFaults;

export interface PromptFault {
  readonly code: PromptFaultCode;
  /** The file, below the folder of prompts. */
  readonly file: string;
  /** What was expected; names of variables and fragments, never the text. */
  readonly expected: string;
}

/** Files by their name without its ending; a fragment's begins with `fragments/`. */
export type PromptFiles = ReadonlyMap<string, string>;

/** The prompts in force, ready to be rendered. */
export interface Prompts {
  /** Over all files in force: what a run's manifest records. */
  readonly hash: string;
  render(name: string, variables: Readonly<Record<string, unknown>>): readonly PromptMessage[];
}

export type CompiledPrompts =
  | { readonly kind: 'compiled'; readonly prompts: Prompts }
  | { readonly kind: 'refused'; readonly faults: readonly PromptFault[] };

/** UTF-8 bytes of one file. */
export const promptBytesMax = 32_768;

const fragmentFolder = 'fragments/';

/** Checks every file and compiles it: whatever is wrong is known before the first model call (A63, A107). */
export function compilePrompts(files: PromptFiles): CompiledPrompts {
  const fragments = new Map(
    [...files].filter(([name]) => name.startsWith(fragmentFolder)).map(([name, text]) => [name.slice(fragmentFolder.length), text]),
  );
  const engine = new Liquid({
    strictVariables: true,
    strictFilters: true,
    ownPropertyOnly: true,
    templates: Object.fromEntries(fragments),
  });
  const faults: PromptFault[] = [...files].flatMap(([name, text]) => fileFaults(name, text, fragments));
  const compiled = new Map<string, readonly CompiledPart[]>();
  for (const [name, row] of Object.entries(promptTable)) {
    const read = compileOne(engine, { name, row, text: files.get(name), fragments });
    if (read.kind === 'faults') faults.push(...read.faults);
    else compiled.set(name, read.parts);
  }
  if (faults.length > 0) return { kind: 'refused', faults };
  return {
    kind: 'compiled',
    prompts: { hash: hashOf(files), render: (name, variables) => rendered(engine, compiled.get(name) ?? [], variables) },
  };
}

function fileFaults(name: string, text: string, fragments: ReadonlyMap<string, string>): readonly PromptFault[] {
  const known = Object.hasOwn(promptTable, name) || fragments.has(name.slice(fragmentFolder.length));
  return [
    ...(known ? [] : [faultOf('prompt_unknown', name)]),
    ...(Buffer.byteLength(text) > promptBytesMax ? [faultOf('prompt_too_large', name)] : []),
  ];
}

const faultOf = (code: PromptFaultCode, name: string, expected: string = promptFaults[code]): PromptFault => ({
  code,
  file: `${name}.liquid`,
  expected,
});

interface CompiledPart {
  readonly role: PromptMessage['role'];
  readonly template: readonly Template[];
}

interface ToCompile {
  readonly name: string;
  readonly row: PromptRow;
  readonly text: string | undefined;
  readonly fragments: ReadonlyMap<string, string>;
}

type CompileEnd =
  | { readonly kind: 'parts'; readonly parts: readonly CompiledPart[] }
  | { readonly kind: 'faults'; readonly faults: readonly PromptFault[] };

function compileOne(engine: Liquid, { name, row, text, fragments }: ToCompile): CompileEnd {
  const refused = (...faults: readonly PromptFault[]): CompileEnd => ({ kind: 'faults', faults });
  if (text === undefined) return refused(faultOf('prompt_missing', name));
  const parts = partsOf(text, row.roles);
  if (parts === null) return refused(faultOf('parts_differ', name, `parts ${row.roles.join(', ')}`));
  const missing = fragmentsIn(text, fragments).filter((fragment) => !fragments.has(fragment));
  if (missing.length > 0) return refused(...missing.map((fragment) => faultOf('fragment_unknown', name, `a fragment ${fragment}`)));
  let compiled: readonly CompiledPart[];
  let used: ReadonlySet<string>;
  try {
    compiled = parts.map(({ role, content }) => ({ role, template: engine.parse(content) }));
    used = new Set(compiled.flatMap(({ template }) => engine.globalVariablesSync([...template])));
  } catch {
    return refused(faultOf('template_invalid', name));
  }
  const unknown = [...used].filter((variable) => !row.offers.includes(variable));
  const unused = row.requires.filter((variable) => !used.has(variable));
  const faults = [
    ...(unknown.length > 0 ? [faultOf('variable_unknown', name, `only ${row.offers.join(', ')}`)] : []),
    ...(unused.length > 0 ? [faultOf('variable_missing', name, unused.join(', '))] : []),
  ];
  return faults.length > 0 ? refused(...faults) : { kind: 'parts', parts: compiled };
}

/** The fragments that a text names, and those that they name. */
function fragmentsIn(text: string, fragments: ReadonlyMap<string, string>, seen: Set<string> = new Set()): readonly string[] {
  for (const [, name = ''] of text.matchAll(/\{%-?\s*(?:include|render)\s+['"]([^'"]*)['"]/g)) {
    if (seen.has(name)) continue;
    seen.add(name);
    fragmentsIn(fragments.get(name) ?? '', fragments, seen);
  }
  return [...seen];
}

/** The parts of a prompt file. A prompt of one part has no marks. */
function partsOf(text: string, roles: PromptRow['roles']): readonly PromptMessage[] | null {
  const marks = [...text.matchAll(/^--- ([a-z]+) ---$/gm)];
  if (roles.length === 1) return marks.length === 0 && text.trim() !== '' ? [{ role: roles[0] ?? 'user', content: text }] : null;
  if (
    marks.length !== roles.length ||
    marks.some(([, role], index) => role !== roles[index]) ||
    text.slice(0, marks[0]?.index).trim() !== ''
  )
    return null;
  return marks.map(({ 0: mark, index }, at) => ({
    role: roles[at] ?? 'user',
    content: text.slice(index + mark.length, marks[at + 1]?.index),
  }));
}

/** Text with at most one empty line in a row. */
const rendered = (engine: Liquid, parts: readonly CompiledPart[], variables: Readonly<Record<string, unknown>>): readonly PromptMessage[] =>
  parts.map(({ role, template }) => ({
    role,
    content: String(engine.renderSync([...template], { ...variables }))
      .replaceAll(/\n{3,}/g, '\n\n')
      .trim(),
  }));

const hashOf = (files: PromptFiles): string => sha256(JSON.stringify([...files].sort(([a], [b]) => (a < b ? -1 : 1))));
