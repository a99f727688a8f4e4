/** `npm run pictures`: the pictures of the documents, taken of the service with believable requests. No part of `npm test`. */
import { join } from 'node:path';
import { test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { packageRoot } from '../../src/platform/package-root.ts';
import { REVIEWER, scene } from '../support/scene.ts';
import { SECRETS_KEY } from '../support/scene/sign-in.ts';
import { DESK, describeInBrowser, startBrowser } from '../support/web/browser.ts';

const PHONE = { width: 390, height: 780 };
const CAN = [...REVIEWER, 'request.reviewer.add'];

const AGENTS = {
  'support-agent': ['Support agent', 'support-eu-1'],
  'release-agent': ['Release agent', 'ci-runner-7'],
  'data-agent': ['Data agent', 'warehouse'],
  'mail-agent': ['Mail agent', 'mail-1'],
} as const;

const { app, people, ask, addReviewers, claimed } = await scene({
  app: { environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } },
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

await app.db('users').where({ id: ada.userId }).update({ email: 'ada.marsh@example.com' });

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
// They did not all come at once.
for (const [id, minutes] of [
  [deploy, 35],
  [mail, 21],
  [sql, 9],
  [refund, 2],
] as const)
  await app.db.raw(
    `update approval_requests
        set created_at = created_at - cast(:age as interval), deadline_at = deadline_at - cast(:age as interval)
      where id = :id`,
    { id, age: `${minutes} minutes` },
  );
await addReviewers(ada, refund, [grace]);
await claimed(iris, deploy);

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
});
