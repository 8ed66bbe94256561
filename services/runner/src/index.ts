export { runnerConfig } from './config.js';
export { decideActivation, refusals } from './domain/activation.js';
export { failedCodes, notGeneratedCodes } from './domain/failureCodes.js';
export { renderRunnerPrompt } from './domain/runnerPrompt.js';
export { runnerLife } from './service.js';
