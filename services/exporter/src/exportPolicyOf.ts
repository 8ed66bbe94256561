import type { CompletionWay } from '@emend/contracts';
import type { Ledger } from '@emend/ledger';
import { readDeclassification, readDestination } from './adapters/hostFiles.js';
import type { ExportPolicy } from './domain/exportPolicy.js';

export interface PolicySettings {
  readonly sourceKinds: readonly string[];
  readonly completions: readonly CompletionWay[];
  readonly declassificationFile?: string | undefined;
  readonly destinationFile?: string | undefined;
}

/** What the host allows for one folder, read once: a changed file counts from the next start. */
export async function exportPolicyOf(settings: PolicySettings, folder: string, facts: Ledger['facts']): Promise<ExportPolicy> {
  return {
    sourceKinds: settings.sourceKinds,
    completions: settings.completions,
    declassification: await readDeclassification(settings.declassificationFile),
    destination: await readDestination(settings.destinationFile, folder),
    contract: (ref) => facts.contract(ref),
  };
}
