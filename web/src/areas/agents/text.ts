/** English texts of the pages about agents. */
import { countText, someText } from '../../shared/text/numbers.ts';

export const agents = {
  title: 'Agents',
  demo: 'Demo',
  tryDemo: 'Try it with a demo agent',
  hint: 'Programs whose calls are reviewed before they run.',
  all: 'All agents',
  create: 'New agent',
  none: 'No agent yet.',
  noneHint:
    'An agent is a program whose calls people and rules check before they run. Create yours, then connect it.',
  noMatch: 'No agent matches.',
  orderOf: (count: number) => `Sorted among the ${count} agents that are loaded.`,
  picture: ['Your agent', 'Countersign', 'Its tool'],
  search: 'Search agents',
  filters: { live: 'Live', archived: 'Archived' },
  states: {
    live: 'Live',
    unconnected: 'Not connected',
    cut: 'No working credential',
    paused: 'Paused',
    archived: 'Archived',
  },
  ends: 'Access ends',
  trend: (week: number, today: number) =>
    `${someText(week, 'request', 'requests')} in 7 days, ${countText(today)} today`,
  live: (live: number, instances: number) =>
    `${countText(live)} of ${someText(instances, 'instance', 'instances')} live`,
  seen: 'last called',
  neverSeen: 'never called',
  waiting: (requests: number) => someText(requests, 'request waits', 'requests wait'),
} as const;

export const agent = {
  all: 'Agents',
  sections: 'Parts of the agent',
  toDemo: 'Run the demo',
  overview: 'Overview',
  instances: 'Instances',
  tools: 'Tools',
  activity: 'Activity',
  rules: 'Rules',
  connect: 'Connect',
  facts: 'At a glance',
  live: 'Instances',
  lastCall: 'Last call',
  week: 'Last 7 days',
  waiting: 'Waiting',
  total: 'All requests',
  created: 'Created',
  by: 'by',
  rename: 'Rename',
  renameOf: 'Rename agent',
  renaming: 'Renaming …',
  newName: 'New name',
  cancel: 'Cancel',
  archived: 'This agent is archived. It cannot call, and its rules are not used.',
  paused:
    'This agent is paused and its calls are refused. People can still decide its pending requests.',
  restore: 'Restore',
  restored: 'A restored agent needs a new credential.',
  resume: 'Resume',
  calls: 'Approved calls',
  window: 'An approval can be used for',
  windowHint:
    'The time from the decision until the call must start. Adapters that use only AAP always have 5 minutes.',
  resumeAgent: 'Any active instance can continue a request',
  resumeHint:
    'For agents that suspend their runs. A replica can then read, wait for, start and withdraw the requests of another one. Otherwise, only the instance that asked can.',
  tokens: 'Provisioner tokens',
  tokensHint: 'Each token creates instances of this agent for a fleet.',
  tokenStates: { works: 'Works', expired: 'Expired', revoked: 'Revoked' },
  tokenUsed: 'last created an instance',
  tokenUnused: 'never used',
  ends: 'ends',
  issued: 'Issued',
  revoke: 'Revoke',
  revokeAgain: 'Press again to revoke',
  moreTokens: (count: number) => `Show ${countText(count)} more`,
} as const;

