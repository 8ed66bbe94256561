import { keyTokenSchema, privacyLevels, sourceClasses, sourceTextMax } from '@emend/contracts';
import { z } from 'zod';
import { CliError } from '../errors.js';

/** Characters of one line; longer ones are refused before they are read. */
export const lineMax = 400_000;

const agentNameSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*@[1-9][0-9]{0,5}$/)
  .max(135);

/** One line of a log that people already have: what was asked about, who answered, what came back. */
const lineSchema = z.object({
  /** The producer's own id of the answer: the same id again is the same run. */
  id: z.string().min(1).max(256),
  source: z.object({ id: keyTokenSchema, text: z.string().max(sourceTextMax), kind: keyTokenSchema.default('note') }),
  model: z.union([z.string().min(1).max(128), z.object({ provider: z.string().min(1).max(64), name: z.string().min(1).max(128) })]),
  output: z.string(),
  finish_reason: z.string().max(64).nullish(),
  agent: agentNameSchema.optional(),
  prompt_hash: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** When it was answered; now, when absent. */
  time: z.iso.datetime({ precision: 3 }).optional(),
  privacy: z.enum(privacyLevels).optional(),
  source_class: z.enum(sourceClasses).optional(),
});
export type IngestLine = z.output<typeof lineSchema>;

export type LineRead =
  | { readonly kind: 'line'; readonly line: IngestLine }
  /** `at` names the field; the value is not repeated. */
  | { readonly kind: 'broken'; readonly code: 'too_long' | 'not_json' | 'line_invalid'; readonly at: string };

/** Reads one line. Pure; a broken one is a value, so that the others go on. */
export function readLine(text: string): LineRead {
  if (text.length > lineMax) return { kind: 'broken', code: 'too_long', at: `at most ${lineMax} characters` };
  let written: unknown;
  try {
    written = JSON.parse(text);
  } catch {
    return { kind: 'broken', code: 'not_json', at: 'one JSON object a line' };
  }
  const parsed = lineSchema.safeParse(written);
  if (parsed.success) return { kind: 'line', line: parsed.data };
  return { kind: 'broken', code: 'line_invalid', at: ownField(parsed.error.issues[0]?.path) };
}

const fields = new Set(Object.keys(lineSchema.shape));

/** The name of the field that is wrong, when it is one of ours. */
function ownField(path: readonly PropertyKey[] | undefined): string {
  const name = String(path?.[0] ?? '');
  return fields.has(name) ? name : 'the line';
}

/** `id@version` in its two parts. @throws CliError `agent_name_invalid` */
export function agentOf(name: string): { readonly id: string; readonly version: number } {
  if (!agentNameSchema.safeParse(name).success) throw new CliError('agent_name_invalid', name, 'id@version');
  const [id = '', version = ''] = name.split('@');
  return { id, version: Number(version) };
}
