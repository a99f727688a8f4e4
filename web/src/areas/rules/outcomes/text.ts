/** English texts of what rules would do. */
import { countText, someText } from '../../../shared/text/numbers.ts';

const requestsText = (count: number): string => someText(count, 'request', 'requests');

export const outcomes = {
  title: 'What would happen',
  try: 'Try',
  past: 'Past requests',
  changes: 'Changes',

  added: 'Added',
  removed: 'Deleted',
  moved: 'Moved',
  changed: 'Changed',
  defaultPath: 'Default escalation path',
  noPath: 'none',
  none: 'Nothing changes.',
  otherMembers: 'Only its name, reason or other details change.',
  notDrawn: 'These can be compared once all rules are valid.',

  week: 'Last 7 days',
  evaluated: (count: number) => requestsText(count),
  same: (count: number) => `${countText(count)} same`,
  would: {
    approve: (count: number) => `${countText(count)} would now be approved without a person`,
    deny: (count: number) => `${countText(count)} would now be denied`,
    human: (count: number) => `${countText(count)} would now go to a person`,
  },
  undetermined: (count: number) => `${countText(count)} unknown`,
  undeterminedTitle: (count: number) => `Unknown · ${countText(count)}`,
  undeterminedWhy:
    'These requests reach a rule that asks another system, and no earlier result for the same question is stored. Other systems are not asked again.',
  undeterminedAt: (count: number) => `${requestsText(count)} at`,
  ofOrganization: 'in the rules of the organization',
  ofAgent: 'in the rules of the agent',
  /** Undefined: all of last week were checked. Otherwise since when. */
  acknowledge: (count: number, since: string | undefined) =>
    `${requestsText(count)} ${since === undefined ? 'of last week' : `since ${since}`} would have run without a person. I have looked at them.`,
  working: 'Running the rules over past requests …',
  failed: 'Past requests could not be checked.',
  fix: 'Fix the problems to see the outcome of past requests.',
  noneYet: 'There were no requests in the last 7 days.',
  group: (was: string, wouldBe: string) => `${was} → ${wouldBe}`,
  verdicts: { approve: 'approved by rules', deny: 'denied by rules', human: 'sent to a person' },
  byRule: 'by',
  noRule: 'no rule decides',
  listed: (listed: number, count: number) =>
    `${countText(listed)} of ${countText(count)} are listed.`,
  endsAt: 'Page ends at',
  more: 'Continue',
  since: (at: string) => `Since ${at}`,
  openRequest: 'Open the request',
  decidedBy: 'The rule that decides is',
  becomes: (was: string, wouldBe: string) => `Was ${was}, would now be ${wouldBe}.`,
  missing: 'To check past requests, you need the permissions to read requests and to write rules.',

  missingWrite: 'To try rules, you need the permission to write them.',
  itIs: 'it is',
  sample: 'Request',
  own: 'Write one',
  tool: 'Tool',
  server: 'MCP server (optional)',
  arguments: 'Arguments as JSON',
  agentSlug: 'Agent',
  badArguments: 'The arguments must be a JSON object.',
  run: 'Try it',
  asksSystems: 'One of these rules asks another system. “Try it” asks it once, as a preview.',
  decided: 'Outcome',
  result: {
    approve: 'approves',
    deny: 'denies',
    human: 'asks a person',
    next: 'passes it on',
    enter: 'enters',
  },
  endOfBranch: 'nothing matched here: asks a person',
  endOfPipeline: 'No rule decides: a person is asked.',
  failedRule: (code: string) => `fails: ${code}`,
  absent: 'absent',
  holds: 'matches',
  holdsNot: 'does not match',
} as const;
