import { z } from 'zod';
import { hashTokenSchema, keyTokenSchema, placeReferenceSchema } from './events/tokens.js';
import { contractRefSchema, sha256Schema } from './outputContracts/reference.js';

/** UTF-16 code units of one segment as it was captured. */
export const segmentTextMax = 4_000;
/** The same once it is corrected: corrections may make a text longer. */
export const correctedTextMax = 16_000;
/** Segments of one transcript: about twenty hours of speech. */
export const segmentsMax = 20_000;
/** UTF-16 code units of a speaker's name. */
export const speakerMax = 64;
/** UTF-16 code units of a language's name. */
export const languageMax = 35;
/** Terms of a glossary, and protected terms. An event's own size limit holds beside this one. */
export const termsMax = 1_000;
/** UTF-16 code units of a term. */
export const termMax = 128;
/** Corrections of one transcript. */
export const correctionsMax = 100_000;
/** UTF-16 code units of a proposer's reason. */
export const correctionReasonMax = 200;
/** Bytes of an object that holds segments as they were captured, and of one that holds a corrected transcript. */
export const capturedObjectBytesMax = 32 * 1_024 * 1_024;
export const correctedObjectBytesMax = 64 * 1_024 * 1_024;

/** Content in the object store: named by its root and its own SHA-256, and written before the event that says so. */
export const objectRefSchema = z.object({
  bucket: keyTokenSchema,
  name: z.string().regex(/^[A-Za-z0-9_-]{22}\.[0-9a-f]{64}$/),
  /** Of the bytes. Whoever reads compares. */
  hash: sha256Schema,
  bytes: z.int().min(1),
});
export type ObjectRef = z.infer<typeof objectRefSchema>;

const msSchema = z.int().min(0).nullable();
const segmentOf = (text: z.ZodString) =>
  z.object({
    speaker: z.string().min(1).max(speakerMax).nullable(),
    /** Milliseconds from the start of the recording; null where nobody knows. */
    startMs: msSchema,
    endMs: msSchema,
    text,
  });

/** One stretch of speech. Its identity is its position: `s1` for the first. */
export const spokenSegmentSchema = segmentOf(z.string().min(1).max(segmentTextMax));
export type SpokenSegment = z.infer<typeof spokenSegmentSchema>;
export const spokenSegmentsSchema = z.array(spokenSegmentSchema).min(1).max(segmentsMax);

/** The segments of a transcript: in the event where it has room for them, else an object that holds the canonical JSON of the list. */
const spokenBodySchema = z.union([
  z.object({ segments: spokenSegmentsSchema }),
  z.object({ object: objectRefSchema, segments: z.int().min(1).max(segmentsMax) }),
]);

const termsSchema = z.array(z.string().min(1).max(termMax)).max(termsMax);
const languageSchema = z.string().min(1).max(languageMax).nullable();

/** What a source says of a transcript beside its text. */
export const capturedTranscriptSchema = z.object({
  language: languageSchema.optional(),
  /** Terms as they are written, and terms that are never taken out. */
  glossary: termsSchema.optional(),
  protectedTerms: termsSchema.optional(),
  body: spokenBodySchema,
});
export type CapturedTranscript = z.infer<typeof capturedTranscriptSchema>;

const codeSchema = z.string().min(1).max(64);
const countSchema = z.int().min(0);
/** Where something happened: the stage, and the section from 1. */
const workUnit = { stage: codeSchema, section: z.int().min(1) };
const tokensSchema = countSchema.nullable();

/** One correction that is in the transcript, and where it came from. */
export const transcriptCorrectionSchema = z.object({
  ...workUnit,
  /** As the model first named it, within its stage and section; and the version that was applied. */
  proposal: codeSchema,
  version: z.int().min(1),
  segment: z.string().regex(/^s[1-9][0-9]{0,5}$/),
  original: z.string().max(segmentTextMax),
  replacement: z.string().max(segmentTextMax),
  reason: z.string().max(correctionReasonMax),
});
export type TranscriptCorrection = z.infer<typeof transcriptCorrectionSchema>;

/** One branch: references, codes and counts, and no text. */
export const repairOutcomeSchema = z.object({
  ...workUnit,
  proposal: codeSchema,
  applied: z.boolean(),
  disposition: codeSchema,
  code: codeSchema.nullable(),
  attempts: countSchema,
  structuralRepairs: countSchema,
  transportRetries: countSchema,
  usage: z.array(z.object({ promptTokens: tokensSchema, completionTokens: tokensSchema })).max(64),
});
export const notAppliedSchema = z.object({ ...workUnit, proposal: codeSchema, code: codeSchema });

const repairOutcomesSchema = z.array(repairOutcomeSchema).max(correctionsMax);
const notAppliedsSchema = z.array(notAppliedSchema).max(correctionsMax);

const callTallySchema = z.object({
  calls: countSchema,
  transportRetries: countSchema,
  /** Further calls that repaired a reply; and replies that were not read as they came. */
  structuralRepairs: countSchema,
  repairedReplies: countSchema,
  promptTokens: tokensSchema,
  completionTokens: tokensSchema,
});

/** The ordinary report: references, codes and counts, and no text. */
export const transcriptReportSchema = z.object({
  sections: countSchema,
  proposed: countSchema,
  applied: countSchema,
  /** How many branches ended in which way. */
  dispositions: z.record(codeSchema, z.int().min(1)),
  /** Every call, by what it was for. Counters are never merged. */
  calls: z.object({ proposals: callTallySchema, decisions: callTallySchema, revisions: callTallySchema }),
  /** Both are absent where the event has no room for them; then the object of the body has them. */
  repairOutcomes: repairOutcomesSchema.optional(),
  notApplied: notAppliedsSchema.optional(),
});
export type TranscriptReportWritten = z.infer<typeof transcriptReportSchema>;

export const correctedSegmentSchema = segmentOf(z.string().max(correctedTextMax));
const correctedSegmentsSchema = z.array(correctedSegmentSchema).min(1).max(segmentsMax);
const appliedSchema = z.array(transcriptCorrectionSchema).max(correctionsMax);

/** What an object holds as canonical JSON where the event has no room: everything, so that it can be read alone. */
export const correctedContentSchema = z.object({
  segments: correctedSegmentsSchema,
  corrections: appliedSchema,
  repairOutcomes: repairOutcomesSchema,
  notApplied: notAppliedsSchema,
});
export type CorrectedContent = z.infer<typeof correctedContentSchema>;

const correctedBodySchema = z.union([
  z.object({ segments: correctedSegmentsSchema, corrections: appliedSchema }),
  z.object({ object: objectRefSchema, segments: z.int().min(1).max(segmentsMax), corrections: countSchema }),
]);

/** What a run of the contract `transcript-correction@1` puts out. The contract itself judges it; this reads it. */
export const transcriptOutputSchema = z.object({ language: languageSchema, report: transcriptReportSchema, body: correctedBodySchema });
export type TranscriptOutput = z.infer<typeof transcriptOutputSchema>;

/**
 * A corrected transcript. It follows by rule from the stored end of its run: the same report and the same body, at the time of the end.
 * What a run gave is its end; this is where a program that wants transcripts alone listens.
 */
export const transcriptCorrectedSchema = transcriptOutputSchema.extend({
  producer: keyTokenSchema,
  run: hashTokenSchema,
  /** The source that was corrected. */
  trigger: placeReferenceSchema,
  /** The end that it follows from. */
  ended: hashTokenSchema,
  contract: contractRefSchema,
});
