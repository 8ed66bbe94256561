export { projectorCodes } from './codes.js';
export { projectorConfig } from './config.js';
export { PROJECTION_VERSION } from './domain/generation.js';
export { projectLog, type ProjectOptions } from './projectLog.js';
export { rebuildExitCodes } from './rebuildCommand.js';
export { rebuildView, type Rebuilt } from './rebuildView.js';
export { projectorLife } from './service.js';
