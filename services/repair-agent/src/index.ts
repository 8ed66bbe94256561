export { repairAgentConfig } from './config.js';
export { decideActivation, refusals, repairSubscription } from './domain/activation.js';
export { failedCodes, notGeneratedCodes } from './domain/failureCodes.js';
export { renderRepairPrompt } from './domain/repairPrompt.js';
export { repairTable } from './domain/repairTable.js';
export { repairAgentLife } from './service.js';
