/** Names on the Temporal server. */
export const TASK_QUEUE = 'countersign';

export function workflowIdOf(requestId: string): string {
  return `approval-request:${requestId}`;
}
