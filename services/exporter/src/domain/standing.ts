import { activeJudgments, type Dossier, proposalsOf } from '@emend/history';
import type { Standing } from './trajectory.js';

/** Why a run without a backed output has none: the states that stay at home (T127). */
export function standingOf(dossier: Dossier): Standing {
  const { started, ended } = dossier;
  if (started?.kind !== 'started' || (ended?.kind !== 'produced' && ended?.kind !== 'failed')) return 'not_ended';
  if (ended.kind === 'produced') return judgedStanding(dossier, 'original_alone');
  if (proposalsOf(dossier).length > 0) return judgedStanding(dossier, 'never_judged');
  const hasFailed = Object.values(dossier.repairs).some(({ settlement }) => settlement?.kind === 'repair_failed');
  return hasFailed ? 'repair_failed' : 'unresolved';
}

function judgedStanding(dossier: Dossier, unjudged: Standing): Standing {
  if (activeJudgments(dossier).some(({ verdict }) => verdict === 'reject')) return 'rejected';
  const hasRetracted = Object.values(dossier.chains).some(
    ({ active, links }) => active === null && links.some(({ fault }) => fault === null),
  );
  return hasRetracted ? 'retracted' : unjudged;
}
