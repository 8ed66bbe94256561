import type { Complaint, Validator } from '@emend/revision';
import type { CheckContext, Found } from './checks/check.js';
import { changeOf, type Correction, type Fact, factsOf } from './correction.js';
import { findingCodes } from './findingCodes.js';
import { modules } from './modules.js';

export type CorrectionValidator = Validator<Correction, Fact>;

/** The deterministic checks of a stage over one section, as validators of the engine. */
export function deterministicChain(context: CheckContext, proposals: readonly Correction[]): readonly CorrectionValidator[] {
  const checks = modules[context.module].checks.map(
    ({ id, needs, judge }): CorrectionValidator => ({
      id,
      kind: 'deterministic',
      needs,
      assess: ({ proposal }) => assessmentOf(judge(changeOf(context.section, proposal), context)),
    }),
  );
  return [...checks, duplicates(context, proposals)];
}

const assessmentOf = (found: readonly Found[]) =>
  found.length === 0 ? ({ kind: 'approved' } as const) : ({ kind: 'findings', findings: found.map(complaintOf) } as const);

const complaintOf = ({ code, evidence, constraints }: Found): Complaint => ({
  code,
  explanation: findingCodes[code].sentence,
  ...(evidence && { evidence }),
  ...(constraints && { constraints }),
});

/**
 * Whether an earlier proposal of the same reply, good by its text alone, already makes the same change. What it looks at is the
 * reply as it came and so the same under every schedule; two edits that overlap and differ are left to the application.
 */
function duplicates(context: CheckContext, proposals: readonly Correction[]): CorrectionValidator {
  const accepted: { readonly index: number; readonly segment: number; readonly after: string }[] = [];
  for (const [index, proposal] of proposals.entries()) {
    const change = changeOf(context.section, proposal);
    const known = factsOf(change);
    const applying = modules[context.module].checks.filter(({ needs }) => needs.every((fact) => known.includes(fact)));
    if (change.after !== null && applying.every(({ judge }) => judge(change, context).length === 0))
      accepted.push({ index, segment: proposal.segment, after: change.after });
  }
  return {
    id: 'duplicate',
    kind: 'deterministic',
    needs: ['span', 'effect'],
    assess({ lineage, proposal }) {
      const index = Number(lineage.root.slice(1)) - 1;
      const { after } = changeOf(context.section, proposal);
      const made = accepted.some((one) => one.index < index && one.segment === proposal.segment && one.after === after);
      return made ? assessmentOf([{ code: 'overlaps_accepted' }]) : { kind: 'approved' };
    },
  };
}
