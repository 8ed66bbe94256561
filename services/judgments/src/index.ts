export { judgmentsConfig } from './config.js';
export { judgmentsLife } from './service.js';
