import { readFile, stat } from 'node:fs/promises';
import { LineCounter, parseDocument } from 'yaml';
import { z } from 'zod';
import { type Catalogue, catalogueOf, isBaseUrl } from './decisions/catalogue.js';
import { maxTokensFields, structuredOutputs } from './decisions/dialects.js';
import { readModelMapping } from './decisions/modelMapping.js';
import { ModelError } from './errors.js';

/** Bytes of a catalogue file. */
const fileBytesMax = 256 * 1024;

/** The tier whose model the host maps outside the file, and the word that says so there (T59). */
const mappedTier = 'escalation';
const mapped = 'mapped';

const word = (expected: string, pattern: RegExp) => z.string({ error: expected }).regex(pattern, { error: expected });
const oneOf = <const W extends readonly [string, ...string[]]>(words: W) => z.enum(words, { error: words.join(', ') });

const tierSchema = z.strictObject(
  {
    provider: word('letters, digits, _ and -, at most 64', /^[A-Za-z0-9_-]{1,64}$/),
    baseUrl: z
      .string({ error: 'a URL' })
      .refine((text) => isBaseUrl(text), { error: 'an http or https URL without credentials, query or fragment' }),
    keyFile: z.string({ error: 'path of a file' }).min(1, { error: 'path of a file' }).optional(),
    model: z.string({ error: 'a model' }).refine((text) => readModelMapping(text) !== null, { error: 'a model id or a tinker:// path' }),
    structuredOutput: oneOf(structuredOutputs).optional(),
    maxTokensField: oneOf(maxTokensFields).optional(),
    requireSameModel: z.boolean({ error: 'true or false' }).optional(),
  },
  { error: 'the members of a tier' },
);

const tierName = /^[a-z][a-z0-9_-]{0,63}$/;

const fileSchema = z
  .strictObject(
    {
      generation: z.int({ error: 'a whole number' }).min(0, { error: 'a whole number from 0' }).default(1),
      tiers: z.record(z.string().regex(tierName), tierSchema, { error: 'a name for each tier, and its model' }),
    },
    { error: 'a catalogue: `tiers`, and `generation` where it is not 1' },
  )
  .superRefine(({ tiers }, context) => {
    for (const [tier, { model }] of Object.entries(tiers)) {
      if ((model === mapped) === (tier === mappedTier)) continue;
      const message = tier === mappedTier ? `${mapped}: the host's mapping names it` : `a model: ${mapped} is for ${mappedTier} alone`;
      context.addIssue({ code: 'custom', path: ['tiers', tier, 'model'], message });
    }
  });

export interface ModelMapping {
  /** What `mapped` stands for, where the host mapped the escalation tier. */
  readonly escalationModel?: string | undefined;
}

/**
 * Reads a catalogue from a YAML file.
 * @throws ModelError `catalogue_unreadable`, `catalogue_not_yaml`, `catalogue_invalid`, with the place and what was expected there.
 */
export async function readCatalogue(file: string, mapping: ModelMapping): Promise<Catalogue> {
  const unreadable = new ModelError('catalogue_unreadable', 'the file', `a readable file of at most ${fileBytesMax} bytes`);
  const size = await stat(file).catch(() => null);
  if (size === null || !size.isFile() || size.size > fileBytesMax) throw unreadable;
  const text = await readFile(file, 'utf8').catch(() => {
    throw unreadable;
  });
  return parseCatalogue(text, mapping);
}

/** As {@link readCatalogue}, from the file's text. */
export function parseCatalogue(text: string, { escalationModel }: ModelMapping): Catalogue {
  const read = fileSchema.safeParse(parseYaml(text));
  if (!read.success) throw invalid(read.error);
  const { generation, tiers } = read.data;
  if (tiers[mappedTier] === undefined) return catalogueOf(tiers, generation);
  if (escalationModel === undefined) {
    throw new ModelError('catalogue_invalid', `tiers.${mappedTier}.model`, 'a mapping of the escalation tier by the host');
  }
  return catalogueOf({ ...tiers, [mappedTier]: { ...tiers[mappedTier], model: escalationModel } }, generation);
}

function parseYaml(text: string): unknown {
  const lineCounter = new LineCounter();
  // `silent` would also hide the error of a second document, and read the first alone.
  const document = parseDocument(text, { lineCounter, prettyErrors: false, logLevel: 'error' });
  const [error] = document.errors;
  if (error) throw new ModelError('catalogue_not_yaml', `line ${lineCounter.linePos(error.pos[0]).line}`, 'one YAML document');
  try {
    // Aliases are a way to write much with little, and a catalogue has no use for them.
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw new ModelError('catalogue_not_yaml', 'the file', 'YAML without aliases');
  }
}

/** Members that the schema has. Only these, and a tier's name in its place, are ever repeated. */
const members: ReadonlySet<PropertyKey> = new Set(['generation', 'tiers', ...Object.keys(tierSchema.shape)]);

/** The first thing that is wrong. No value is shown, and no name that is not the schema's: it may be a value in the wrong place. */
function invalid({ issues: [issue] }: z.ZodError): ModelError {
  const path = (issue?.path ?? []).map((member, depth) => {
    const known = depth === 1 ? tierName.test(String(member)) : members.has(member);
    return known ? String(member) : '*';
  });
  if (issue?.code === 'unrecognized_keys') path.push('*');
  const expected = { unrecognized_keys: 'no such member', invalid_key: 'a name of small letters, digits, _ and -' };
  return new ModelError(
    'catalogue_invalid',
    path.length === 0 ? 'the file' : path.join('.'),
    expected[issue?.code as keyof typeof expected] ?? issue?.message ?? 'a catalogue',
  );
}
