import { openSandbox, type Sandbox, type SandboxOptions } from '../src/sandbox/openSandbox.js';

const opened = await openSandbox();

/** Why this machine has no sandbox, or null where it has one. */
export const whyNoSandbox = opened.kind === 'ready' ? null : `${opened.code} ${opened.misses.join(' ')} ${opened.said}`.trim();

/** Whether the tests that need one are left out. Where CI is set they run and fail: there, a machine without one is a finding. */
export const withoutSandbox = whyNoSandbox !== null && process.env.CI === undefined;

if (whyNoSandbox !== null) process.stderr.write(`no sandbox on this machine: ${whyNoSandbox}\n`);

/** A sandbox for another worker, or the package's own. */
export async function sandboxHere(options: SandboxOptions = {}): Promise<Sandbox> {
  const one = await openSandbox(options);
  if (one.kind !== 'ready') throw new Error(`no sandbox: ${one.code} ${one.misses.join(' ')} ${one.said}`);
  return one.sandbox;
}
