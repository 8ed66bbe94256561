export { coordinatorConfig } from './config.js';
export { decideEligibility, rules } from './domain/eligibility.js';
export { assembleEvidence } from './domain/evidence.js';
export { coordinatorLife } from './service.js';
