import { readFileSync } from 'node:fs';
import path from 'node:path';
import { say } from './step.mjs';

// countReports.mjs FOLDER SUITE=EXITCODE … : adds up FOLDER/SUITE.json of the suites and prints one plain line, last.
// SUITE:exit=EXITCODE is a command without a report: it counts as one test.
// A suite whose report is missing, or which failed without a failed test (a check, a crash), counts as one failure more,
// so that "0 failed" never stands under a red run.

const [folder, ...suites] = process.argv.slice(2);
const total = { passed: 0, failed: 0, skipped: 0 };
for (const suite of suites) add(total, countSuite(suite));
process.stdout.write(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;

function countSuite(argument) {
  const [name, exitCode] = argument.split('=');
  const [suite, kind] = name.split(':');
  const succeeded = exitCode === '0';
  if (kind === 'exit') return { passed: succeeded ? 1 : 0, failed: succeeded ? 0 : 1, skipped: 0 };
  const counts = readReport(suite);
  if (counts === undefined) say(`${suite}: no report was written; counted as a failure`);
  const { passed = 0, failed = 0, skipped = 0 } = counts ?? { failed: 1 };
  return { passed, failed: failed === 0 && !succeeded ? 1 : failed, skipped };
}

function readReport(suite) {
  try {
    const report = JSON.parse(readFileSync(path.join(folder, `${suite}.json`), 'utf8'));
    // A file that could not be loaded has no tests to count, and is a failure all the same.
    const unloaded = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests + unloaded,
      skipped: report.numPendingTests + report.numTodoTests,
    };
  } catch {
    return undefined;
  }
}

function add(sum, counts) {
  for (const key of Object.keys(sum)) sum[key] += counts[key];
}
