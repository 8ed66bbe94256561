import { readFile } from 'node:fs/promises';
import { decoderVersion, outputRepairPolicy, type PolicyDefinition, readPolicyDefinition, sanitizerVersion } from '@emend/contracts';
import { RefusedToStart } from '@emend/runtime';

/**
 * The policy definitions that this replica has: the shipped one, or the list in a JSON file, oldest version first.
 * @throws RefusedToStart `policy_file_unreadable`, `policy_file_invalid`, `policy_ids_differ`, `policy_needs_other_decoder`
 */
export async function loadPolicies(file: string | undefined): Promise<readonly PolicyDefinition[]> {
  const definitions = file === undefined ? [outputRepairPolicy] : await readDefinitions(file);
  if (definitions.length === 0) throw new RefusedToStart('policy_file_invalid');
  if (new Set(definitions.map((policy) => policy.id)).size > 1) throw new RefusedToStart('policy_ids_differ');
  // A policy relies on what a diagnostic means; with another decoder or sanitizer its promise would be another one.
  const fits = definitions.every((policy) => policy.decoder === decoderVersion && policy.sanitizer === sanitizerVersion);
  if (!fits) throw new RefusedToStart('policy_needs_other_decoder');
  return definitions.toSorted((a, b) => a.version - b.version);
}

async function readDefinitions(file: string): Promise<readonly PolicyDefinition[]> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new RefusedToStart('policy_file_unreadable');
  });
  try {
    const written: unknown = JSON.parse(text);
    return (Array.isArray(written) ? written : [written]).map(readPolicyDefinition);
  } catch {
    throw new RefusedToStart('policy_file_invalid');
  }
}
