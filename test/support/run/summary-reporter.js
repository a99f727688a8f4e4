/** Ends every test run with one plain line for people and build servers. */
export default class SummaryReporter {
  onRunComplete(_contexts, results) {
    const broken = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    process.stdout.write(
      `\n${results.numPassedTests} passed, ${broken} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
    );
  }
}
