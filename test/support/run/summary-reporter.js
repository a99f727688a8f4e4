import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Lines of a failure that the summary repeats: enough to tell what went wrong when a build server cuts the log before them. */
const LINES_OF_FAILURE = 25;

/** Variables in which global setup says why tests were skipped. */
const REASONS = {
  TEST_PYTHON_MISSING: 'Tests of the Python SDK were skipped',
  TEST_FRAMEWORKS_MISSING: 'Tests of these agent frameworks were skipped',
  TEST_IMAGE_MISSING: 'The test of the image (test/image) was skipped',
};

/**
 * Ends every test run with one plain line for people and build servers. With `TEST_SUMMARY`, a run also appends its counts,
 * its notes and its failed files to that file, which `.ci/run` reads. The parts of a line are separated by tabs.
 */
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const failedFiles = results.testResults.filter(({ failureMessage }) => failureMessage);
    const skipped = results.numPendingTests + results.numTodoTests;
    // A file that does not load has no tests to count.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const counts = [results.numPassedTests, failed, skipped];
    const notes = Object.entries(REASONS)
      .filter(([name]) => process.env[name])
      .map(([name, what]) => `${what}: ${process.env[name]}`);
    process.stdout.write(`\n${[sentence(counts), ...notes].join('\n')}\n`);
    if (!process.env.TEST_SUMMARY) return;
    const lines = [
      ['counts', ...counts],
      ...notes.map((note) => ['note', note]),
      ...failedFiles.flatMap(failure),
    ];
    appendFileSync(process.env.TEST_SUMMARY, lines.map((line) => `${line.join('\t')}\n`).join(''));
  }
}

const sentence = ([passed, failed, skipped]) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;

/** A failed file with the number of its failures, and the beginning of what it says. */
function failure({ testFilePath, failureMessage, numFailingTests, testExecError }) {
  const text = stripVTControlCharacters(failureMessage).trim().split('\n');
  return [
    ['file', relative(process.cwd(), testFilePath), numFailingTests + (testExecError ? 1 : 0)],
    ...text.slice(0, LINES_OF_FAILURE).map((line) => ['text', line]),
  ];
}
