export { answerTrigger } from './answerTrigger.js';
export { appendInHand, type AppendDeps, appendTriesMax, notStored } from './appendInHand.js';
export { randomClaimant } from './claimant.js';
export { logAppender, logReader } from './logPlaces.js';
export type { AppendOutcome, EventAppender, PlaceReader } from './ports.js';
export type { StandardRunDeps, StandardRunEvents, StandardWork, Trigger, WorkEnd } from './standardWork.js';
