import { appendFileSync } from 'node:fs';

/**
 * Ends every test run with one plain line for people and build servers. With `TEST_SUMMARY`, the line is also added to this
 * file, so that several runs can end with one summary.
 */
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const broken = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const rules = process.env.TEST_RULES === 'door' ? 'at the door' : 'in workflows';
    const browser = process.env.TEST_BROWSER === 'firefox' ? ', in Firefox' : '';
    const counts = `${results.numPassedTests} passed, ${broken} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    process.stdout.write(`\n${counts}\n`);
    if (process.env.TEST_SUMMARY)
      appendFileSync(process.env.TEST_SUMMARY, `${counts} with rules ${rules}${browser}\n`);
  }
}
