export { systemRunTimers, type CallProvider, type RunTimers, type Upstream } from './broker/upstream.js';
export {
  notStartedCodes,
  type NotStartedCode,
  playerFailedCodes,
  type PlayerFailedCode,
  refusedCodes,
  type RefusedCode,
  runFailedCodes,
  type RunFailedCode,
  unavailableCodes,
  type UnavailableCode,
} from './failureCodes.js';
export { generateOnce, type GenerateDeps, type GenerateEvents, type GenerationEnd } from './generateOnce.js';
export { type RunLimits, runLimitsDefault } from './limits.js';
export { type PromptMessage, type PromptMessages, promptHashOf } from './prompt.js';
export { type Played, type PlayerOptions, type RecordedPlayer, recordedPlayer } from './recorded/recordedPlayer.js';
export { parseRecordings, type Recording, recordingsOfTier, type RecordingsOfTier } from './recorded/recordings.js';
export { RecordingsError, type RecordingsErrorCode, recordingsErrorCodes } from './recorded/recordingsError.js';
export { readRecordings } from './recorded/readRecordings.js';
export { type GenerationResult, type RunRecord, runSandboxedGeneration, type SandboxedGeneration } from './runSandboxedGeneration.js';
export { type Launcher, type RunningWorker, type WorkerExit } from './sandbox/launcher.js';
export {
  type OpenedSandbox,
  openSandbox,
  type Sandbox,
  type SandboxOptions,
  type Unavailable,
} from './sandbox/openSandbox.js';
export { type RunRequest, type SandboxedOptions, sandboxedModel } from './sandboxedModel.js';
export { type NestedNamespaces } from './sandbox/sandboxCommand.js';
