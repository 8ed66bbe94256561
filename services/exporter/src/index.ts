export { exporterConfig } from './config.js';
export { candidatesOf } from './domain/candidates.js';
export { decideExport } from './domain/decideExport.js';
export { gates } from './domain/gates.js';
export { exporterLife } from './service.js';
