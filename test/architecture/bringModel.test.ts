import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from './cruise.js';

const folder = mkdtempSync(path.join(tmpdir(), 'emend-bring-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A folder for PATH with one program, or none. */
function pathWith(name: string, python?: string): string {
  const programs = path.join(folder, name);
  mkdirSync(programs);
  if (python === undefined) return programs;
  writeFileSync(path.join(programs, 'python3'), python);
  chmodSync(path.join(programs, 'python3'), 0o755);
  return programs;
}

/** Brings the model into a folder where it is not, as `npm run test:model` does. */
function bring(programs: string) {
  const script = (name: string): string => JSON.stringify(pathToFileURL(path.join(root, 'scripts', name)).href);
  const code = `
    import { bringModel } from ${script('model.mjs')};
    import { main } from ${script('step.mjs')};
    await main(() => bringModel({ folder: ${JSON.stringify(path.join(folder, 'model'))} }));`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', code], { env: { PATH: programs }, encoding: 'utf8' });
}

describe('bringing the model', () => {
  test.each([
    ['there is no Python', pathWith('none'), 'no Python 3.11 or newer'],
    ['Python is too old', pathWith('old', '#!/bin/sh\necho False\n'), 'no Python 3.11 or newer'],
    ['nothing can be installed', pathWith('offline', '#!/bin/sh\n[ "$1" = -c ] && echo True\n'), 'could not be installed'],
  ])('where %s ends with exit code 2 and says so', (_, programs, said) => {
    const { status, stderr } = bring(programs);
    expect(stderr).toContain(said);
    expect(stderr).toContain('what to do');
    expect(status).toBe(2);
  });
});
