import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';

export const root = path.resolve(import.meta.dirname, '../..');
export const configFile = path.join(root, '.dependency-cruiser.cjs');

export interface Violation {
  readonly rule: string;
  readonly from: string;
}

export interface CruisedModule {
  readonly source: string;
  readonly dependencies: readonly { readonly resolved: string; readonly module: string }[];
}

export interface Cruise {
  readonly violations: readonly Violation[];
  readonly modules: readonly CruisedModule[];
  readonly dependencyCount: number;
}

/** Looks at a tree with the rules of this repository, by the same command as the check does. */
export async function cruise({ folder, paths }: { readonly folder: string; readonly paths: readonly string[] }): Promise<Cruise> {
  const command = path.join(root, 'node_modules', '.bin', 'depcruise');
  const args = ['--config', configFile, '--output-type', 'json', ...paths];
  // With this output the command ends with 0 whatever it found.
  const { stdout } = await promisify(execFile)(command, args, { cwd: folder, maxBuffer: 64 * 1024 * 1024 });
  const report = JSON.parse(stdout) as Report;
  return {
    modules: report.modules,
    dependencyCount: report.summary.totalDependenciesCruised,
    violations: report.summary.violations.map((violation) => ({ rule: violation.rule.name, from: violation.from })),
  };
}

/** The names of all rules, in the order of the configuration. */
export function ruleNames(): readonly string[] {
  const config = createRequire(import.meta.url)(configFile) as { forbidden: readonly { name: string }[] };
  return config.forbidden.map(({ name }) => name);
}

interface Report {
  readonly modules: readonly CruisedModule[];
  readonly summary: {
    readonly totalDependenciesCruised: number;
    readonly violations: readonly { readonly rule: { readonly name: string }; readonly from: string }[];
  };
}
