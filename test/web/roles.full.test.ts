/** What eight roles see: a page is shown, and what it offers is there, exactly where the service allows what it is for. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { permissions } from '../../src/domain/people/permissions.ts';
import type { HttpClient } from '../support/http.ts';
import { everywhere, REVIEWER, scene } from '../support/scene.ts';
import { codeOf, createPerson, SECRETS_KEY } from '../support/scene/sign-in.ts';
import { comes, until } from '../support/waiting.ts';
import { describeInBrowser, startBrowser } from '../support/web/browser.ts';

const {
  app,
  ask,
  organization,
  owner,
  people: { ada },
  teams: { night },
} = await scene({
  app: {
    environment: { COUNTERSIGN_EDITION: 'hosted', COUNTERSIGN_SECRETS_KEY: SECRETS_KEY },
  },
  people: { ada: REVIEWER },
  teams: { night: ['ada'] },
  paths: { payments: [['ada']] },
  // Requests of an agent without a path go to everyone who may decide.
  pipelines: { 'support-bot': 'payments', 'free-bot': {} },
});

const V1 = '/api/v1';
const RULES = `${V1}/request-approval-pipelines`;
const PATHS = `${V1}/escalation-paths`;
const SHOWN = `${V1}/tool_presentations`;
/** Nothing has it. */
const NO_ID = '0198f3a2-0000-7000-8000-000000000000';
const post = async (path: string, body: object) => {
  const { status, body: made, text } = await owner.browser.post(path, body);
  if (status >= 300) throw new Error(`${path}: ${status} ${text}`);
  return made;
};
const request = await ask({ agent: 'free-bot', tool: 'deploy_site', timeout: '1h' });
// Each document has a revision that is not active, and could be.
await post(`${RULES}/organization/revisions`, { blocks: [] });
await post(`${PATHS}/payments/revisions`, {
  name: 'payments',
  nodes: [{ type: 'level', id: NO_ID, escalate_after: '10m', targets: [{ type: 'broadcast' }] }],
});
const { id: presentation } = await post(SHOWN, { tool: 'wire', title: 'Wire', fields: [] });

const keys = permissions.filter(({ holders }) => holders.includes('human')).map(({ key }) => key);
const of = (...beginnings: readonly string[]) =>
  keys.filter((key) => beginnings.some((beginning) => key.startsWith(beginning)));

/** By role, what it may do in the whole organization. The owner has no policy of permissions. */
const ROLES = {
  manager: keys,
  'manager of people': of('membership.', 'team.', 'permission_policy.'),
  'author of rules': of('pipeline.', 'escalation_path.', 'webhook.', 'agent.read'),
  'manager of agents': of('agent.'),
  reviewer: REVIEWER,
  auditor: keys.filter((key) => key.endsWith('.read')),
  'member without permissions': [],
} as const;
const people = new Map([
  ['owner', owner],
  ...(await Promise.all(
    Object.entries(ROLES).map(async ([role, can]) => {
      const policies = can.length === 0 ? [] : [everywhere(...can)];
      return [role, await createPerson(app, organization.id, { policies })] as const;
    }),
  )),
]);

/** What a page is about, and its controls, each with the call that it is for. What the calls name exists nowhere. */
type Place = readonly [
  path: string,
  title: string,
  reads: string,
  controls?: Controls,
  /** What its earlier revisions offer. */
  history?: Controls,
];
type Controls = Readonly<Record<string, readonly [method: string, path: string]>>;

