/** English texts of the pages about webhook endpoints. */
import { countText, someText } from '../../shared/text/numbers.ts';

export const endpoints = {
  title: 'Endpoints',
  hint: 'Your systems that decide for a rule. They can approve, deny, ask a person or pass.',
  name: 'Endpoint',
  host: 'Host',
  state: 'State',
  lately: 'Last delivery',
  usedBy: 'Used by',
  search: 'Search keys and names',
  filters: { live: 'Live', archived: 'Archived' },
  create: 'New endpoint',
  none: 'No rule asks one of your systems.',
  noneHint:
    'An endpoint is a URL of your system. A rule posts a request to it, and your response decides. Use your database, fraud check or policy engine.',
  noMatch: 'No endpoint matches.',
  noneArchived: 'No endpoint is archived.',
  noneActive: 'No revision is active',
  active: (revision: number) => `Revision ${countText(revision)} is active`,
  archived: 'Archived',
  notUsed: 'No rule',
  rules: (count: number) => someText(count, 'rule', 'rules'),
  never: 'None in 30 days',
  works: 'Works',
  fails: 'Fails',
  failed: (count: number) =>
    `${count === 1 ? '1 of the last 20 attempts' : `${countText(count)} of the last 20 attempts`} failed`,
  noKeyTitle: 'Endpoints need a secrets key.',
  noKey:
    'This deployment has no secrets key, so it cannot sign its calls. The operator can set COUNTERSIGN_SECRETS_KEY and restart the service.',
} as const;

export const create = {
  title: 'New endpoint',
  name: 'Name',
  key: 'Key',
  keyHint: 'Rules refer to the endpoint by its key. You cannot change it later.',
  url: 'URL',
  urlHint: 'A public https address. It is checked again for each connection.',
  submit: 'Create endpoint',
  busy: 'Creating …',
  cancel: 'Cancel',
  taken: 'An endpoint has this key.',
  openTaken: 'Open that endpoint',
  /** After the reason. */
  egress:
    'Countersign calls only public https addresses. The operator of this deployment can allow others with COUNTERSIGN_EGRESS_ALLOW.',
  created: 'Your receiver needs its secret',
  secretOf: (name: string) => `Signing secret of ${name}`,
  ifLost: 'If you lose it, replace the secret on the page of the endpoint.',
  next: 'Your receiver uses it to check that a call comes from Countersign. Rules can use the endpoint after you test and activate it.',
} as const;

export const endpoint = {
  back: 'All endpoints',
  unsaved: (newest: number) => `Revision ${countText(newest)} is saved and not active`,
  usedBy: 'Used by',
  notUsed: 'No rule asks it.',
  addRule: 'Add a rule that does',
  organization: 'the organization’s rules',
  agent: 'the rules of',
  where: 'Where it posts',
  name: 'Name',
  url: 'URL',
  changedFrom: { name: 'Name', url: 'URL' },
  becomes: 'becomes',
  nothing: 'nothing',
  noDifference: 'No difference.',
  anchor: (count: number) =>
    `${someText(count, 'active rule asks', 'active rules ask')} this endpoint, and its results can approve calls. A new URL receives these calls as soon as you activate it.`,
} as const;

export const archive = {
  open: 'Archive …',
  title: (name: string) => `Archive ${name}?`,
  told: 'The endpoint will have no active revision, and you cannot activate rules that use it. Its revisions, secret and deliveries are kept. Activate a revision to restore it.',
  confirm: 'Archive',
  busy: 'Archiving …',
  done: 'Archived.',
  undone: (revision: number) => `Revision ${countText(revision)} is active again.`,
  inUse: (count: number) =>
    `${someText(count, 'active rule asks', 'active rules ask')} this endpoint. Change the rules first.`,
} as const;

export const test = {
  title: 'Test',
  hint: 'Sends one sample request and waits up to 10 seconds. The result does not affect any request.',
  revision: 'Revision',
  of: (revision: number, isActive: boolean) =>
    `Revision ${countText(revision)}${isActive ? ' (active)' : ''}`,
  unsaved: 'This test does not include your unsaved changes. Save them first.',
  send: 'Send a test request',
  sending: 'Waiting for the response …',
  isValid: 'The endpoint works.',
  isInvalid: 'The endpoint did not return a valid result.',
  result: 'Result',
  reason: 'Reason',
  status: 'Status',
  noStatus: 'No response',
  duration: 'Duration',
  response: 'Response',
  responseHint: 'The first 500 characters, as they came.',
} as const;

export const deliveries = {
  title: 'Deliveries',
  hint: 'Each attempt of the last 30 days, newest first.',
  filters: { all: 'All', failed: 'Failed' },
  filter: 'Which attempts',
  none: 'Nothing was posted in the last 30 days.',
  noneHint: 'Send a test request to see one.',
  noneFailed: 'No attempt failed in the last 30 days.',
  when: 'When',
  about: 'About',
  attempt: 'Attempt',
  revision: 'Revision',
  result: 'Result',
  status: 'Status',
  duration: 'Duration',
  request: 'Request',
  test: 'Test',
  preview: 'Preview',
  running: 'Running, or interrupted',
  noStatus: 'No response',
  showResponse: 'Show the response',
  hideResponse: 'Hide the response',
  ms: (duration: number) => `${countText(duration)} ms`,
} as const;

export const outcomes = {
  approve: 'Approve',
  deny: 'Deny',
  human: 'Ask a person',
  next: 'Next rule',
} as const;

/** What went wrong, and what to do. */
export const failures = {
  timeout: 'The response was not complete in time. Make your receiver respond faster.',
  connection_failed:
    'The connection failed or was interrupted. Check the host, the port and the firewall.',
  egress_denied:
    'The URL leads to an address that may not be called. Use a public https address, or let the operator allow it.',
  unexpected_status: (status: number | undefined) =>
    `It responded with ${status === undefined ? 'another status' : String(status)}. Only 2xx counts, and redirects are not followed.`,
  answer_too_large: 'The response is larger than 64 KiB. Return only the result.',
  invalid_answer:
    'The response is not a result. Return JSON such as {"outcome": "approve"} without other members, not compressed.',
} as const;

export const secret = {
  title: 'Signing secret',
  hint: 'Signs each call so that your receiver can check that it comes from Countersign.',
  made: 'Made',
  before: 'The previous secret also signs calls until',
  replace: 'Replace secret …',
  atOnce:
    'Calls fail at your receiver until it has the new secret. Until then, rules use their “Without a valid result” outcome.',
  fresh: 'New signing secret',
  ifLost: 'If you lose it, replace the secret again.',
  verify: 'Check the signature',
  verifyHint:
    'Use the library standardwebhooks, and give your receiver the secret as SIGNING_SECRET. Check the raw body before you parse it.',
  language: 'Language',
  languages: { node: 'Node.js', python: 'Python' },
} as const;
