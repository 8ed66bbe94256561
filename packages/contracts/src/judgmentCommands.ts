import { z } from 'zod';
import { issueSchema } from './diagnostics.js';
import { hashTokenSchema, keyTokenSchema, verdicts } from './events/data.js';
import { privacyLevels, sourceClasses } from './privacy.js';

/** Where an authority sends its commands. Its id is taken from here, never from the body: the credential is the authority. */
export const judgmentRequestPrefix = 'svc.thought.judgments';
export const judgmentRequestSubject = (operation: 'record' | 'retract', authority: string): string =>
  `${judgmentRequestPrefix}.${operation}.${authority}`;

const outputRefSchema = z.strictObject({ kind: z.literal('output'), id: hashTokenSchema });
/** A proposal stands on the place of its run and policy, so both name it. */
const proposalRefSchema = z.strictObject({ kind: z.literal('proposal'), id: hashTokenSchema, policy: hashTokenSchema });
const judgedOutputSchema = z.discriminatedUnion('kind', [outputRefSchema, proposalRefSchema]);
export type JudgedOutput = z.infer<typeof judgedOutputSchema>;

const commandSchema = z.strictObject({
  /** The client's own id for the act: sent again, it gives the first result. */
  action: z.string().min(1).max(128),
  run: hashTokenSchema,
  producer: keyTokenSchema,
  target: z.discriminatedUnion('kind', [outputRefSchema, proposalRefSchema, z.strictObject({ kind: z.literal('run') })]),
  /** When the client says it happened: data only, never what T107 orders by. */
  claimedAt: z.iso.datetime({ precision: 3 }).optional(),
  /** Of the judgment itself; without a word it is the closest. */
  privacy: z.enum(privacyLevels).default('private'),
  sourceClass: z.enum(sourceClasses).default('restricted-source'),
});

export const recordJudgmentSchema = commandSchema.extend({
  verdict: z.enum(verdicts),
  /** The exact judgment that this one replaces (T105). */
  supersedes: hashTokenSchema.nullable().default(null),
  replacementOutput: z.json().optional(),
  prefer: z.strictObject({ preferred: judgedOutputSchema, over: judgedOutputSchema }).optional(),
  quality: z.boolean().default(false),
  externalExport: z.boolean().default(false),
});
export type RecordJudgment = z.infer<typeof recordJudgmentSchema>;
export type RecordJudgmentInput = z.input<typeof recordJudgmentSchema>;

export const retractJudgmentSchema = commandSchema.extend({ retracts: hashTokenSchema });
export type RetractJudgment = z.infer<typeof retractJudgmentSchema>;
export type RetractJudgmentInput = z.input<typeof retractJudgmentSchema>;

/** Why a command was refused. `names` is the id that would have been right, where there is one. */
export const refusalSchema = z.object({
  code: z.string().max(64),
  names: hashTokenSchema.optional(),
  issues: z.array(issueSchema).optional(),
});
export type Refusal = z.infer<typeof refusalSchema>;

export const judgmentReplySchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('recorded'), event: hashTokenSchema, n: z.int().min(1) }),
  z.object({ kind: z.literal('already_recorded'), event: hashTokenSchema, n: z.int().min(1) }),
  z.object({ kind: z.literal('refused'), reasons: z.array(refusalSchema).min(1) }),
  /** Nothing is known to be recorded: send the same command again. */
  z.object({ kind: z.literal('unavailable'), cause: z.string().max(64) }),
]);
export type JudgmentReply = z.infer<typeof judgmentReplySchema>;
