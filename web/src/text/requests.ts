/** English texts of the queue and of a request. */
export const requests = {
  queueTitle: 'Requests',
  empty: 'Nothing waits for you',
  emptyHint: 'When an agent asks for approval, its request appears here.',
  agentAsks: (agent: string) => `${agent} asks to run`,
  arguments: 'Arguments',
  approve: 'Approve',
  deny: 'Deny',
  confirmApprove: (tool: string) => `Approve ${tool}`,
  confirmDeny: (tool: string) => `Deny ${tool}`,
  cancel: 'Cancel',
  note: 'Note for the agent and the record (optional)',
  back: 'All requests',
  decided: { approved: 'Approved', denied: 'Denied', expired: 'Expired', cancelled: 'Cancelled' },
  pending: 'Pending',
} as const;
