import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from './cruise.js';

const folder = mkdtempSync(path.join(tmpdir(), 'emend-reports-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const fileThatDidNotLoad = { status: 'failed', assertionResults: [] };
const fileThatRan = { status: 'passed', assertionResults: [{}] };

function write(
  suite: string,
  counts: readonly [passed: number, failed: number, skipped: number],
  testResults: readonly unknown[] = [fileThatRan],
) {
  const [numPassedTests, numFailedTests, numPendingTests] = counts;
  writeFileSync(
    path.join(folder, `${suite}.json`),
    JSON.stringify({ numPassedTests, numFailedTests, numPendingTests, numTodoTests: 0, testResults }),
  );
}

write('green', [5, 0, 1]);
write('red', [3, 2, 0]);
write('unloaded', [3, 0, 0], [fileThatRan, fileThatDidNotLoad]);
writeFileSync(path.join(folder, 'torn.json'), '{"numPassed');

describe('the last line of continuous integration', () => {
  test.each([
    { rule: 'adds up what passed', suites: ['green=0'], line: '5 passed, 0 failed, 1 skipped', code: 0 },
    { rule: 'adds up several suites', suites: ['green=0', 'red=1'], line: '8 passed, 2 failed, 1 skipped', code: 1 },
    { rule: 'counts a failed check beside green tests', suites: ['green=1'], line: '5 passed, 1 failed, 1 skipped', code: 1 },
    { rule: 'counts a file that could not be loaded', suites: ['unloaded=1'], line: '3 passed, 1 failed, 0 skipped', code: 1 },
    { rule: 'counts a suite without a report', suites: ['crashed=1'], line: '0 passed, 1 failed, 0 skipped', code: 1 },
    {
      rule: 'counts a suite without a report that claims to be green',
      suites: ['crashed=0'],
      line: '0 passed, 1 failed, 0 skipped',
      code: 1,
    },
    { rule: 'counts a suite whose report is torn', suites: ['torn=137'], line: '0 passed, 1 failed, 0 skipped', code: 1 },
    { rule: 'counts a command without a report as one test', suites: ['bench:exit=0'], line: '1 passed, 0 failed, 0 skipped', code: 0 },
    { rule: 'counts a command that failed', suites: ['bench:exit=3', 'green=0'], line: '5 passed, 1 failed, 1 skipped', code: 1 },
    { rule: 'is red when nothing ran', suites: [], line: '0 passed, 0 failed, 0 skipped', code: 1 },
  ])('$rule', ({ suites, line, code }) => {
    const script = path.join(root, 'scripts', 'countReports.mjs');
    const result = spawnSync(process.execPath, [script, folder, ...suites], { encoding: 'utf8' });
    expect(result.stdout).toBe(`${line}\n`);
    expect(result.status).toBe(code);
  });
});
