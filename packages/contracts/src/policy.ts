import { z } from 'zod';
import { canonicalHash } from './canonical.js';
import { issuePathMax, issuesMax, repairableClasses, ruleIdSchema } from './diagnostics.js';
import { ContractsError } from './errors.js';
import { observation } from './outputContracts/observation.js';
import { dottedIdSchema, sha256Schema, versionSchema } from './outputContracts/reference.js';
import { sanitizerVersion } from './sanitizer.js';
import { decoderVersion } from './strictJson.js';

/** What a policy says, as data. Everything that decides eligibility and can be chosen stands here; the rest is the specification's. */
export const policyDefinitionSchema = z.strictObject({
  id: dottedIdSchema,
  version: versionSchema,
  /** Contracts whose failed runs may be repaired (T46, T50). */
  contracts: z.array(z.strictObject({ id: dottedIdSchema, version: versionSchema })).max(64),
  /** A subset of the repairable classes (T26 to T28). */
  classes: z.array(z.enum(repairableClasses)).max(repairableClasses.length),
  /** Semantic rules whose breach may be repaired (T28). */
  ruleIds: z.array(ruleIdSchema).max(64),
  limits: z.strictObject({ issuesMax: z.int().min(0).max(issuesMax), issuePathMax: z.int().min(0).max(issuePathMax) }),
  decoder: z.string().max(64),
  sanitizer: z.string().max(64),
});
export type PolicyDefinition = z.infer<typeof policyDefinitionSchema>;

/** Identity = id + version + canonical SHA-256 over the definition (T9). */
export const policyIdentitySchema = z.object({ id: dottedIdSchema, version: versionSchema, hash: sha256Schema });
export type PolicyIdentity = z.infer<typeof policyIdentitySchema>;

export const policyIdentityOf = (definition: PolicyDefinition): PolicyIdentity => ({
  id: definition.id,
  version: definition.version,
  hash: canonicalHash(definition),
});

/** @throws ContractsError `policy_definition_invalid` */
export function readPolicyDefinition(written: unknown): PolicyDefinition {
  const parsed = policyDefinitionSchema.safeParse(written);
  if (parsed.success) return parsed.data;
  throw new ContractsError('policy_definition_invalid', 'id, version, contracts, classes, ruleIds, limits, decoder, sanitizer');
}

/** The policy that ships (T8). */
export const outputRepairPolicy: PolicyDefinition = {
  id: 'stream.thought.agent.output-repair',
  version: 1,
  contracts: [{ id: observation.id, version: observation.version }],
  classes: ['invalid_json', 'contract_violation', 'semantic_validation'],
  ruleIds: ['evidence-quote-verbatim'],
  limits: { issuesMax, issuePathMax },
  decoder: decoderVersion,
  sanitizer: sanitizerVersion,
};
