/**
 * Whether a test that needs a sandbox is left out, and what it says then. Where CI is set it runs and fails: there, a machine
 * without one is a finding.
 */
export const withoutSandbox = (reason: string | null): readonly [boolean, string] => [
  reason !== null && process.env['CI'] === undefined,
  `no sandbox on this machine: ${reason ?? ''}`,
];
