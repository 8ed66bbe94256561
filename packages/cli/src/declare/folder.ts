import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type AgentWritten,
  agentDeclaredSchema,
  compileContract,
  conceptualizationGraph,
  type ContractRef,
  observation,
  type OutputContractDefinition,
  outputRepairPolicy,
  outputContractDefinitionSchema,
  type PolicyDefinition,
  readPolicyDefinition,
  transcriptCorrection,
} from '@emend/contracts';
import { parse } from 'yaml';
import { z } from 'zod';
import { CliError } from '../errors.js';

/** What a folder of files says: `contracts/`, `agents/` and `policies/`, one YAML file each, prompts beside them. */
export interface Declarations {
  readonly contracts: readonly OutputContractDefinition[];
  readonly agents: readonly AgentWritten[];
  readonly policies: readonly PolicyDefinition[];
}

/** What ships, whether a folder names it or not. */
export const shippedContracts: readonly OutputContractDefinition[] = [observation, conceptualizationGraph, transcriptCorrection];
export const shippedPolicies: readonly PolicyDefinition[] = [outputRepairPolicy];

/** An agent as one writes it: the contract as `id@version`, the prompt as a file beside it. */
const agentFileSchema = z.strictObject({
  ...agentDeclaredSchema.omit({ contract: true, prompt: true, promptHash: true, fingerprint: true, learnedAdapter: true }).shape,
  learnedAdapter: agentDeclaredSchema.shape.learnedAdapter.default(null),
  contract: z.string().regex(/^[A-Za-z0-9_.-]+@[1-9][0-9]*$/),
  prompt: z.string().min(1).max(256),
});

const kinds = ['contracts', 'agents', 'policies'] as const;

/** Reads the shipped declarations and those of the folders. @throws CliError `declaration_unreadable`, `declaration_invalid` with the file */
export async function readDeclarations(folders: readonly string[]): Promise<Declarations> {
  for (const folder of folders) {
    const isOne = kinds.some((kind) => existsSync(join(folder, kind)));
    if (!isOne) throw new CliError('declaration_unreadable', folder, `a folder with ${kinds.join(', ')}, or one of them`);
  }
  const contracts = [...shippedContracts, ...(await readAll(folders, 'contracts', contractOf))];
  const refs = new Map(contracts.map((definition) => [`${definition.id}@${definition.version}`, compileContract(definition).ref]));
  return {
    contracts,
    agents: await readAll(folders, 'agents', (written, file) => agentOf(written, file, refs)),
    policies: [...shippedPolicies, ...(await readAll(folders, 'policies', policyOf))],
  };
}

async function readAll<Item>(
  folders: readonly string[],
  kind: (typeof kinds)[number],
  read: (written: unknown, file: string) => Promise<Item>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (const folder of folders) {
    const place = join(folder, kind);
    if (!existsSync(place)) continue;
    const files = (await readdir(place)).filter((name) => /\.ya?ml$/.test(name)).sort();
    for (const name of files) items.push(await read(await readYaml(join(place, name)), join(place, name)));
  }
  return items;
}

async function readYaml(file: string): Promise<unknown> {
  const text = await readText(file);
  try {
    return parse(text) as unknown;
  } catch {
    throw new CliError('declaration_invalid', file, 'YAML');
  }
}

const readText = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch(() => {
    throw new CliError('declaration_unreadable', file, 'a readable file');
  });

async function contractOf(written: unknown, file: string): Promise<OutputContractDefinition> {
  const parsed = outputContractDefinitionSchema.safeParse(written);
  if (!parsed.success) throw new CliError('declaration_invalid', file, 'id, version, schema, promptDescription');
  return parsed.data;
}

async function policyOf(written: unknown, file: string): Promise<PolicyDefinition> {
  try {
    return readPolicyDefinition(written);
  } catch {
    throw new CliError('declaration_invalid', file, 'id, version, contracts, classes, ruleIds, limits, decoder, sanitizer');
  }
}

async function agentOf(written: unknown, file: string, refs: ReadonlyMap<string, ContractRef>): Promise<AgentWritten> {
  const parsed = agentFileSchema.safeParse(written);
  if (!parsed.success)
    throw new CliError('declaration_invalid', file, parsed.error.issues.map(({ path }) => path.join('.') || 'known keys only').join(', '));
  const contract = refs.get(parsed.data.contract);
  if (!contract) throw new CliError('declaration_invalid', file, 'a contract that is shipped or in the folder');
  return { ...parsed.data, contract, prompt: await readText(join(dirname(file), parsed.data.prompt)) };
}
