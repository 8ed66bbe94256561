import {
  canonicalBytes,
  type CorrectedContent,
  correctedObjectBytesMax,
  type ObjectRef,
  outputBytesMax,
  type TranscriptOutput,
  type TranscriptReportWritten,
} from '@emend/contracts';
import type { CorrectionEnd, TranscriptReport } from './correctedTranscript.js';

export type Corrected = Extract<CorrectionEnd, { kind: 'corrected' }>;

/** The output of a run: whole, or with what there was no room for in an object that is stored first. */
export type OutputWritten =
  | { readonly kind: 'inline'; readonly output: TranscriptOutput }
  | { readonly kind: 'beside'; readonly bytes: Uint8Array; readonly outputWith: (object: ObjectRef) => TranscriptOutput }
  /** More than an object may have. */
  | { readonly kind: 'too_large' };

/**
 * Writes what came of a transcript. The lists of the report stay in the event for as long as it has room for them; an object holds
 * everything, so that it can be read alone.
 */
export function writeOutput({ segments, corrections, report }: Corrected, language: string | null): OutputWritten {
  const content: CorrectedContent = {
    segments: segments.map(({ speaker, startMs, endMs, text }) => ({ speaker, startMs, endMs, text })),
    corrections: [...corrections],
    ...listsOf(report),
  };
  const counts = countsOf(report);
  const full = { ...counts, ...listsOf(report) };
  const inline: TranscriptOutput = {
    language,
    report: full,
    body: { segments: content.segments, corrections: content.corrections },
  };
  if (fits(inline)) return { kind: 'inline', output: inline };
  const bytes = canonicalBytes(content);
  if (bytes.byteLength > correctedObjectBytesMax) return { kind: 'too_large' };
  return {
    kind: 'beside',
    bytes,
    outputWith(object) {
      const output = { language, body: { object, segments: segments.length, corrections: corrections.length } };
      const listed = { ...output, report: full };
      return fits(listed) ? listed : { ...output, report: counts };
    },
  };
}

const fits = (output: TranscriptOutput): boolean => canonicalBytes(output).byteLength <= outputBytesMax;

const listsOf = ({ repairOutcomes, notApplied }: TranscriptReport): Pick<CorrectedContent, 'repairOutcomes' | 'notApplied'> => ({
  repairOutcomes: repairOutcomes.map((outcome) => ({ ...outcome, usage: [...outcome.usage] })),
  notApplied: [...notApplied],
});

const countsOf = (report: TranscriptReport): TranscriptReportWritten => ({
  sections: report.sections,
  proposed: report.proposed,
  applied: report.applied,
  dispositions: dispositionsOf(report),
  calls: report.calls,
});

/** Every proposal once: applied at once or revised, not applied for its place, or as its branch ended. */
function dispositionsOf({ applied, repairOutcomes, notApplied }: TranscriptReport): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  const add = (disposition: string, count: number): void => void counts.set(disposition, (counts.get(disposition) ?? 0) + count);
  add('approved_applied', applied);
  add('approved_not_applied', notApplied.length);
  for (const { disposition } of repairOutcomes) if (disposition !== 'approved_applied') add(disposition, 1);
  return Object.fromEntries([...counts].filter(([, count]) => count > 0));
}
