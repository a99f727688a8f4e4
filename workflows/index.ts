/** Every workflow type the worker runs; the bundle starts here. */
export { approvalRequest } from './approval-request/workflow.ts';
