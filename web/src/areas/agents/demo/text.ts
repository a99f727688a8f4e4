/** English texts of the page of the demo agent. */
export const demo = {
  title: 'Demo agent',
  hint: 'A support bot asks before it pays a refund, and you decide. It is a demo: no money moves.',
  what: 'Run the demo',
  whatHint:
    'This page acts as the agent. It sends a request through the public API and waits for the decision. Your rules and escalation paths apply, so the people they name are notified.',
  amount: 'Amount of the refund',
  currency: 'EUR',
  run: 'Run the demo',
  runAgain: 'Run again',
  running: 'Starting …',
  withdraw: 'Withdraw the request',
  exists:
    'The demo agent already exists. A page kept its credential in memory only, so a new run creates a credential and revokes the earlier one.',
  view: 'What the agent sees',
  nothing: 'Press “Run the demo” to watch a request from its first call to its decision.',
  sending: 'The agent sends its request',
  sent: 'The agent sent its request',
  asked: (amount: string, payment: string) => `It wants to refund ${amount} EUR of ${payment}.`,
  resumed: 'The agent continues with the pending request',
  evaluating: 'Your rules run first',
  toPerson: 'No rule decided, so people are asked',
  byRule: { approved: 'A rule approved it at once', denied: 'A rule denied it at once' },
  waiting: 'The agent waits',
  waitingHint: 'Each of its calls waits up to 20 seconds for the decision. The request expires',
  open: 'Open the request (opens in a new tab)',
  openHint: 'Decide it there as a reviewer, then come back to this page.',
  cannotDecide:
    'You cannot decide this request. Another person who was asked can, or an owner can grant you the permission “Approve and deny requests”.',
  elsewhere: 'People who can decide requests find it in their list.',
  outcome: {
    approved: 'Approved',
    denied: 'Denied',
    expired: 'Expired',
    cancelled: 'Withdrawn',
  },
  by: 'by',
  note: 'Note:',
  next: 'What the agent does now',
  does: {
    approved: (amount: string) =>
      `It runs refund_payment with exactly the arguments that were approved, and ${amount} EUR are paid. Here nothing is paid.`,
    denied: 'It does not run the call, and tells the customer why:',
    deniedSilently:
      'It does not run the call, and tells the customer that the refund was declined.',
    expired: 'It does not run the call. No decision in time counts as a denial.',
    cancelled: 'It does not run the call. A request that is withdrawn counts as a denial.',
  },
  lost: 'The agent can no longer call',
  lostHint:
    'Its credential was revoked, or the agent was paused or archived. Running the demo makes a new credential, and restores an archived agent. Resume the agent first if someone paused it.',
  retrying: 'The service is not available right now. The agent tries again.',
  calls: 'Calls that were made',
  callsHint:
    'Sent as the agent, with its credential in the Authorization header. The credential stays in the memory of this page.',
  callsLabel: 'Calls of the agent',
  columns: { path: 'Call', status: 'Response' },
  noResponse: 'none',
  toAgent: 'Page of the demo agent',
} as const;
