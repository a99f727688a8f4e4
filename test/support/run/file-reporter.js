import { DefaultReporter, VerboseReporter } from '@jest/reporters';

/**
 * Reports each file when it ends, and each test where one file runs. At each test, Jest counts those of all running files
 * again, which took 30 s of a processor. Only a terminal shows these counts.
 */
export default function FileReporter(config, ...given) {
  const Reporter = config.verbose ? VerboseReporter : DefaultReporter;
  const reporter = new Reporter(config, ...given);
  if (!process.stdout.isTTY) reporter.onTestCaseResult = () => undefined;
  return reporter;
}