const revisionsOf = (path: string): Controls => ({
  'Edit this one': ['POST', `${path}/revisions`],
  'Activate …': ['POST', `${path}/revisions/1/activate`],
});
const PLACES: readonly Place[] = [
  // Before the requests, which lead those here who never saw it.
  ['/home', 'Home', `${V1}/overview`],
  ['/', 'Requests', `${V1}/requests`],
  ['/agents', 'Agents', `${V1}/agents`, { 'New agent': ['POST', `${V1}/agents`] }],
  ['/demo', 'Demo agent', `${V1}/demo-agent`, { 'Run the demo': ['POST', `${V1}/demo-agent`] }],
  [
    `/requests/${request}`,
    'deploy_site',
    `${V1}/requests/${request}`,
    {
      Approve: ['POST', `${V1}/requests/${request}/decision`],
      Deny: ['POST', `${V1}/requests/${request}/decision`],
      Claim: ['POST', `${V1}/requests/${NO_ID}/claim`],
      'Ask for help': ['POST', `${V1}/requests/${request}/reviewers`],
      'Make a rule from this': ['POST', `${RULES}/agents/free-bot/revisions`],
    },
  ],
  [
    '/rules',
    'Rules',
    `${RULES}/organization`,
    { 'Add a rule': ['POST', `${RULES}/organization/revisions`] },
    revisionsOf(`${RULES}/organization`),
  ],
  ['/paths', 'Escalation paths', PATHS, { 'New path': ['POST', PATHS] }],
  [
    '/paths/payments',
    'payments',
    `${PATHS}/payments`,
    { 'Archive …': ['DELETE', `${PATHS}/none`] },
    revisionsOf(`${PATHS}/payments`),
  ],
  [
    '/endpoints',
    'Endpoints',
    `${V1}/webhook_endpoints`,
    { 'New endpoint': ['POST', `${V1}/webhook_endpoints/none/revisions`] },
  ],
  ['/presentations', 'Presentations', SHOWN, { 'New presentation': ['POST', SHOWN] }],
  [
    `/presentations/${String(presentation)}`,
    'How calls are shown: wire',
    `${SHOWN}/${String(presentation)}`,
    {
      Title: ['PUT', `${SHOWN}/${String(presentation)}`],
      Delete: ['DELETE', `${SHOWN}/${NO_ID}`],
    },
  ],
  ['/people', 'People', `${V1}/members`, { 'Invite people': ['POST', `${V1}/invitations`] }],
  [
    `/people/${ada.membershipId}`,
    'Ada',
    `${V1}/members/${ada.membershipId}`,
    {
      'Suspend …': ['PATCH', `${V1}/members/${ada.membershipId}`],
      'Grant permissions': ['POST', `${V1}/members/${ada.membershipId}/permission_policies`],
    },
  ],
  ['/people/invitations', 'Invitations', `${V1}/invitations`],
  ['/teams', 'Teams', `${V1}/teams`, { 'New team': ['POST', `${V1}/teams`] }],
  [
    `/teams/${night}`,
    'night',
    `${V1}/teams/${night}`,
    {
      Rename: ['PATCH', `${V1}/teams/${night}`],
      'Add a person': ['PUT', `${V1}/teams/${night}/members`],
    },
  ],
  ['/settings', 'Organization', `${V1}/organization`],
  [
    '/settings/channels',
    'Notification channels',
    `${V1}/notification_channels`,
    { 'New webhook': ['POST', `${V1}/notification_channels`] },
  ],
  ['/settings/slack', 'Slack', `${V1}/slack`, { 'Connect Slack': ['PUT', `${V1}/slack`] }],
  [
    '/settings/keys',
    'API keys of the organization',
    `${V1}/api_keys`,
    { 'New organization key': ['POST', `${V1}/api_keys`] },
  ],
  ['/settings/audit', 'Audit log', `${V1}/audit`],
  ['/settings/system', 'System', `${V1}/system`],
];

const FORBIDDEN = 'You do not have access to this page';

/** True unless the permission is missing: the calls are wrong in other ways. */
async function isAllowed(http: HttpClient, method: string, path: string): Promise<boolean> {
  const answer = await http.call(method, path, method === 'GET' ? {} : { body: {} });
  return String(codeOf(answer)[1]) !== 'permission_denied';
}

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

async function untilLoaded(page: Page): Promise<void> {
  const loading = page.locator('main').getByText('Loading …');
  await until('the page has loaded', async () => (await loading.count()) === 0);
}

/**
 * By the router, without loading the app again. Between two pages that look alike there is a third. A
 * page may show its title until the service refuses what it reads.
 */
async function isShown(
  page: Page,
  [path, title]: readonly [string, string],
  isExpected: boolean,
): Promise<boolean> {
  const go = (to: string) =>
    page.evaluate(
      `history.pushState(null, '', '${to}'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
  if ((await heading(page, title).or(heading(page, FORBIDDEN)).count()) > 0) {
    await go('/account/shortcuts');
    await heading(page, 'Shortcuts').waitFor();
  }
  await go(path);
  await heading(page, title).or(heading(page, FORBIDDEN)).first().waitFor();
  const isRefused = async () => (await heading(page, FORBIDDEN).count()) > 0;
  if (!isExpected) return !(await comes(`${path} is refused`, isRefused));
  await untilLoaded(page);
  return !(await isRefused());
}

/** What is offered may come with a later part of the page. */
async function isOffered(page: Page, name: string, isExpected: boolean): Promise<boolean> {
  const named = (role: 'button' | 'link' | 'combobox' | 'textbox') =>
    page.getByRole(role, { name });
  const control = named('button')
    .or(named('link'))
    .or(named('combobox'))
    .or(named('textbox'))
    .first();
  const isThere = async () => (await control.isVisible()) && (await control.isEnabled());
  if (isExpected) return await comes(`${name} is offered`, isThere);
  await untilLoaded(page);
  return await isThere();
}

describeInBrowser('what a person sees is what the service allows', () => {
  const browser = startBrowser({ refusals: [403] });

  test.each([...people.keys()])('for the role of %s', async (role) => {
    const person = people.get(role);
    if (!person) throw new Error(`No one has the role of ${role}.`);
    const page = await browser.open(`${app.url}/account/shortcuts`, { as: person });
    const seen: [string, boolean][] = [];
    const allowed: [string, boolean][] = [];
    for (const [path, title, reads, controls = {}, history] of PLACES) {
      const canRead = await isAllowed(person.browser, 'GET', reads);
      allowed.push([path, canRead]);
      seen.push([path, await isShown(page, [path, title], canRead)]);
      const compare = async (all: Controls) => {
        for (const [name, [method, target]] of Object.entries(all)) {
          const canUse = canRead && (await isAllowed(person.browser, method, target));
          allowed.push([`${path} ${name}`, canUse]);
          seen.push([`${path} ${name}`, await isOffered(page, name, canUse)]);
        }
      };
      await compare(controls);
      if (!history || !canRead) continue;
      await page.getByRole('button', { name: 'History', exact: true }).click();
      await page.getByRole('button', { name: 'Compare with your text' }).first().waitFor();
      await compare(history);
      await page.keyboard.press('Escape');
    }
    expect(seen).toEqual(allowed);
  });
});
