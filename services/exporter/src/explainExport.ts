import type { Dossier } from '@emend/history';
import { candidatesOf } from './domain/candidates.js';
import { decideExport, verdictsOn } from './domain/decideExport.js';
import type { ExportPolicy } from './domain/exportPolicy.js';
import { gates } from './domain/gates.js';

/** One candidate with what each gate says of it. */
export interface ExplainedCandidate {
  /** A trajectory type, or where the run stands instead. */
  readonly candidate: string;
  readonly exported: boolean;
  readonly gates: readonly {
    readonly gate: string;
    readonly verdict: 'pass' | 'refuse' | 'undecided';
    readonly codes: readonly string[];
  }[];
}

/** "Why was this not exported?": the same pure decision, asked about one run. */
export const explainExport = (dossier: Dossier, policy: ExportPolicy): readonly ExplainedCandidate[] =>
  candidatesOf(dossier).map((candidate) => ({
    candidate: candidate.kind === 'nothing' ? candidate.standing : candidate.type,
    exported: decideExport(candidate, policy).kind === 'export',
    gates: verdictsOn(candidate, policy).map(({ gate, verdict }) => ({
      gate,
      verdict: verdict.kind,
      codes: verdict.kind === 'refuse' ? verdict.codes : [],
    })),
  }));

export function explanationText(run: string, explained: readonly ExplainedCandidate[]): string {
  return explained
    .flatMap(({ candidate, exported, gates: verdicts }) => [
      `${run} ${candidate}: ${exported ? 'exported' : 'withheld'}`,
      ...verdicts.map(
        ({ gate, verdict, codes }) => `  ${gate} ${[verdict, ...codes].join(' ')}${verdict === 'refuse' ? `: ${sentenceOf(gate)}` : ''}`,
      ),
    ])
    .join('\n');
}

const sentenceOf = (gate: string): string => gates.find(({ id }) => id === gate)?.sentence ?? '';
