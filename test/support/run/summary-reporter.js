import { appendFileSync } from 'node:fs';
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

/** Lines of a failure that the summary repeats: enough to tell what went wrong when a build server cuts the log before them. */
const LINES_OF_FAILURE = 25;

/**
 * Ends every test run with one plain line for people and build servers. With `TEST_SUMMARY`, the line is also added to this
 * file, and the failures after it, so that several runs can end with one summary.
 */
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const broken = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const rules = process.env.TEST_RULES === 'door' ? 'at the door' : 'in workflows';
    const browser = process.env.TEST_BROWSER === 'firefox' ? ', in Firefox' : '';
    const counts = `${results.numPassedTests} passed, ${broken} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    const missing = process.env.TEST_PYTHON_MISSING;
    const notes = missing ? [`Tests of the Python SDK were skipped: ${missing}`] : [];
    process.stdout.write(`\n${[counts, ...notes].join('\n')}\n`);
    if (process.env.TEST_SUMMARY)
      appendFileSync(
        process.env.TEST_SUMMARY,
        [`${counts} with rules ${rules}${browser}`, ...notes, ...failures(results), ''].join('\n'),
      );
  }
}

/** The beginning of what each failed file says, indented by two spaces or more. */
const failures = ({ testResults }) =>
  testResults
    .filter(({ failureMessage }) => failureMessage)
    .flatMap(({ testFilePath, failureMessage }) => [
      relative(process.cwd(), testFilePath),
      ...stripVTControlCharacters(failureMessage).trim().split('\n').slice(0, LINES_OF_FAILURE),
    ])
    .map((line) => `  ${line}`);
