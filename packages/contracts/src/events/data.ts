import { z } from 'zod';
import { issueSchema, repairableClasses, ruleIdSchema } from '../diagnostics.js';
import { isJson, isPlainObject, jsonValueSchema } from '../json.js';
import { outputContractDefinitionSchema } from '../outputContracts/registry.js';
import { contractRefSchema, dottedIdSchema, sha256Schema, versionSchema } from '../outputContracts/reference.js';
import { policyDefinitionSchema, policyIdentitySchema } from '../policy.js';
import { privacyLevels } from '../privacy.js';
import { capturedTranscriptSchema } from '../transcripts.js';
import { hashTokenSchema, keyTokenSchema, placeReferenceSchema, referenceSchema } from './tokens.js';

export { hashTokenSchema, keyTokenSchema, placeReferenceSchema, referenceSchema } from './tokens.js';

/** UTF-8 bytes would be dearer to count; an event's own size limit holds beside this one. */
export const sourceTextMax = 32_000;
export const promptTextMax = 32_000;

const timeSchema = z.iso.datetime({ precision: 3 });
const outputSchema = jsonValueSchema;

/** A diagnostic as it was stored, whole: `checkDiagnostic` judges it, and nothing may be lost before. */
const storedDiagnosticSchema = z
  .unknown()
  .refine((value) => isPlainObject(value) && isJson(value) && typeof value['class'] === 'string' && value['class'].length <= 64)
  .meta({ type: 'object', properties: { class: { type: 'string', maxLength: 64 } }, required: ['class'] }) as unknown as z.ZodType<{
  readonly class: string;
  readonly [name: string]: unknown;
}>;

export const learnedAdapterSchema = z.object({
  id: keyTokenSchema,
  privacy: z.enum(privacyLevels),
  exportPolicy: z.enum(['allowed', 'forbidden']),
});
export type LearnedAdapter = z.infer<typeof learnedAdapterSchema>;

/** What ran: kept apart for the original and the repair (T69 to T72, T93). */
export const provenanceSchema = z.object({
  provider: z.string().min(1).max(64),
  model: z.string().min(1).max(128),
  executionAdapter: z.string().min(1).max(64),
  learnedAdapter: learnedAdapterSchema.nullable(),
  catalog: z.object({ digest: sha256Schema, generation: z.int().min(0) }),
});
export type Provenance = z.infer<typeof provenanceSchema>;

/** The exact declaration a run was made from (T20 to T22). */
export const agentRefSchema = z.object({
  id: dottedIdSchema,
  version: versionSchema,
  fingerprint: sha256Schema,
  promptHash: sha256Schema,
});
export type AgentRef = z.infer<typeof agentRefSchema>;

/** On the events of a repair run: which request it answers. `run` is the failed run, never this one. */
export const repairOfSchema = z.object({ request: hashTokenSchema, run: hashTokenSchema, policy: hashTokenSchema });
export type RepairOf = z.infer<typeof repairOfSchema>;

export const sourceCapturedSchema = z.object({
  producer: keyTokenSchema,
  capture: keyTokenSchema,
  kind: keyTokenSchema,
  /** Of a transcript: the text of its segments, or where they are in an object one sentence with their count. */
  text: z.string().max(sourceTextMax),
  /** Of a transcript: who said what when, and which terms it knows. */
  transcript: capturedTranscriptSchema.optional(),
});

export const contractDeclaredSchema = z.object({ definition: outputContractDefinitionSchema, hash: sha256Schema });

export const agentDeclaredSchema = z.object({
  id: dottedIdSchema,
  version: versionSchema,
  role: z.enum(['standard', 'repair']),
  tier: keyTokenSchema,
  subscriptions: z.array(z.string().min(1).max(128)).max(16),
  contract: contractRefSchema,
  prompt: z.string().max(promptTextMax),
  promptHash: sha256Schema,
  /** What a derived event may be at most, where all its inputs are public. */
  outputPrivacy: z.enum(privacyLevels),
  learnedAdapter: learnedAdapterSchema.nullable(),
  limits: z.object({ outputTokensMax: z.int().min(1), generationMs: z.int().min(1) }),
  enabled: z.boolean(),
  fingerprint: sha256Schema,
});
export type AgentDeclared = z.infer<typeof agentDeclaredSchema>;

export const policyDeclaredSchema = z.object({ definition: policyDefinitionSchema, hash: sha256Schema });

const runSchema = z.object({
  producer: keyTokenSchema,
  reference: referenceSchema,
  run: hashTokenSchema,
  /** The event that the run answers. */
  trigger: placeReferenceSchema,
  agent: agentRefSchema,
  contract: contractRefSchema,
  repair: repairOfSchema.optional(),
});

/**
 * What the sandbox of a run was made of, as SHA-256: the command with its limits and mounts, the system-call filter, the Node binary
 * and the worker. Four, so that two runs can be told apart by the part that changed.
 */
export const sandboxDigestsSchema = z.object({
  command: sha256Schema,
  filter: sha256Schema,
  node: sha256Schema,
  worker: sha256Schema,
});
export type SandboxDigests = z.infer<typeof sandboxDigestsSchema>;

