/** Names on the Temporal server. */
export const TASK_QUEUE = 'countersign';

const PREFIX = 'approval-request:';

export function workflowIdOf(requestId: string): string {
  return `${PREFIX}${requestId}`;
}

/** Undefined for a workflow that is none of a request. */
export const requestIdOf = (workflowId: string): string | undefined =>
  workflowId.startsWith(PREFIX) ? workflowId.slice(PREFIX.length) : undefined;