export const instances = {
  title: 'Instances',
  hint: 'Each running copy has its own credential.',
  search: 'Search instances',
  filters: { all: 'All', active: 'Active', disabled: 'Paused' },
  none: 'No instance yet.',
  noneHint: 'Connect one. It gets its own credential.',
  noMatch: 'No instance matches.',
  group: (count: number, live: number) => `${countText(count)} instances, ${countText(live)} live`,
  states: { live: 'Live', paused: 'Paused', cut: 'No working credential' },
  host: 'on',
  called: 'called',
  neverCalled: 'never called',
  made: 'made',
  requests: (week: number) => `${someText(week, 'request', 'requests')} in 7 days`,
  rename: 'Rename',
  renameOf: (name: string) => `Rename ${name}`,
  pause: 'Pause',
  pauseOf: (name: string) => `Pause ${name}`,
  resume: 'Resume',
  resumeOf: (name: string) => `Resume ${name}`,
  metadata: 'Details reported by the machine',
  credentialsOf: (name: string) => `Credentials of ${name}`,
  noCredential: 'None. This instance cannot make calls.',
  changeOver:
    'Both credentials work. Give the new one to the instance, then revoke the old one when it is no longer used.',
  ended: (count: number) => `${someText(count, 'earlier one', 'earlier ones')} ended.`,
  issue: 'Create credential',
  rotate: 'Replace credential',
  issueOf: (name: string) => `Create credential of ${name}`,
  rotateOf: (name: string) => `Replace credential of ${name}`,
  newCredentialOf: (name: string) => `New credential of ${name}`,
  ifLost: 'If you lose it, revoke it here and create another one.',
  shortId: (id: string) => `whc_${id.slice(0, 8)}…`,
  used: 'used',
  neverUsed: 'never used',
  ends: 'ends',
  silent: 'Silent for 5 minutes',
  revoke: 'Revoke',
  revokeAgain: 'Press again to revoke',
} as const;

export const tools = {
  title: 'Tools',
  hint: 'The tools that its instances reported. Descriptions and hints come from the tools and are not checked.',
  search: 'Search tools and servers',
  filters: { all: 'All', available: 'Available', unavailable: 'Unavailable', stale: 'Stale' },
  none: 'No instance has reported its tools.',
  noneHint: 'Adapters report their tools when they start. Requests work without this.',
  noMatch: 'No tool matches.',
  builtIn: 'Built-in tools',
  server: 'Server',
  unread: 'The last attempt to read this server failed:',
  states: { available: 'Available', unavailable: 'Unavailable', stale: 'Not reported for 7 days' },
  says: 'The tool claims:',
  claims: {
    readOnly: 'is read-only',
    destructive: 'may destroy something',
    openWorld: 'reaches other systems',
  },
  reported: 'reported',
  by: 'by',
  schema: 'Schema of its arguments',
  changed: 'Schema changed',
  difference: 'What changed in the schema',
  noDifference: 'The earlier schema is not known.',
  noSchema: 'The tool reports no schema for its arguments.',
  makeRule: 'Make a rule',
  makeRuleFor: (tool: string) => `Make a rule for ${tool}`,
  shown: 'How it is shown',
  shownFor: (tool: string) => `How it is shown: ${tool}`,
} as const;

export const activity = {
  title: 'Activity',
  hint: 'Who connected, paused and changed this agent. Newest first.',
  none: 'Nothing yet.',
  noneHint: 'Changes of the agent, its instances and its credentials are listed here.',
  withoutLog:
    'The audit log shows who made each change. Reading it requires the permission “Read the audit log” and the hosted edition. This list comes from the agent’s own record.',
  known: {
    created: 'Created by',
    instance: 'New instance',
    issued: 'Credential issued for',
    revoked: 'Credential revoked of',
    token: 'Provisioner token issued:',
    tokenRevoked: 'Provisioner token revoked:',
  },
} as const;

export const stop = {
  open: 'Stop or archive …',
  title: 'Stop this agent',
  pause: 'Pause agent',
  pauseAgain: 'Press again to pause',
  ends: 'Ends',
  back: 'To undo it',
  waiting: (count: number) =>
    count === 0
      ? 'No request is pending.'
      : `${someText(count, 'request is', 'requests are')} pending.`,
  steps: {
    revoke: {
      title: 'Revoke one credential',
      ends: 'Calls with this credential, at once.',
      keeps: 'Pending requests can still be decided.',
      back: 'not possible. Create another credential.',
    },
    instance: {
      title: 'Pause one instance',
      ends: 'Its calls, at once.',
      keeps: 'Pending requests can still be decided.',
      back: 'resume it.',
    },
    agent: {
      title: 'Pause the agent',
      ends: 'Calls of all its instances, at once.',
      keeps: 'Pending requests can still be decided.',
      back: 'resume it.',
    },
    archive: {
      title: 'Archive the agent',
      ends: 'Its calls, credentials, provisioner tokens and rules.',
      keeps: 'Pending requests are cancelled.',
      back: 'restore it. Credentials and tokens stay revoked.',
    },
  },
  toInstances: 'Choose under Instances',
  archive: 'Archive agent',
  archiving: 'Archiving …',
  close: 'Close',
} as const;

