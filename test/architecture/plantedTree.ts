import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const packages = ['contracts', 'history', 'log', 'ledger', 'runtime', 'model', 'agents', 'overseer', 'revision', 'runs', 'client', 'cli'];
const services = ['coordinator', 'exporter'];
const libraries = ['@nats-io/jetstream', 'better-sqlite3', 'zod'];
/** Known to the root alone: what a deployed package would miss. */
const undeclared = 'left-pad';

/** Imports that the rules allow, one file each: the control, in which nothing is found. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  'packages/contracts/src/hash.ts': ['node:crypto', 'zod'],
  'packages/history/src/fold.ts': ['@emend/contracts'],
  'packages/log/src/append.ts': ['@nats-io/jetstream'],
  'packages/log/test/append.test.ts': ['../src/append.js'],
  'packages/ledger/src/fold.ts': ['@emend/history', '@emend/log', '@emend/contracts', 'better-sqlite3'],
  'packages/client/src/capture.ts': ['@emend/contracts', '@emend/log'],
  'packages/cli/src/explain.ts': ['@emend/client', '@emend/runtime', '@emend/ledger'],
  'services/coordinator/src/ports.ts': [],
  'services/coordinator/src/adapters/reader.ts': ['@emend/log', '../ports.js'],
  'services/coordinator/src/domain/decide.ts': ['@emend/contracts', '@emend/history', './rules.js'],
  'services/coordinator/src/domain/rules.ts': [],
  'services/coordinator/src/domain/codes.ts': ['@emend/model/decisions', '@emend/runs/decisions'],
  'packages/runs/src/decisions/index.ts': ['@emend/contracts'],
  'packages/model/src/decisions/index.ts': ['@emend/contracts', 'zod'],
  'services/coordinator/src/handleEnded.ts': ['./domain/decide.js', './ports.js'],
  'services/coordinator/src/service.ts': ['./handleEnded.js', './adapters/reader.js', '@emend/runtime'],
  'demo/src/story.ts': ['@emend/client', '@emend/coordinator'],
  'bench/src/log.ts': ['@nats-io/jetstream', '@emend/log'],
  'packages/history/test/fold.test.ts': ['../src/fold.js', '../../../test/support/story.js'],
  'test/support/story.ts': ['@emend/contracts'],
  'test/journey.test.ts': ['@emend/log', 'better-sqlite3'],
};

export const plantedPaths = ['packages', 'services', 'test', 'demo', 'bench'];

/** Writes a small workspace of the same shape as ours, with the allowed imports and the given ones. */
export async function plantTree(planted: Readonly<Record<string, readonly string[]>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'emend-imports-'));
  await writeManifest(folder, '.', { name: 'planted', dependencies: [...ours(), ...libraries, undeclared] });
  for (const name of packages) await writeWorkspace(folder, `packages/${name}`);
  for (const name of services) await writeWorkspace(folder, `services/${name}`);
  for (const name of [...libraries, undeclared]) await writeLibrary(folder, name);
  for (const [file, imports] of Object.entries({ ...allowed, ...planted })) await writeSource(folder, file, imports);
  return folder;
}

function ours(): readonly string[] {
  return [...packages, ...services].map((name) => `@emend/${name}`);
}

async function writeWorkspace(folder: string, place: string): Promise<void> {
  const name = `@emend/${path.basename(place)}`;
  await writeManifest(folder, place, {
    name,
    exports: { '.': { 'emend:source': './src/index.ts' }, './decisions': { 'emend:source': './src/decisions/index.ts' } },
    dependencies: [...ours(), ...libraries],
  });
  await writeSource(folder, `${place}/src/index.ts`, []);
  await mkdir(path.join(folder, 'node_modules/@emend'), { recursive: true });
  await symlink(path.join(folder, place), path.join(folder, 'node_modules', name));
}

async function writeLibrary(folder: string, name: string): Promise<void> {
  await writeManifest(folder, `node_modules/${name}`, { name, exports: { '.': './index.js' }, dependencies: [] });
  await writeFile(path.join(folder, 'node_modules', name, 'index.js'), 'export const library = 1;\n');
}

interface Manifest {
  readonly name: string;
  readonly exports?: unknown;
  readonly dependencies: readonly string[];
}

async function writeManifest(folder: string, place: string, manifest: Manifest): Promise<void> {
  const dependencies = Object.fromEntries(manifest.dependencies.map((name) => [name, '1.0.0']));
  await mkdir(path.join(folder, place), { recursive: true });
  await writeFile(path.join(folder, place, 'package.json'), JSON.stringify({ type: 'module', ...manifest, dependencies }));
}

async function writeSource(folder: string, file: string, imports: readonly string[]): Promise<void> {
  const lines = [...imports.map((specifier) => `import '${specifier}';`), 'export const here = 1;', ''];
  await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
  await writeFile(path.join(folder, file), lines.join('\n'));
}
