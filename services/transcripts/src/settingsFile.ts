import { type Document, isMap, LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { type ModuleName, moduleNames } from './domain/moduleNames.js';
import type { SettingsScope } from './settings.js';

/** Bytes of a file of settings. */
export const settingsBytesMax = 64 * 1024;

/** The most that `repair.max_attempts` may be. */
export const attemptsMax = 10;

/** One thing that is wrong in a file of settings. Names of members that are not known are not repeated: they may be values in the wrong place. */
export interface SettingsFault {
  /** From 1; null where it has none. */
  readonly line: number | null;
  /** Say `stages.grammar.repair.max_attempts`. */
  readonly place: string;
  readonly expected: string;
}

export type ReadSettings =
  | { readonly kind: 'read'; readonly settings: SettingsScope; readonly profiles: readonly NamedProfile[] }
  | { readonly kind: 'refused'; readonly faults: readonly SettingsFault[] };

/** A profile that the file names, and where. */
export interface NamedProfile {
  readonly profile: string;
  readonly line: number | null;
  readonly place: string;
}

const attempts = `a whole number from 0 to ${attemptsMax}`;
const tier = 'a profile: small letters, digits, _ and -, at most 64';
const profile = z.string({ error: tier }).regex(/^[a-z][a-z0-9_-]{0,63}$/, { error: tier });
const repair = z.strictObject(
  {
    max_attempts: z.int({ error: attempts }).min(0, { error: attempts }).max(attemptsMax, { error: attempts }).optional(),
    profile: profile.optional(),
  },
  { error: '`max_attempts`, `profile`' },
);
const scope = { profile: profile.optional(), repair: repair.optional() };
const stage = z.strictObject(scope, { error: '`profile`, `repair`' });
const stages = z.strictObject(
  Object.fromEntries(moduleNames.map((name) => [name, stage.optional()])) as Record<ModuleName, z.ZodOptional<typeof stage>>,
  {
    error: `stages: ${moduleNames.join(', ')}`,
  },
);
const fileSchema = z.strictObject({ ...scope, stages: stages.optional() }, { error: 'settings: `profile`, `repair`, `stages`' });
type Written = z.infer<typeof fileSchema>;

/** What a member may be where an unknown one stands, by the depth of what it stands in. */
const membersOf: Readonly<Record<string, string>> = {
  '': '`profile`, `repair` or `stages`',
  stages: moduleNames.map((name) => `\`${name}\``).join(', '),
  repair: '`max_attempts` or `profile`',
};

/** Settings of the root and of single stages, from a file's text (A84, A114). Everything that is wrong is said at once. */
export function parseSettings(text: string): ReadSettings {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const [broken] = document.errors;
  if (broken) return refused({ line: lines.linePos(broken.pos[0]).line, place: 'the file', expected: 'one YAML document' });
  let written: unknown;
  try {
    // Aliases are a way to write much with little, and settings have no use for them.
    written = document.toJS({ maxAliasCount: 0 }) ?? {};
  } catch {
    return refused({ line: null, place: 'the file', expected: 'YAML without aliases' });
  }
  const lineOf = (path: readonly PropertyKey[]): number | null => lineIn(document, lines, path);
  const read = fileSchema.safeParse(written);
  if (!read.success) return { kind: 'refused', faults: read.error.issues.flatMap((issue) => faultsOf(issue, lineOf)) };
  return { kind: 'read', settings: scopeOf(read.data), profiles: profilesIn(read.data, lineOf) };
}

const refused = (fault: SettingsFault): ReadSettings => ({ kind: 'refused', faults: [fault] });

type LineOf = (path: readonly PropertyKey[]) => number | null;

function faultsOf(issue: z.core.$ZodIssue, lineOf: LineOf): readonly SettingsFault[] {
  const place = issue.path.join('.');
  if (issue.code !== 'unrecognized_keys') return [{ line: lineOf(issue.path), place: place || 'the file', expected: issue.message }];
  const expected = membersOf[String(issue.path.at(-1) ?? '')] ?? '`profile` or `repair`';
  return issue.keys.map((key) => ({ line: lineOf([...issue.path, key]), place: [...issue.path, '*'].join('.'), expected }));
}

/** The line of a member's name. */
function lineIn(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number | null {
  const around: unknown = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  if (!isMap(around)) return null;
  const key: unknown = around.items.find((pair) => keyOf(pair.key) === path.at(-1))?.key;
  const range = typeof key === 'object' && key !== null && 'range' in key ? (key.range as readonly number[] | undefined) : undefined;
  return range?.[0] === undefined ? null : lines.linePos(range[0]).line;
}

const keyOf = (key: unknown): string => String(typeof key === 'object' && key !== null && 'value' in key ? key.value : key);

const scopeOf = ({ stages: single, ...root }: Written): SettingsScope => ({
  ...oneScope(root),
  stages: Object.fromEntries(moduleNames.flatMap((name) => (single?.[name] === undefined ? [] : [[name, oneScope(single[name])]]))),
});

const oneScope = ({ profile: proposing, repair: repairing }: z.infer<typeof stage>) => ({
  profile: proposing,
  repair: { maxAttempts: repairing?.max_attempts, profile: repairing?.profile },
});

const profilesIn = ({ stages: single, ...root }: Written, lineOf: LineOf): readonly NamedProfile[] =>
  [[[], root] as const, ...moduleNames.map((name) => [['stages', name], single?.[name] ?? {}] as const)].flatMap(([at, one]) =>
    [[[...at, 'profile'], one.profile] as const, [[...at, 'repair', 'profile'], one.repair?.profile] as const].flatMap(([path, named]) =>
      named === undefined ? [] : [{ profile: named, line: lineOf(path), place: path.join('.') }],
    ),
  );
