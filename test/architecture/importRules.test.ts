import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cruise, cruise, root, ruleNames } from './cruise.js';
import { plantedPaths, plantTree } from './plantedTree.js';
import { sourceFiles, sourceFolders } from './sourceFiles.js';

interface Planted {
  readonly rule: string;
  readonly file: string;
  readonly imports: readonly string[];
}

/** One forbidden import for each rule, and more where a rule has more than one side. Each breaks that rule and no other. */
const planted: readonly Planted[] = [
  { rule: 'contracts-imports-only-its-own', file: 'packages/contracts/src/planted.ts', imports: ['@emend/log'] },
  { rule: 'runtime-imports-only-its-own', file: 'packages/runtime/src/planted.ts', imports: ['@emend/contracts'] },
  { rule: 'log-imports-only-its-own', file: 'packages/log/src/planted.ts', imports: ['@emend/contracts'] },
  { rule: 'history-imports-only-its-own', file: 'packages/history/src/planted.ts', imports: ['@emend/log'] },
  { rule: 'model-imports-only-its-own', file: 'packages/model/src/planted.ts', imports: ['@emend/history'] },
  { rule: 'ledger-imports-only-its-own', file: 'packages/ledger/src/planted.ts', imports: ['@emend/runtime'] },
  { rule: 'overseer-imports-only-its-own', file: 'packages/overseer/src/planted.ts', imports: ['@emend/log'] },
  { rule: 'revision-imports-only-its-own', file: 'packages/revision/src/planted.ts', imports: ['@emend/overseer'] },
  { rule: 'agents-imports-only-its-own', file: 'packages/agents/src/planted.ts', imports: ['@emend/runtime'] },
  { rule: 'runs-imports-only-its-own', file: 'packages/runs/src/planted.ts', imports: ['@emend/agents'] },
  { rule: 'client-imports-only-its-own', file: 'packages/client/src/planted.ts', imports: ['@emend/history'] },
  { rule: 'package-imports-no-service', file: 'packages/cli/src/planted.ts', imports: ['@emend/coordinator'] },
  { rule: 'service-imports-no-other-service', file: 'services/coordinator/src/planted.ts', imports: ['@emend/exporter'] },
  { rule: 'service-imports-no-other-service', file: 'services/coordinator/src/domain/other.ts', imports: ['@emend/exporter'] },
  { rule: 'nobody-imports-the-outside', file: 'services/exporter/src/planted.ts', imports: ['../../../demo/src/story.js'] },
  { rule: 'own-tests-import-test-support-only', file: 'packages/history/test/planted.test.ts', imports: ['../../../demo/src/story.js'] },
  { rule: 'public-door-only', file: 'packages/cli/src/deep.ts', imports: ['../../history/src/fold.js'] },
  { rule: 'outside-uses-public-doors', file: 'test/planted.test.ts', imports: ['../packages/log/src/append.js'] },
  { rule: 'outside-uses-public-doors', file: 'demo/src/planted.ts', imports: ['../../services/coordinator/src/service.js'] },
  { rule: 'outside-uses-public-doors', file: 'bench/src/planted.ts', imports: ['../../packages/log/src/append.js'] },
  { rule: 'domain-imports-only-pure', file: 'services/coordinator/src/domain/effects.ts', imports: ['@emend/runtime'] },
  { rule: 'domain-imports-only-pure', file: 'services/coordinator/src/domain/log.ts', imports: ['@emend/log'] },
  { rule: 'domain-imports-only-pure', file: 'services/coordinator/src/domain/port.ts', imports: ['../ports.js'] },
  { rule: 'domain-imports-only-pure', file: 'services/coordinator/src/domain/model.ts', imports: ['@emend/model'] },
  { rule: 'domain-imports-only-pure', file: 'services/coordinator/src/domain/runs.ts', imports: ['@emend/runs'] },
  { rule: 'domain-without-libraries', file: 'services/coordinator/src/domain/timers.ts', imports: ['node:timers'] },
  { rule: 'domain-without-libraries', file: 'services/coordinator/src/domain/files.ts', imports: ['node:fs/promises'] },
  { rule: 'domain-without-libraries', file: 'services/coordinator/src/domain/library.ts', imports: ['zod'] },
  { rule: 'pure-package-without-effects', file: 'packages/contracts/src/effects.ts', imports: ['node:fs'] },
  { rule: 'pure-package-without-effects', file: 'packages/history/src/effects.ts', imports: ['node:process'] },
  { rule: 'pure-package-without-effects', file: 'packages/model/src/decisions/effects.ts', imports: ['node:net'] },
  { rule: 'pure-package-without-effects', file: 'packages/runs/src/decisions/effects.ts', imports: ['node:fs'] },
  { rule: 'pure-package-without-effects', file: 'packages/agents/src/failureCodes.ts', imports: ['node:fs'] },
  { rule: 'pure-package-without-effects', file: 'packages/revision/src/effects.ts', imports: ['node:timers/promises'] },
  { rule: 'adapters-behind-ports', file: 'services/coordinator/src/handlePlanted.ts', imports: ['./adapters/reader.js'] },
  { rule: 'adapters-behind-ports', file: 'services/coordinator/src/domain/adapter.ts', imports: ['../adapters/reader.js'] },
  { rule: 'nats-client-in-log-only', file: 'services/coordinator/src/adapters/nats.ts', imports: ['@nats-io/jetstream'] },
  { rule: 'nats-client-in-log-only', file: 'test/nats.test.ts', imports: ['@nats-io/jetstream'] },
  { rule: 'sqlite-in-ledger-only', file: 'services/exporter/src/adapters/sqlite.ts', imports: ['better-sqlite3'] },
  { rule: 'declared-dependency', file: 'packages/runtime/src/undeclared.ts', imports: ['left-pad'] },
  { rule: 'no-circular', file: 'packages/runtime/src/itself.ts', imports: ['./itsOther.js'] },
  { rule: 'could-not-resolve', file: 'packages/runtime/src/nowhere.ts', imports: ['./missing.js'] },
  { rule: 'could-not-resolve', file: 'packages/cli/src/pastTheDoor.ts', imports: ['@emend/log/src/append.js'] },
];

