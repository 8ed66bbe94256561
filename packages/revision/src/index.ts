export {
  type Applied,
  type Apply,
  applyInOrder,
  type Disposition,
  dispositions,
  type Outcome,
  type RefusalReason,
  refusalReasons,
} from './application.js';
export type { Branch } from './branch.js';
export type { CallAnswer, CallCounts, CallPort, RevisionCall, Usage } from './callPort.js';
export type { Candidate, Lineage } from './candidate.js';
export type { Exchange, Message } from './conversation.js';
export type { DebugEntry, DebugSink } from './debug.js';
export { RevisionError } from './errors.js';
export { type RepairOutcome, repairReport } from './repairReport.js';
export { type ReplyContract, type ReplyFault, replyContract, replyFaults } from './reply.js';
export { type Revised, type RevisionRun, revise } from './revise.js';
export { effectiveBudget, effectiveProfile, type RevisionSettings } from './settings.js';
export { locateSpan } from './span.js';
export { applySpan, type SpanDocument, spanDocument, type SpanEdit, textsOf } from './spanDocument.js';
export type { Spent } from './spent.js';
export type { Feedback, RevisionStage } from './stage.js';
export { type Assessment, type Complaint, type Finding, noEffectCode, type Validator } from './validator.js';