export const taken = (free: string) => `This name is taken. Try ${free}.`;

export const quota = {
  reached: (limit: number) =>
    `This organization can have ${someText(limit, 'agent', 'agents')} at once. Archive one that is no longer used.`,
  noLimit:
    'This organization has as many agents as it can have. Archive one that is no longer used.',
  archived: 'See archived agents',
} as const;

export const create = {
  title: 'New agent',
  name: 'Name',
  slug: 'ID, used in addresses and rules',
  slugHint: 'Lowercase letters, digits and hyphens. You cannot change it later.',
  submit: 'Create agent',
  busy: 'Creating …',
  cancel: 'Cancel',
} as const;

export const connect = {
  title: 'Connect',
  onlyDemo: 'Other programs cannot use the demo agent. Create your own agent.',
  toDemo: 'Run the demo',
  where: 'Where does this agent run?',
  ways: {
    machine: {
      title: 'This machine',
      hint: 'A laptop with a terminal. You approve it with a code.',
    },
    server: {
      title: 'A server',
      hint: 'One copy that runs all the time, with one credential.',
    },
    fleet: {
      title: 'A fleet',
      hint: 'Replicas that come and go. Each one creates its own instance.',
    },
  },
  machineTitle: 'Run this on the machine',
  machineHint:
    'The command prints a code and waits for ten minutes. Enter the code on the page below.',
  hookTitle: 'A coding agent',
  hookHint: 'Once the hook is installed, Claude Code, Codex and Cursor ask before each tool call.',
  starterRules: 'Start with rules for it',
  starterRulesHint: 'Without rules, every call waits for a person, even one that reads a file.',
  enter: 'Enter the code (opens in a new tab)',
  qrLabel: 'QR code of the page for the code',
  qrHint: 'Or scan this with a phone on which you are signed in.',
  serverTitle: 'Name the server',
  serverHint:
    'The name shows which running copy sent a request. The credential works only for this instance.',
  instance: 'Instance name',
  instanceHint: 'Such as eu-west-1a or billing-worker.',
  issue: 'Create credential',
  issuing: 'Creating …',
  fleetTitle: 'Create a provisioner token',
  fleetHint:
    'The token can only create instances of this agent. Give it to the platform that starts your replicas.',
  life: 'It stops working after',
  days: (days: number) => (days === 365 ? '1 year' : `${days} days`),
  issueToken: 'Create token',
  credentialOf: (instance: string) => `Credential of ${instance}`,
  tokenOf: 'Provisioner token',
  credentialLost: 'If you lose it, revoke it under Instances and create another one.',
  tokenLost:
    'If you lose it, revoke it on the overview and create another one. Instances keep their credentials.',
  storedNow: 'Stored. It cannot be shown again.',
  placeholder: 'YOUR_TOKEN',
  snippetsTitle: 'Ask from your agent',
  runtime: 'Runtime',
  runtimes: {
    curl: 'Test request',
    hook: 'Coding agent',
    mcp: 'MCP server',
    typescript: 'TypeScript',
    python: 'Python',
  },
  runtimeHints: {
    curl: 'Paste this into a terminal. It sends one request, waits for the decision and prints it.',
    hook: 'These commands store the credential and install the hook in Claude Code. A tool runs only after an approval.',
    mcp: 'Ask inside a tool of your MCP server, before the tool does its work.',
    typescript: 'Node.js 20 or later. No package is needed.',
    python: 'Python 3.9 or later. No package is needed.',
  },
  replicaTitle: 'Each replica runs this when it starts',
  replicaHint:
    'Each response contains a new credential. A repeated call with the same key returns the same one.',
  waiting: 'Waiting for the first call …',
  joined: 'Connected, waiting for the first call of',
  called: 'Called',
  from: 'from',
  request: 'Test request:',
  outcome: {
    pending: 'waits for a decision (opens in a new tab)',
    approved: 'was approved',
    denied: 'was denied',
    expired: 'expired',
    cancelled: 'was withdrawn',
  },
} as const;