describe('the import rules, on a small tree of the same shape', () => {
  const folders: string[] = [];
  let control: Cruise;
  let broken: Cruise;
  // The other half of the circle; a circle is reported once, at its first file.
  const halves = { 'packages/runtime/src/itsOther.ts': ['./itself.js'] };

  beforeAll(async () => {
    const imports = Object.fromEntries(planted.map((row) => [row.file, row.imports]));
    const clean = await plantTree({});
    const dirty = await plantTree({ ...imports, ...halves });
    folders.push(clean, dirty);
    [control, broken] = await Promise.all([cruise({ folder: clean, paths: plantedPaths }), cruise({ folder: dirty, paths: plantedPaths })]);
  });
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

  test('find nothing where every import is allowed', () => {
    expect(control.violations).toEqual([]);
    expect(control.dependencyCount).toBeGreaterThanOrEqual(30);
  });

  test.each(planted)('$rule finds $file', ({ rule, file }) => {
    expect(broken.violations.filter(({ from }) => from === file)).toEqual([{ rule, from: file }]);
  });

  test('find nothing but what was planted', () => {
    const files = planted.map(({ file }) => file);
    expect(broken.violations.filter(({ from }) => !files.includes(from))).toEqual([]);
  });

  test('are all proven: every rule has a planted violation', () => {
    expect([...new Set(planted.map(({ rule }) => rule))].sort()).toEqual([...ruleNames()].sort());
  });
});

describe('the import rules, on our own tree', () => {
  let ours: Cruise;
  beforeAll(async () => {
    ours = await cruise({ folder: root, paths: sourceFolders() });
  });

  test('are kept', () => {
    expect(ours.violations).toEqual([]);
  });

  test('saw every source file', () => {
    const seen = new Set(ours.modules.map(({ source }) => source));
    expect(sourceFiles().filter((file) => !seen.has(file))).toEqual([]);
  });

  test('saw at least sixty modules and two dependencies for each', () => {
    const modules = ours.modules.filter(({ source }) => !source.includes('node_modules'));
    expect(modules.length).toBeGreaterThanOrEqual(60);
    expect(ours.dependencyCount).toBeGreaterThanOrEqual(2 * modules.length);
  });

  test('followed a package name to its source, and a library to its folder', () => {
    const resolved = ours.modules.flatMap(({ dependencies }) => dependencies.map((dependency) => dependency.resolved));
    expect(resolved).toContain('packages/contracts/src/index.ts');
    expect(resolved.some((file) => file.includes('node_modules/@nats-io/jetstream/'))).toBe(true);
  });
});
