/** English texts of the queue and of a request. */
import { countText, someText } from './numbers.ts';

export const requests = {
  queueTitle: 'Requests',
  show: 'Which requests',
  tabs: { asked: 'Asked of me', mine: 'I can decide', all: 'All', decided: 'Decided' },
  count: (requests: number) => (requests >= 1_000 ? '1,000+' : countText(requests)),
  search: 'Search tool, agent, value or id',
  arrived: (requests: number) => `Show ${someText(requests, 'new request', 'new requests')}`,
  readOnly: 'read only',
  moreFailed: 'More could not be loaded. Try again',
  noMatch: 'Nothing matches',
  noMatchHint: 'Change the search or the filters.',
  emptyTabs: {
    asked: {
      title: 'You’re all caught up',
      hint: 'When an agent asks for approval and you are asked, its request appears here.',
    },
    mine: {
      title: 'Nothing to decide',
      hint: 'Requests that you can decide appear here, even if other people were asked.',
    },
    all: { title: 'No request is waiting', hint: 'All requests visible to you appear here.' },
    decided: {
      title: 'Nothing has been decided yet',
      hint: 'Requests appear here once they are decided, withdrawn or expired.',
    },
  },
  filters: {
    status: { label: 'Decision', any: 'Any decision' },
    sort: { label: 'Order', urgency: 'Most urgent first', created: 'Newest first' },
    agent: { label: 'Agent', any: 'Any agent' },
    tool: { label: 'Tool', any: 'Any tool' },
    urgency: { label: 'Urgency', any: 'Any urgency', interrupt: 'Urgent', standard: 'Not urgent' },
    claimed: {
      label: 'Claims',
      any: 'Any claim',
      me: 'Claimed by me',
      others: 'Claimed by others',
      free: 'Not claimed',
    },
  },
  choose: 'Choose a request to read it.',
  back: 'All requests',
  next: 'Next request',
  around: 'Around this request',
  placeOf: (number: number, total: number, isMore: boolean) =>
    `${countText(number)} of ${countText(total)}${isMore ? '+' : ''}`,
  opensNext: 'Open the next one after each decision',
  lastDecision: {
    approved: 'You approved the request before this one.',
    denied: 'You denied the request before this one.',
  },
  openLast: 'Open it',
  previous: 'Previous request',
  following: 'Following request',

  asks: { open: 'asks to run', decided: 'asked to run' },
  on: 'on',
  runs: 'runs',
  it: 'it',
  instance: 'Instance',
  makeRule: 'Make a rule from this',
  asked: 'Asked at',
  waiting: 'waiting',
  askedInRow: 'asked',
  urgent: 'Urgent',
  demo: 'Demo',
  tryDemo: 'Try it with a demo agent',
  identical: (calls: number) => `${calls} identical calls wait`,
  deniedBefore: 'The same call was denied',
  unread: 'The agent can no longer read the decision',
  unreadBecause: {
    credential_ended: 'The agent can no longer read the decision: its credential has ended',
    instance_disabled: 'The agent can no longer read the decision: its instance is disabled',
    agent_disabled: 'The agent can no longer read the decision: it is disabled',
    agent_archived: 'The agent can no longer read the decision: it is archived',
  },
  status: {
    pending: 'Waiting for a decision',
    approved: 'Approved',
    denied: 'Denied',
    expired: 'Expired',
    cancelled: 'Withdrawn by the agent',
  },

  /** Comes before a key in quotes. */
  argument: 'Argument',
  summary: 'Summary',
  arguments: 'All arguments',
  values: (values: number) => someText(values, 'value', 'values'),
  fold: 'Hide',
  unfold: 'Show',
  noArguments: 'The call has no arguments.',
  noContext: 'This page cannot read the context. This is its text:',
  unreadArguments: 'This page cannot read the arguments. This is their text:',
  leftOut: (values: number, hidden: number) => {
    const isHidden = hidden > 0 ? ` ${someText(hidden, 'value is', 'values are')} hidden.` : '';
    if (values > 0)
      return `The summary above leaves out ${someText(values, 'value', 'values')} of the arguments.${isHidden}`;
    return hidden > 0
      ? `The summary above names every value of the arguments.${isHidden}`
      : 'The summary above shows every value of the arguments.';
  },
  /** Where nothing is summed up. */
  hiddenValues: (hidden: number) => `${someText(hidden, 'value is', 'values are')} hidden.`,
  /** In the confirm bar. */
  unrevealed: (hidden: number) =>
    `${someText(hidden, 'hidden value was', 'hidden values were')} not opened.`,
  source: 'Show the source text',
  sourceWithHidden: 'Show it with the hidden values',
  sourceLess: 'Hide the source text',
  /** Why one cannot approve yet. The place is a JSON pointer. */
  unopened: (place: string, others: number) =>
    `Part of ${place}${others > 0 ? ` and of ${someText(others, 'other value', 'other values')}` : ''} is not shown yet. Open it before you approve.`,
  allRows: (rows: number) => `Show all ${countText(rows)} rows`,
  allLines: (lines: number) => `Show all ${countText(lines)} lines`,
  context: 'Context',
  contextHint: 'Where the call comes from, as the adapter reports it.',
  reasoning: 'The agent says (not checked)',
  reasoningHint:
    'An agent can be wrong, or misled by what it read. Base your decision on the call itself.',
  flags: (flags: number) => someText(flags, 'warning about this call', 'warnings about this call'),
  moreFlags: (flags: number) => `and ${countText(flags)} more`,

  decide: 'Your decision',
  approve: 'Approve',
  deny: 'Deny',
  approveKey: 'A',
  denyKey: 'D',
  confirm: { approved: 'Confirm approval', denied: 'Confirm denial' },
  armed: {
    approved: 'You are about to approve',
    denied: 'You are about to deny',
  },
  /** Begins the sentence of the bar. What runs and a question mark follow. */
  decides: { approved: 'Approve:', denied: 'Deny:' },
  cancel: 'Cancel',
  note: 'Note for the agent and the record (optional)',
  confirmKeys: 'Ctrl + Enter confirms. On a Mac, ⌘ + Enter.',
  changed: 'This request changed while you were deciding. Read it again before you decide.',
  notSame:
    'This page does not match the stored request. You cannot approve it here. Reload the page.',
  unreadable:
    'This page cannot read the arguments of the call. You cannot approve it here. You can deny it.',
  offline: 'You are offline. You can decide when you are back online.',
  needsNetwork: 'You are offline. This works again when you are back online.',
  signedOut: 'You are signed out. Your decision was not sent again.',
  sending: 'Sending your decision …',
  unconfirmed: {
    approved: 'Your approval was sent but is not confirmed yet. Trying again …',
    denied: 'Your denial was sent but is not confirmed yet. Trying again …',
  },
  /** The page was loaded again before a response came. */
  unknown: {
    approved:
      'Your approval was sent but is not confirmed yet. Approve again to send it again: it counts once.',
    denied:
      'Your denial was sent but is not confirmed yet. Deny again to send it again: it counts once.',
  },
  tooLate: {
    approved: 'Your approval did not count.',
    denied: 'Your denial did not count.',
  },
  by: 'by',
  byRule: 'by a rule',
  byYou: 'by you',
  outcomeNote: 'Note',
  started: (after: string) => `The agent started the call ${after} after the approval.`,
  usableUntil: 'The agent can start the call until',
  usableIfApproved: 'If you approve now, the agent can start the call until',
  results: {
    succeeded: 'The agent reported that the call succeeded.',
    failed: 'The agent reported that the call failed.',
    not_run: 'The agent reported that the call did not run.',
    refused_by_runtime: 'The runtime of the agent refused the call. It did not run.',
    ran_differently: 'The agent ran a different call than the approved one. Find out what it did.',
  },
  agentSays: 'The agent says:',
  notStarted:
    'The approval expired before the agent reported a start. The agent may no longer run the call.',
  expired: 'Expired: no one decided in time. The agent may not run it.',
  enterCode: 'Enter a code',
  cannot: {
    permission_denied:
      'You can read this request. To decide it, you need the permission request.decide.',
    mfa_required:
      'Your organization requires a second factor to decide, and this session has none.',
    request_not_routed: 'You can read this request, but it was routed to other people.',
    request_evaluating: 'Rules are still checking this request.',
    already_terminal: '',
    claim_held: '',
  },

  claim: 'Claim',
  claimKey: 'C',
  claimHint: 'Claiming pauses escalation. Others can still decide.',
  release: 'Release',
  holdsClaim: 'holds the claim',
  claimedByYou: 'You hold the claim',
  claimEnds: 'It ends',

  people: 'Who is asked',
  whyPath: 'Path',
  routing: {
    evaluating: 'Rules are still checking this request.',
    waiting: 'Waiting for a decision.',
    deferred: 'Waiting for working hours.',
    paused: 'Paused: someone holds the claim.',
    exhausted: 'Everyone on the path was asked. They can decide until the deadline.',
    unrouted: 'Everyone who may decide was asked.',
    finished: 'Closed. No one else will be asked.',
  },
  noOneAsked: 'No one on the path could be asked.',
  noOneReached: 'No message reached anyone on the path. The people on it can still decide here.',
  couldNotBeReached: 'could not be reached:',
  afterDeadline: {
    first: 'No one will be asked before it expires.',
    next: 'No one else will be asked before it expires.',
  },
  nextStep: {
    level: 'Next level',
    team: 'Next in the team',
    repeat: 'Asks again',
    exhausted: 'Path ends',
  },
  level: (number: number) => `Level ${number}`,
  levelStatus: {
    done: 'asked',
    current: 'asked now',
    upcoming: 'not yet asked',
    skipped: 'skipped',
    unreached: 'not reached',
  },
  levelTooLate: 'not before it expires',
  everyone: 'Everyone who may decide',
  mayNotDecide: 'cannot decide',
  added: 'Asked for help',

  help: 'Ask for help',
  helpTitle: 'Ask colleagues for help',
  helpHint: 'They are notified at once and may decide.',
  helpSearch: 'Find people',
  helpSend: (people: number) =>
    people === 0 ? 'Choose people' : `Ask ${someText(people, 'person', 'people')}`,
  helpDone: (people: number) => `${someText(people, 'person was', 'people were')} asked for help.`,
  helpNone: 'No one matches.',
  helpNoneLeft: 'Everyone who may decide was already asked.',
  helpMore: 'Search to find more people.',
  helpChosen: 'You will ask:',
  alreadyAsked: 'already asked',
  askedLater: 'on the path, not asked yet',
  close: 'Close',

  timeline: 'Timeline',
} as const;
