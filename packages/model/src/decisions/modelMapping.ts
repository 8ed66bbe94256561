/** Characters of a mapping; what a provenance may hold. */
const mappingMax = 128;

const modelId = /^[A-Za-z0-9_.:-]+(?:\/[A-Za-z0-9_.:-]+)*$/;
const tinkerPath = /^tinker:\/\/[^/\s;]+\/sampler_weights\/[^/\s;]+$/;

/**
 * Reads the escalation mapping: a model id (`org/Name`, `Name`), a Tinker path of tuned weights, or both joined by `;`.
 * Null where it is none of these.
 */
export function readModelMapping(text: string): string | null {
  if (text.length > mappingMax) return null;
  const [first = '', second, ...more] = text.split(';');
  if (more.length > 0) return null;
  if (second !== undefined) return modelId.test(first) && tinkerPath.test(second) ? text : null;
  return modelId.test(first) || tinkerPath.test(first) ? text : null;
}
