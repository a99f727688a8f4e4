/** English texts of the events in a request's timeline. */
type Data = Readonly<Record<string, unknown>>;

const words = (value: unknown): string => (typeof value === 'string' ? value : '');

/** An agent may let another of its instances continue a request. */
const byOther = (data: Data): string =>
  words(data['requested_by_instance_name']) === ''
    ? ''
    : ` from ${words(data['agent_instance_name'])}; ${words(data['requested_by_instance_name'])} had asked`;

const RESULTS: Readonly<Record<string, string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  not_run: 'did not run',
  refused_by_runtime: 'was refused by its runtime',
  ran_differently: 'ran with different arguments',
};

/** What happened, by the event's type without `approval_request.`. Names of actors come before it. */
const EVENTS: Readonly<Record<string, (data: Data) => string>> = {
  created: () => 'asked for approval',
  pipeline_concluded: () => 'Rules finished',
  routed: () => 'Routed to people',
  block_attempt_begun: () => 'Started asking another system',
  block_asked: ({ status_code: status, error_code: code, error_cause: cause }) =>
    `Asked another system${words(code) === '' ? '' : `, which failed: ${words(code)}`}${words(cause) === '' ? '' : ` (${words(cause)})`}${typeof status === 'number' ? ` (HTTP ${status})` : ''}`,
  judged: ({ outcome }) => `The judge’s result: ${words(outcome)}`,
  level_notified: () => 'Notified',
  level_skipped: ({ reason }) =>
    reason === 'nobody_left'
      ? 'Left a level: the people asked there can no longer decide'
      : 'Skipped a level with no one to ask',
  level_unreached: () => 'Left a level at once: no message reached anyone there',
  urgency_raised: () => 'Raised the urgency',
  deferred: ({ ends_after_deadline: late }) =>
    late === true
      ? 'Waiting for working hours. These begin after the deadline, so no one else will be asked in time'
      : 'Waiting for working hours',
  condition_failed: ({ code }) =>
    code === 'condition_too_costly'
      ? 'A condition was too complex to check, and counts as no match'
      : 'A condition could not be checked, and counts as no match',
  branch_taken: () => 'Followed a branch of the path',
  path_repeated: () => 'Started the path again',
  path_exhausted: () => 'Reached the end of the path',
  team_policy_repeated: () => 'Asked the team again',
  team_policy_exhausted: () => 'Asked everyone in the team',
  unreachable: ({ told, reason }) => {
    const why =
      reason === 'not_reached'
        ? 'No message reached anyone who can decide, and no one else will be asked'
        : 'No one who was asked can decide any more, and no one else will be asked';
    return Array.isArray(told) && told.length > 0
      ? `${why}. Notified the owners:`
      : `${why}. There is no owner to notify`;
  },
  reviewers_added: () => 'asked colleagues for help',
  claimed: () => 'claimed it',
  claim_released: () => 'released the claim',
  revealed: () => 'looked at hidden values',
  claim_lapsed: ({ told }) =>
    Array.isArray(told) && told.length > 0 ? 'The claim expired. Notified:' : 'The claim expired',
  approved: ({ block_id: rule }) => (words(rule) === '' ? 'approved it' : 'Approved'),
  denied: ({ block_id: rule }) => (words(rule) === '' ? 'denied it' : 'Denied'),
  expired: () => 'The deadline passed',
  cancelled: (data) => `withdrew it${byOther(data)}`,
  started: (data) => `started the call${byOther(data)}`,
  result_reported: ({ outcome }) => `reported that the call ${RESULTS[words(outcome)] ?? 'ended'}`,
  ran_differently: () => 'ran a different call than the approved one',
};

export const timeline = {
  workflow: 'Its workflow in Temporal',
  /** An unknown type, of a newer service, is shown by its name. */
  event: (type: string, data: Data): string => {
    const name = type.replace(/^approval_request\./, '');
    return EVENTS[name]?.(data) ?? name.replaceAll('_', ' ');
  },
  /** Before the names of people that no message reached. */
  couldNotReach: 'Could not reach',
  /** Whether rules say this. */
  isVerdict: (type: string): boolean =>
    /\.(?:routed|approved|denied|pipeline_concluded)$/.test(type),
  /** Comes before the name of a rule. */
  byRule: 'by the rule',
  earlier: (events: number) => `Show earlier events (${events})`,
} as const;
