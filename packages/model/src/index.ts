export { type ModelMapping, parseCatalogue, readCatalogue } from './catalogueFile.js';
export * from './decisions/index.js';
export { ModelError, type ModelErrorCode, modelErrorCodes } from './errors.js';
export { openAiAdapter } from './openAiCompatible.js';
export { type OpenOptions, openModel } from './openModel.js';
export { type Model, type ModelAnswer, type ModelIdentity, type ModelRequest, type Usage, usageUnsaid } from './port.js';
export type { ModelTimers } from './timers.js';
