import type { UnavailableAssessment } from './assess.js';
import type { Lineage } from './candidate.js';
import type { Message } from './conversation.js';
import type { Finding } from './validator.js';

/** One step of one branch, with every text redacted (A138). */
export type DebugEntry =
  | {
      readonly kind: 'assessed';
      readonly lineage: Lineage;
      readonly findings: readonly Finding[];
      readonly unavailable: readonly UnavailableAssessment[];
      readonly approvedBy: readonly string[];
      readonly notApplicable: readonly string[];
    }
  | {
      readonly kind: 'asked';
      readonly lineage: Lineage;
      /** 1 for the first attempt of the branch. */
      readonly attempt: number;
      readonly messages: readonly Message[];
      /** Null where no text came back. */
      readonly reply: string | null;
      /** Of a failed call or an unusable reply. */
      readonly code: string | null;
    };

/** Where attempt histories may go. There is none without a redactor; entries of different branches come in the order of the schedule. */
export interface DebugSink {
  redact(text: string): string;
  record(entry: DebugEntry): void;
}

/** Writes entries, or does nothing where there is no sink. Nothing that a sink does reaches the work (A95). */
export function debugRecorder(sink: DebugSink | undefined): (entry: DebugEntry) => void {
  if (sink === undefined) return () => {};
  return (entry) => {
    try {
      sink.record(redacted(entry, (text) => sink.redact(text)));
    } catch {
      // A sink or a redactor that fails loses this entry and nothing else.
    }
  };
}

function redacted(entry: DebugEntry, redact: (text: string) => string): DebugEntry {
  if (entry.kind === 'assessed') return { ...entry, findings: entry.findings.map((finding) => redactedFinding(finding, redact)) };
  return {
    ...entry,
    messages: entry.messages.map(({ role, content }) => ({ role, content: redact(content) })),
    reply: entry.reply === null ? null : redact(entry.reply),
  };
}

function redactedFinding({ explanation, evidence, constraints, ...rest }: Finding, redact: (text: string) => string): Finding {
  return {
    ...rest,
    explanation: redact(explanation),
    ...(evidence && { evidence: evidence.map(redact) }),
    ...(constraints && { constraints: constraints.map(redact) }),
  };
}
