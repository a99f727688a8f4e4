/** Where global setup put the workflow bundle of this run. */
export function workflowBundlePath(): string {
  const path = process.env['TEST_WORKFLOW_BUNDLE'];
  if (path === undefined) throw new Error('the global setup has not built the workflow bundle');
  return path;
}
