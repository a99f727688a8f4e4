/** Every workflow type that the worker runs. The bundle starts here. */
export { approvalRequest } from './approval-request/workflow.ts';
