import { openSandbox } from '@emend/agents';

const opened = await openSandbox();

/** Why this machine has no sandbox, or null where it has one. */
const whyNoSandbox = opened.kind === 'ready' ? null : `${opened.code} ${opened.misses.join(' ')} ${opened.said}`.trim();

/** Whether the tests that need one are left out. Where CI is set they run and fail: there, a machine without one is a finding. */
export const withoutSandbox = whyNoSandbox !== null && process.env['CI'] === undefined;

if (whyNoSandbox !== null) process.stderr.write(`no sandbox on this machine: ${whyNoSandbox}\n`);
