/** `npm run pictures`: the pictures of the documents, taken of the service with believable requests. No part of `npm test`. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { packageRoot } from '../../src/platform/package-root.ts';
import { sealAll } from '../../src/services/audit/sealer.ts';
import { AUDIT_KEY } from '../services/audit/audit-scene.ts';
import { REVIEWER, scene } from '../support/scene.ts';
import { activatePath, activatePipeline, createTeam } from '../support/scene/factories.ts';
import { level, team, user } from '../support/scene/nodes.ts';
import { SECRETS_KEY } from '../support/scene/sign-in.ts';
import { connectWith, secretsOf } from '../support/scene/slack-connections.ts';
import { link } from '../support/scene/slack-scene.ts';
import { SlackCaller, SlackServer } from '../support/servers/slack-server.ts';
import { DESK, describeInBrowser, startBrowser } from '../support/web/browser.ts';

const PHONE = { width: 390, height: 780 };
const CAN = [...REVIEWER, 'request.reviewer.add'];

const AGENTS = {
  'support-agent': ['Support agent', 'support-eu-1'],
  'release-agent': ['Release agent', 'ci-runner-7'],
  'data-agent': ['Data agent', 'warehouse'],
  'mail-agent': ['Mail agent', 'mail-1'],
} as const;

const slack = new SlackServer();
await slack.start();
afterAll(() => slack.stop());
const { app, organization, owner, people, ask, decide, addReviewers, claimed } = await scene({
  app: {
    environment: {
      ...AUDIT_KEY,
      ...slack.environment,
      COUNTERSIGN_SECRETS_KEY: SECRETS_KEY,
      // It has the audit log in the browser.
      COUNTERSIGN_EDITION: 'hosted',
    },
  },
  people: {
    ada: { can: CAN, displayName: 'Ada Marsh' },
    grace: { can: CAN, displayName: 'Grace Hill' },
    iris: { can: CAN, displayName: 'Iris Cole' },
  },
  paths: { payments: [['ada'], ['grace', 'iris']] },
  pipelines: {
    'support-agent': 'payments',
    'release-agent': 'payments',
    'data-agent': 'payments',
    'mail-agent': 'payments',
  },
});
const { ada, grace, iris } = people;
for (const [slug, [name, instance]] of Object.entries(AGENTS)) {
  await app.db('agents').where({ slug }).update({ name });
  await app.db('agent_instances').where({ agent_slug: slug }).update({ name: instance });
}

await app.db('users').where({ id: owner.userId }).update({ display_name: 'Nora Vale' });
// The access of one agent ends soon.
const others = app.db('agent_instances').whereNot({ agent_slug: 'data-agent' });
const expiresAt = new Date(Date.now() + 60 * 86_400_000);
await app
  .db('agent_credentials')
  .whereIn('agent_instance_id', others.clone().select('id'))
  .update({ expires_at: expiresAt });
await others.update({ live_until: expiresAt });
await app.db('users').where({ id: ada.userId }).update({ email: 'ada.marsh@example.com' });
await app.db('users').where({ id: grace.userId }).update({ email: 'grace.hill@example.com' });

const deploy = await ask({
  agent: 'release-agent',
  tool: 'deploy',
  timeout: '2h',
  arguments: { service: 'checkout', version: '2026.11.3', environment: 'production' },
});
const mail = await ask({
  agent: 'mail-agent',
  tool: 'send_email',
  timeout: '8h',
  arguments: {
    to: 'jonas.weber@example.com',
    subject: 'Your refund is on its way',
    body: 'Hello Jonas,\n\nwe refunded the late delivery today.',
  },
});
const sql = await ask({
  agent: 'data-agent',
  tool: 'execute_sql',
  timeout: '45m',
  arguments: {
    database: 'orders',
    sql: "UPDATE orders\n   SET status = 'cancelled'\n WHERE customer_id = 48213\n   AND status = 'open';",
  },
});
const refund = await ask({
  agent: 'support-agent',
  tool: 'refund_payment',
  timeout: '30m',
  arguments: {
    payment_id: 'pay_3NqX81',
    amount: 1249.95,
    currency: 'EUR',
    customer_id: 'cus_48213',
    reason: 'Parcel lost, confirmed by the carrier',
    ticket: { number: 90311, channel: 'email' },
  },
});
await ask({
  agent: 'support-agent',
  tool: 'refund_payment',
  timeout: '30m',
  arguments: { payment_id: 'pay_3Nr207', amount: 89.25, currency: 'EUR' },
});
async function cameBefore(id: string, minutes: number): Promise<void> {
  await app.db.raw(
    `update approval_requests
        set created_at = created_at - cast(:age as interval), routed_at = routed_at - cast(:age as interval), deadline_at = deadline_at - cast(:age as interval)
      where id = :id`,
    { id, age: `${minutes} minutes` },
  );
}
// They did not all come at once.
for (const [id, minutes] of [
  [deploy, 35],
  [mail, 21],
  [sql, 9],
  [refund, 2],
] as const)
  await cameBefore(id, minutes);
await addReviewers(ada, refund, [grace]);
await claimed(iris, deploy);

const when = (id: string, field: string, operator: string, value: unknown) => ({
  ...{ id, field: `/request/${field}`, operator, value },
});
await activatePipeline(owner, 'agents/support-agent', {
  default_escalation_path: 'payments',
  blocks: [
    {
      ...{ id: 'small', name: 'Small refunds', type: 'cel' },
      config: {
        ...{ on_match: 'approve', reason: 'At most 50, and in euros.' },
        when: {
          id: 'all',
          all: [
            when('tool', 'tool', 'equals', 'refund_payment'),
            when('least', 'arguments/amount', 'greater_than', 0),
            when('most', 'arguments/amount', 'less_than_or_equal', 50),
            when('currency', 'arguments/currency', 'equals', 'EUR'),
          ],
        },
      },
    },
    {
      ...{ id: 'no-delete', name: 'Never delete customers', type: 'cel' },
      config: {
        ...{ on_match: 'deny', reason: 'Ask the data protection team.' },
        when: when('delete', 'tool', 'equals', 'delete_customer'),
      },
    },
  ],
});
const desk = await createTeam(app, organization.id, {
  name: 'Refund desk',
  members: [grace, iris],
});
await activatePath(owner, {
  ...{ path_key: 'refunds', name: 'Refunds' },
  working_hours: [
    {
      ...{ id: 'office', name: 'Office Berlin', timezone: 'Europe/Berlin' },
      intervals: [{ weekdays: ['mon', 'tue', 'wed', 'thu', 'fri'], start: '09:00', end: '17:30' }],
    },
  ],
  nodes: [
    { id: randomUUID(), type: 'defer', working_hours_id: 'office', standard_only: true },
    level([team(desk)], '20m'),
    level([user(ada)], '30m', { raise_urgency: true }),
  ],
});

const workspace = slack.addWorkspace('T04EXAMPLE');
await connectWith(owner, { ...secretsOf(workspace), default_channel: 'C0789JKLM' });
await app.db('slack_connections').update({ team_name: 'Example Works', bot_user_id: 'U0456EFGH' });
const slackCaller = new SlackCaller(app.url, slack, workspace);
await link(slackCaller, ada, 'U0123WXYZ');
await link(slackCaller, grace, 'U0789JKLM');
await sealAll(app.context);

async function take(page: Page, name: string): Promise<void> {
  // A caret blinks.
  const path = join(packageRoot(), process.env['TEST_PICTURES'] ?? '', `${name}.png`);
  await page.screenshot({ path, caret: 'hide', animations: 'disabled' });
}

describeInBrowser('pictures', () => {
  const browser = startBrowser();

  test.each([
    ['light', false],
    ['dark', true],
  ])('of requests, %s', async (scheme, dark) => {
    const desk = await browser.open(`${app.url}/requests/${refund}`, {
      ...{ as: ada, dark, viewport: DESK },
    });
    await desk.getByRole('button', { name: 'Approve' }).waitFor();
    await desk.getByRole('listitem').getByRole('link').first().waitFor();
    await desk.getByText('Grace Hill').first().waitFor();
    await take(desk, `desk-${scheme}`);
    const phone = await browser.open(`${app.url}/requests/${sql}`, {
      ...{ as: ada, dark, viewport: PHONE, scale: 2 },
    });
    await phone.getByRole('button', { name: 'Approve' }).waitFor();
    await take(phone, `phone-${scheme}`);
  });

  test('of an answer that waits for its second act', async () => {
    const page = await browser.open(`${app.url}/requests/${refund}`, { as: ada, viewport: DESK });
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('textbox', { name: /^Note/ }).fill('Carrier confirmed the loss.');
    await take(page, 'confirm');
  });

  test('of the settings of notifications', async () => {
    const page = await browser.open(`${app.url}/account/notifications`, {
      as: ada,
      viewport: DESK,
    });
    await page.getByRole('switch', { name: 'Email' }).waitFor();
    await take(page, 'notifications');
  });

  test('of what those who manage see', async () => {
    const page = await browser.open(`${app.url}/agents`, { as: owner, viewport: DESK });
    await page.getByRole('link', { name: 'Support agent' }).waitFor();
    await take(page, 'agents');
    await page.goto(`${app.url}/agents/support-agent/rules`);
    await page.getByRole('article', { name: 'Rule 1: Small refunds' }).waitFor();
    await page.getByRole('tab', { name: 'Past requests' }).click();
    await page.getByText('Last 7 days', { exact: false }).first().waitFor();
    await page.getByText('Running the rules over past requests …').waitFor({ state: 'detached' });
    await take(page, 'rules');
    await page.goto(`${app.url}/paths/refunds`);
    await page
      .getByRole('list', { name: 'At three usual times' })
      .getByRole('button')
      .last()
      .click();
    await page.getByRole('list', { name: 'In order' }).waitFor();
    await page.getByRole('button', { name: /^Sat 12:00 .*after the deadline$/ }).waitFor();
    await page.locator('[data-stale=true]').waitFor({ state: 'detached' });
    await take(page, 'path');
  });

  test('of people, settings and the search', async () => {
    await owner.browser.post('/api/v1/organization/onboarding/complete');
    const policy = {
      ...{ scope_kind: 'agent', resource_ids: ['support-agent'] },
      permissions: ['agent.read', 'pipeline.read', 'pipeline.write'],
    };
    const granted = await owner.browser.post(`/api/v1/teams/${desk}/permission_policies`, policy, {
      headers: { 'idempotency-key': randomUUID() },
    });
    if (granted.status !== 201) throw new Error(granted.text);
    for (const [amount, minutes, status] of [
      [112.5, 3, 'approved'],
      [640, 11, 'denied'],
      [75.99, 5, 'approved'],
      [20, 0, undefined],
    ] as const) {
      const id = await ask({
        ...{ agent: 'support-agent', tool: 'refund_payment' },
        arguments: { payment_id: `pay_3Ns${amount}`, amount, currency: 'EUR' },
      });
      await cameBefore(id, minutes);
      if (status) await decide(ada, id, { status });
    }
    await sealAll(app.context);
    const page = await browser.open(`${app.url}/home`, { as: owner, viewport: DESK });
    await page.getByRole('heading', { name: 'Silent agents' }).waitFor();
    await page.getByText('Data agent').first().waitFor();
    await page.getByText('Every agent that called', { exact: false }).waitFor();
    await take(page, 'home');
    await page.goto(`${app.url}/people/${grace.membershipId}`);
    await page.getByRole('heading', { level: 1, name: 'Grace Hill' }).waitFor();
    await page.getByText('Refund desk').first().waitFor();
    await page.getByText('Loading …').first().waitFor({ state: 'detached' });
    await take(page, 'member');
    await page.goto(`${app.url}/settings/slack`);
    await page.getByRole('button', { name: 'Unlink Ada Marsh' }).waitFor();
    await page.getByText('See deliveries').waitFor();
    await take(page, 'slack');
    await page.goto(`${app.url}/settings/audit`);
    await page.getByRole('list', { name: 'Events' }).getByRole('listitem').last().waitFor();
    await page.getByText('Position', { exact: false }).first().waitFor();
    await take(page, 'audit');
    await page.goto(`${app.url}/settings/system`);
    await page.getByText('Last migration').waitFor();
    await take(page, 'system');
    await page.goto(`${app.url}/agents`);
    await page.getByRole('link', { name: 'Support agent' }).waitFor();
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox').fill('refund');
    await page.getByText(/^\d+ results$/).waitFor();
    await page.getByRole('option', { name: /Small refunds/ }).waitFor();
    await take(page, 'palette');
  });
});
