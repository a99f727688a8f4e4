/** The workflow code as one file, as the worker loads it. */
import { bundleWorkflowCode } from '@temporalio/worker';

/** `entry`: the path of workflows/index, `.ts` in the source tree and `.js` in a build. */
export async function bundleWorkflows(entry: string): Promise<string> {
  const silent = () => undefined;
  const logger = {
    log: silent,
    trace: silent,
    debug: silent,
    info: silent,
    warn: silent,
    error: silent,
  };
  const { code } = await bundleWorkflowCode({ workflowsPath: entry, logger });
  return code;
}
