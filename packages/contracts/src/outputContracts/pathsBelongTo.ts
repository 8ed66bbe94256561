import type { Issue } from '../diagnostics.js';
import { arrayIndex } from '../sanitizer.js';
import type { OutputContract } from './registry.js';

/** Whether every name in the issues' paths is the contract's own. A model's invention there would be its wording (T54). */
export function pathsBelongTo(contract: OutputContract, issues: readonly Issue[]): boolean {
  return issues.every((issue) =>
    issue.path
      .split('/')
      .slice(1)
      .every((name) => name === '*' || arrayIndex.test(name) || contract.propertyNames.has(name)),
  );
}
