import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './cruise.js';

// Which registry a machine uses is its own setting; a host written down here would overrule it, or be wrong behind a mirror.
const registryHosts =
  /\b(registry\.npmjs|registry\.yarnpkg|npm[m]irror|pypi\.org|python[h]osted|proxy\.golang|sum\.golang|crates\.io|(deb|ftp|security|snapshot)\.debian|repo1?\.maven|registry-1\.docker)/;

/** What git would carry: tracked files and new ones that are not ignored. */
function repositoryFiles(): readonly string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 })
    .split('\0')
    .filter((file) => file !== '' && existsSync(path.join(root, file)) && statSync(path.join(root, file)).isFile());
}

describe('the repository', () => {
  test('has a lockfile without download addresses', () => {
    const lockfile = readFileSync(path.join(root, 'pnpm-lock.yaml'), 'utf8');
    expect(lockfile.match(/.*(https?:|tarball).*/g) ?? []).toEqual([]);
  });

  test('builds every package and service', () => {
    const solution = readFileSync(path.join(root, 'tsconfig.json'), 'utf8');
    const folders = ['packages', 'services'].flatMap((folder) => readdirSync(path.join(root, folder)).map((name) => `./${folder}/${name}`));
    expect(folders.filter((folder) => !solution.includes(`"${folder}"`))).toEqual([]);
  });

  test('leaves the suite that needs a model out of continuous integration', () => {
    const ci = readFileSync(path.join(root, '.ci', 'run'), 'utf8');
    expect(ci).toContain('test:faults');
    expect(ci).not.toMatch(/test:model|--suite model|--project model/);
  });

  test('names no registry host', () => {
    const files = repositoryFiles();
    expect(files.length).toBeGreaterThanOrEqual(60);
    expect(files.filter((file) => registryHosts.test(readFileSync(path.join(root, file), 'latin1')))).toEqual([]);
  });

  test('would find a registry host', () => {
    expect(registryHosts.test(`https://${['registry', 'npmjs', 'org'].join('.')}/zod`)).toBe(true);
  });
});
