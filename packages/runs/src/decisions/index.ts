export { issueLines } from './issueLines.js';
export type { PlacedEvent } from './placedEvent.js';
export { type AttemptState, type AttemptStep, decideAttempt, type PlacesSeen, runTable, stateOf } from './runTable.js';
export {
  abandonedDraft,
  type Attempt,
  type ClaimFacts,
  claimDraft,
  type EndFacts,
  endDraft,
  placesOf,
  referenceOf,
  runIn,
} from './standardRun.js';
export { withoutOutput } from './withoutOutput.js';