/** The claim and the context manifest of a run (T51). */
export const runStartedSchema = runSchema.extend({
  role: z.enum(['standard', 'repair']),
  model: provenanceSchema,
  manifest: z.object({
    sources: z.array(placeReferenceSchema).max(64),
    promptHash: sha256Schema.optional(),
    /** Absent where the run was not sandboxed, or its writer is older than the member. */
    sandbox: sandboxDigestsSchema.optional(),
  }),
  /** 128 random bits per delivery: only the process whose claimant is stored may call the model. */
  claimant: hashTokenSchema.optional(),
});

/** How an output came to be valid: as the model wrote it, decoded with edits, or by the one overseer call. */
export const completions = ['exact', 'repaired', 'overseen'] as const;
export type CompletionWay = (typeof completions)[number];

/** How often the decoder made one edit. A code and a count: what was edited is never said. */
export const editCountSchema = z.object({ code: z.string().min(1).max(64), count: z.int().min(1) });
export type EditCount = z.infer<typeof editCountSchema>;

/** Calls made for one run, those that failed included. Absent where its writer does not count them. */
export const callCountsSchema = z.object({ primary: z.int().min(0), overseer: z.int().min(0) });
export type CallCounts = z.infer<typeof callCountsSchema>;

/** Issues of a refusal; its count says how many there were. */
export const refusedIssuesMax = 8;

/** What an output was refused for, as the next prompt says it: a part of a diagnostic, and as clean (T54). */
export const refusedForSchema = z.object({
  class: z.enum(repairableClasses),
  ruleId: ruleIdSchema.optional(),
  issues: z.array(issueSchema).max(refusedIssuesMax),
  issueCount: z.int().min(0),
});
export type RefusedFor = z.infer<typeof refusedForSchema>;

/**
 * One further invocation under one claim: what the output before it was refused for, and the hash of its prompt, which can be rendered
 * from that. Absent where there was none. The last one's prompt is what the end answers; without one it is the claim's.
 */
export const retrySchema = z.object({ refused: refusedForSchema, promptHash: sha256Schema });
export type Retry = z.infer<typeof retrySchema>;

/** An accepted output with its contract's identity (T52). */
export const outputProducedSchema = runSchema.extend({
  started: hashTokenSchema,
  output: outputSchema,
  completion: z.enum(completions),
  /** Of a `repaired` output: each code once. */
  edits: z.array(editCountSchema).max(32).optional(),
  calls: callCountsSchema.optional(),
  retries: z.array(retrySchema).max(16).optional(),
});

/** A terminal failure. `diagnostic` is read with `checkDiagnostic` and trusted no further. */
export const runFailedSchema = runSchema.extend({
  /** Absent where the run ended before its claim was stored. */
  started: hashTokenSchema.optional(),
  diagnostic: storedDiagnosticSchema,
  calls: callCountsSchema.optional(),
  retries: z.array(retrySchema).max(16).optional(),
});

export const repairRequestedSchema = z.object({
  /** Whose run it is: with it, every event of the run can be read by its place. */
  producer: keyTokenSchema,
  run: hashTokenSchema,
  policy: policyIdentitySchema,
  failed: hashTokenSchema,
  started: hashTokenSchema,
  trigger: placeReferenceSchema,
  declaration: hashTokenSchema,
  agent: agentRefSchema,
  contract: contractRefSchema,
  model: provenanceSchema,
  diagnostic: storedDiagnosticSchema,
});
export type RepairRequested = z.infer<typeof repairRequestedSchema>;

export const correctionProposedSchema = z.object({
  run: hashTokenSchema,
  policy: hashTokenSchema,
  request: hashTokenSchema,
  repairRun: hashTokenSchema,
  started: hashTokenSchema,
  failed: hashTokenSchema,
  trigger: placeReferenceSchema,
  contract: contractRefSchema,
  original: provenanceSchema,
  repair: provenanceSchema,
  output: outputSchema,
});

export const verdicts = ['accept', 'correct', 'reject', 'prefer'] as const;
export type Verdict = (typeof verdicts)[number];

/** What a judgment is about. `id` is an event's, or for `run` the run's own. */
export const judgmentTargetSchema = z.object({ kind: z.enum(['output', 'proposal', 'run']), id: hashTokenSchema });
export type JudgmentTarget = z.infer<typeof judgmentTargetSchema>;

const chainLinkSchema = z.object({
  run: hashTokenSchema,
  chain: hashTokenSchema,
  n: z.int().min(1).max(1_000_000),
  authority: keyTokenSchema,
  target: judgmentTargetSchema,
  /** The client's own id for the act: data, looked up along the chain. */
  action: z.string().min(1).max(128),
  /** When the service observed it; what T107 orders by. */
  observedAt: timeSchema,
  /** When the client says it happened: data only. */
  claimedAt: timeSchema.optional(),
});

export const judgmentRecordedSchema = chainLinkSchema.extend({
  verdict: z.enum(verdicts),
  supersedes: hashTokenSchema.nullable(),
  replacementOutput: outputSchema.optional(),
  prefer: z.object({ preferred: hashTokenSchema, over: hashTokenSchema }).optional(),
  quality: z.boolean(),
  externalExport: z.boolean(),
});

export const judgmentRetractedSchema = chainLinkSchema.extend({ retracts: hashTokenSchema });

/** What erasure leaves on a place. */
export const erasedSchema = z.object({ place: z.string().min(1).max(512) });
