import { openSandbox, type Sandbox, type SandboxOptions } from '../src/sandbox/openSandbox.js';

export { withoutSandbox } from '../../../test/support/sandboxOfMachine.js';

/** A sandbox for another worker, or the package's own. */
export async function sandboxHere(options: SandboxOptions = {}): Promise<Sandbox> {
  const one = await openSandbox(options);
  if (one.kind !== 'ready') throw new Error(`no sandbox: ${one.code} ${one.misses.join(' ')} ${one.said}`);
  return one.sandbox;
}
