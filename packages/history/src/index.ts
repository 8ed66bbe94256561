export { activeJudgments, byObservation } from './activeJudgments.js';
export { judgmentContentOf } from './chains.js';
export * from './dossier.js';
export {
  type EffectiveRow,
  type EffectiveStatus,
  effectiveRowText,
  type PublicEvidence,
  publicEvidence,
  selectEffective,
} from './effective.js';
export { evolveDossier, type FoldedEvent, foldStep, type FoldStep } from './evolve.js';
export { type FaultCode, faults } from './faults.js';
export { FactsSoFar, type KnownFacts, learnContract, type SourceFact, sourceFactOf } from './facts.js';
export { isContested, type ReviewItem, type ReviewRow, reviewRowOf, reviewRowText } from './review.js';
export { checkOutput } from './runRules.js';
