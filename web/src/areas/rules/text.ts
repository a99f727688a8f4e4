/** English texts of the pages about rules. */
import { countText, someText } from '../../shared/text/numbers.ts';

const rulesText = (count: number): string => someText(count, 'rule', 'rules');

export const rules = {
  title: 'Rules',
  organizationTitle: 'Rules of the organization',
  agentTitle: 'Rules of',
  organization: 'Organization',
  order: 'The order in which rules run',
  rulesText,
  ownRules: 'each agent’s own rules',
  person: 'a person',
  active: (revision: number) => `Revision ${countText(revision)} is active`,
  activatedBy: 'activated by',
  asked: {
    organization: 'These rules run first, for every agent.',
    agent: 'These rules run for this agent, after the rules of the organization.',
  },
  askedFirst: 'These run first: the rules of the organization',
  editOrganization: 'Open them',
  organizationEmpty: 'The organization has no rules. Every request reaches the rules below.',
  organizationUnread:
    'You cannot read the rules of the organization. They may decide some requests before these rules run.',
  decidesAll: 'decides every request, so the rules of agents never run.',
  showAll: (count: number) => `Show all ${rulesText(count)}`,
  moreThere: 'The others are on the page of the organization.',

  list: 'Rules in the order in which they run',
  number: (position: number) => `Rule ${countText(position)}`,
  edit: 'Edit',
  done: 'Done',
  on: (name: string) => `${name} is on`,
  off: 'off',
  onLabel: 'On',
  makeBranch: 'Make it a branch',
  branchMade:
    'This is now a branch. Anything that enters the branch but matches no rule in it goes to a person.',
  makeBranchHint:
    'Nested groups are hard to read. Turn this into a branch: simple conditions select requests, and this rule handles the rest.',
  moveUp: 'Move up',
  moveDown: 'Move down',
  more: 'More',
  duplicate: 'Duplicate',
  moveInto: (name: string) => `Move into “${name}”`,
  moveOut: 'Move out of the branch',
  remove: 'Delete',
  removed: (name: string) => `“${name}” is deleted.`,
  copyOf: (name: string) => `${name} (copy)`.slice(0, 200),
  unnamed: 'Rule without a name',

  when: 'when',
  always: 'every request',
  outcomes: {
    approve: 'Approve',
    deny: 'Deny',
    human: 'Ask a person',
    next: 'Continue',
    branch: 'Branch',
    webhook: 'Ask a system',
    llm_judge: 'Ask a model',
  },
  path: 'path',
  defaultPath: 'default path',
  nothingMatched: 'Nothing matched here',
  everythingElse: 'Everything else',
  everythingElseHint:
    'Requests that no rule decides, or whose rule fails. You cannot remove this row.',
  noPath: 'No path: everyone who may decide is asked',
  defaultPathLabel: 'Default escalation path',

  add: 'Add a rule',
  addHere: 'Add a rule here',
  types: {
    cel: 'Rule with a condition',
    branch: 'Branch: rules under one condition',
    always: 'Rule for every request',
    webhook: 'Ask one of your systems',
    llm_judge: 'Ask a language model',
  },
  newNames: {
    cel: 'New rule',
    branch: 'New branch',
    always: 'Everything',
    webhook: 'Ask a system',
    llm_judge: 'Ask a model',
  },

  name: 'Name',
  reason: 'Reason',
  reasonHint: 'Shown to the agent, to reviewers and in the record.',
  outcome: 'Then',
  escalationPath: 'Who is asked',
  pipelineDefault: 'The default path of these rules',
  endpoint: 'Endpoint',
  noSecretsKey:
    'This deployment has no secrets key, so it cannot sign calls and has no endpoints. Its operator can set COUNTERSIGN_SECRETS_KEY.',
  testFails: (name: string) => `The test “${name}” does not hold.`,
  chooseEndpoint: 'Choose an endpoint',
  toEndpoints: 'See endpoints, or create one',
  activateEndpoint: 'Activate it there',
  toEndpoint: 'Test it, and see its deliveries',
  onError: 'Without a valid result',
  onErrors: { human: 'Ask a person', deny: 'Deny' },
  timeout: 'Time for one attempt',
  timeoutHint: 'From 1s to 30s, such as 5s.',
  attempts: 'Attempts',
  policy: 'Policy',
  policyHint: 'Tell the model how to judge, in your own words.',
  judgeOutcomes: 'Outcomes it can choose',
  include: 'Data it reads',
  includes: {
    arguments: 'Arguments',
    agent_reasoning: 'The agent’s own words',
    context: 'Context',
  },
  confidence: 'Minimum confidence',
  confidenceHint: 'From 0 to 1. If the model is less confident, a person is asked.',
  model: 'Model',
  modelHint: 'Leave empty to use the first model of this deployment.',

  builder: 'Builder',
  json: 'JSON',
  cardView: 'How this rule is shown',
  staysTitle: 'This stays JSON.',
  stays: {
    noObject: 'It is not an object.',
    noName: 'It has no id or no name.',
    type: 'This page does not know its type.',
    enabled: '“enabled” is neither true nor false.',
    noConfig: 'It has no config.',
    path: 'Its escalation path is not a string.',
    reason: 'Its reason is not a string.',
    outcome: 'This page does not know its outcome.',
    noBlocks: 'It has no list of blocks.',
    webhook: 'Its endpoint is not a string, or its outcome on an error is unknown.',
    judge: 'Its policy, outcomes or inputs have the wrong type.',
  },
  fixJson: 'Fix the JSON to see the rules here.',
  openJson: 'Open the JSON',

  warnings: {
    never_reached: 'This rule never runs: an earlier rule in the list decides every request.',
    approves_without_limit:
      'This rule approves without a limit: no test lists the allowed values or sets an upper bound for an amount.',
    negative_operator_on_optional_field:
      'A call without this field passes, because “is not” never matches an absent field. Add a test “is absent”.',
    duplicate_condition: 'An earlier rule has the same condition.',
    escalation_path_inactive:
      'Its escalation path has no active revision, so you cannot activate this rule.',
    webhook_endpoint_inactive:
      'Its endpoint has no active revision, so you cannot activate this rule.',
  },
  note: 'Note',
  problems: (count: number) => someText(count, 'problem', 'problems'),
  newReason: 'Not covered by another rule.',
  lastInBranch: 'A branch needs at least one rule.',
  moreAgents: (count: number) => `and ${countText(count)} more`,
  unknownName: (key: string) => `${key} (not found)`,

  like: (tool: string) => `Like this: ${tool}`.slice(0, 200),
  likeApproved: 'Based on a request that a person reviewed.',
  likeDenied: 'Based on a request that a person denied.',
  drafted: 'This draft is based on the request. Review it before you save.',
  untested: (keys: readonly string[]) =>
    `It does not look at ${keys.slice(0, 5).join(', ')}${keys.length > 5 ? ' …' : ''}.`,
  starterRules:
    'This draft has rules for a coding agent. Replace /srv/projects with the folder of your projects before you save.',
  noStarterRules: 'You cannot change these rules, so none were added.',
  notDrafted:
    'That request could not become a rule: it cannot be read, or it belongs to another agent.',
  share: (count: number, of: number) =>
    `Decided ${countText(count)} of ${someText(of, 'request', 'requests')} in the last 7 days`,
  percent: (share: number) => (share > 0 && share < 1 ? '< 1 %' : `${Math.round(share)} %`),

  ofAgentsTitle: 'You can manage the rules of some agents.',
  ofAgentsHint:
    'To see the rules of the organization, you need the permission to read rules everywhere.',

  emptyTitle: 'Every request goes to a person.',
  emptyHint: 'Rules decide requests that no one needs to read. Start with one of these:',
} as const;
