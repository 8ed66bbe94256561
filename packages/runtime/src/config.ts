import type { z } from 'zod';
import { ConfigError, type ConfigProblem, InvalidOptions } from './errors.js';

/** One environment variable. What its type accepts is said with `.describe('a URL')`, in documents and in errors. */
export interface Setting<T extends z.ZodType = z.ZodType> {
  readonly name: string;
  /** Parses the text of the variable; `undefined` where it is unset. */
  readonly type: T;
  /** The value, already parsed, where the variable is unset or empty. */
  readonly default?: z.output<T>;
  readonly description: string;
  readonly secret?: boolean;
}

/** All settings of a process, under the names its code uses. */
export type ConfigTable = Readonly<Record<string, Setting>>;

export type Config<T extends ConfigTable> = { readonly [K in keyof T]: z.output<T[K]['type']> };

/** A setting whose default is checked against its type. */
export const setting = <T extends z.ZodType>(of: Setting<T>): Setting<T> => of;

/** Reads the whole table, or throws one `ConfigError` with every problem. An empty variable counts as unset. */
export function loadConfig<T extends ConfigTable>(table: T, env: NodeJS.ProcessEnv): Config<T> {
  requireDistinctNames(table);
  const values: Record<string, unknown> = {};
  const problems: ConfigProblem[] = [];
  for (const [key, entry] of Object.entries(table)) {
    const read = readSetting(entry, env[entry.name]);
    if (read.ok) values[key] = read.value;
    else problems.push({ name: entry.name, expected: expectedOf(entry.type) });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return values as Config<T>; // Every key was parsed by its own type just above.
}

/** What a type accepts, in its own words. */
export function expectedOf(type: z.ZodType): string {
  if (type.description !== undefined) return type.description;
  // A wrapper (`optional`, `nullable`) does not inherit the description of what it wraps.
  const inner = (type.def as { innerType?: z.ZodType }).innerType;
  return inner === undefined ? 'a valid value' : expectedOf(inner);
}

function readSetting(entry: Setting, raw: string | undefined): { ok: true; value: unknown } | { ok: false } {
  const text = raw === '' ? undefined : raw;
  if (text === undefined && entry.default !== undefined) return { ok: true, value: entry.default };
  const parsed = entry.type.safeParse(text);
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false };
}

function requireDistinctNames(table: ConfigTable): void {
  const names = Object.values(table).map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new InvalidOptions(`config table: ${twice} stands twice`);
}
