export { answerTrigger } from './answerTrigger.js';
export { appendInHand, type AppendDeps, appendTriesMax, notStored } from './appendInHand.js';
export { randomClaimant } from './claimant.js';
export { logAppender, logReader } from './logPlaces.js';
export type { AppendOutcome, EventAppender, PlaceReader } from './ports.js';
export { type HolderWords, type ProviderWaits, providerWaits } from './providerWaits.js';
export { type CountLost, standardRunEvents, standardRunLogFields } from './standardRunEvents.js';
export {
  type ActivationKind,
  type ActivationOutcome,
  type Decided,
  goesOn,
  type StartEvents,
  startEvents,
  startLogFields,
} from './startEvents.js';
export type { StandardRunDeps, StandardRunEvents, StandardWork, Trigger, WorkEnd } from './standardWork.js';
