/** What became of messages, and trying again those that were not delivered. */
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { newMinute, sendDue } from '../../support/outbox.ts';
import { scene } from '../../support/scene.ts';
import { skipToldOwners } from '../../support/scene/approval-requests.ts';
import { LOOPBACK_ALLOWED, startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';
import { until } from '../../support/waiting.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, owner, people, ask } = await scene({
  app: {
    environment: {
      ...LOOPBACK_ALLOWED,
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
    },
  },
  people: {
    ada: { can: ['request.read', 'request.decide'], displayName: 'Ada Marsh' },
    bob: { can: ['request.read', 'request.decide'], displayName: 'Bob Field' },
    reader: ['connection.read', 'request.read'],
  },
  paths: { everyone: [['ada', 'bob']] },
});
const receiver = await startWebhookReceiver();
afterAll(() => receiver.close());
const send = async () => {
  await newMinute(app);
  while ((await sendDue(app.context)) > 0);
};
const made = await owner.browser.post('/api/v1/notification_channels', {
  kind: 'webhook',
  name: 'Incident bot',
  url: receiver.url,
});
if (made.status !== 201) throw new Error(made.text);
receiver.respondWith((response) => response.writeHead(410).end());
const first = await ask();
const second = await ask();
for (const id of [first, second]) await skipToldOwners(app, id);
await send();

const PAGE = '/settings/deliveries';
const rows = (page: Page) => page.getByRole('list', { name: 'Messages' }).locator('> li');
const showsRows = async (page: Page, number: number) => {
  await until(`${number} messages`, async () => (await rows(page).count()) === number);
};

describeInBrowser('deliveries', () => {
  const browser = startBrowser({ refusals: [409, 429] });

  test('are counted in the navigation, told in words, filtered in the address, and tried again', async () => {
    const page = await browser.open(`${app.url}/agents`, { as: owner });
    const settings = page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: /^Settings/ });
    await settings.getByText('4 messages were not delivered').waitFor({ state: 'attached' });
    await page.goto(`${app.url}${PAGE}`);
    await showsRows(page, 4);
    const section = page.getByRole('link', { name: /^Deliveries.*4 messages were/ });
    await section.waitFor();
    await rows(page).first().getByText('Check the path in the URL').waitFor();
    await screenshot(page, 'deliveries');
    expect(await violationsOf(page)).toEqual([]);

    await rows(page).filter({ hasText: 'Ada Marsh' }).first().getByText('Only this person').click();
    await showsRows(page, 2);
    await rows(page).last().getByText('Only this request').click();
    await showsRows(page, 1);
    expect(new URL(page.url()).searchParams.get('request')).toBe(first);
    await rows(page).getByText('Details').click();
    await rows(page).getByText('Given up').waitFor();
    await page.getByRole('button', { name: 'Remove the filter: One request' }).click();
    await page.getByRole('button', { name: 'Remove the filter: One person' }).click();
    await showsRows(page, 4);
    await page.getByLabel('State').selectOption('Delivered');
    await page.getByText('No message matches.').waitFor();
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await showsRows(page, 4);
    await page.getByLabel('Since').selectOption('an hour ago');
    await showsRows(page, 4);

    await rows(page)
      .first()
      .getByRole('button', { name: /^Try again/ })
      .click();
    await page.getByText('The message will be sent again.').waitFor();
    await section.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /^Deliveries.*3 messages were/ }).waitFor();
    await rows(page).first().getByText('Trying again', { exact: true }).waitFor();
  });

  test('that failed are tried again all at once, with what became of each', async () => {
    receiver.respondWith((response) => response.writeHead(204).end());
    const page = await browser.open(`${app.url}${PAGE}?delivery=dead`, {
      as: owner,
      viewport: PHONE,
      dark: true,
    });
    await showsRows(page, 3);
    // One of them is delivered meanwhile, as far as the service says.
    let calls = 0;
    await page.route('**/retry', async (route) => {
      calls += 1;
      if (calls !== 2) return await route.continue();
      const error = { code: 'delivery_over', message: 'This message was delivered.' };
      await route.fulfill({ status: 409, json: { error } });
    });
    await page.getByRole('button', { name: 'Try all 3 messages again' }).click();
    await page.getByText('2 messages will be sent again.').waitFor();
    await page
      .getByText('1 message could not be tried again: This message was delivered.')
      .waitFor();
    await showsRows(page, 1);
    await screenshot(page, 'deliveries-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    const wide = 'document.documentElement.scrollWidth > innerWidth';
    expect(await page.evaluate(wide)).toBe(false);

    await page.unroute('**/retry');
    await page.route('**/retry', async (route) => {
      const error = { code: 'rate_limited', message: 'Too many calls.' };
      await route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: { error } });
    });
    await page.getByRole('button', { name: 'Try 1 message again' }).click();
    await page.getByText('Not sent: 1 message. Too many calls.').waitFor();
    await page.unroute('**/retry');
    await page.getByRole('button', { name: 'Try 1 message again' }).click();
    await page.getByText('Every message was delivered.').waitFor();
    await send();
    expect(receiver.received.some(({ body }) => body.includes(second))).toBe(true);
    const { body } = await owner.http.get('/api/v1/notification_deliveries?status=delivered');
    expect(body['notification_deliveries']).toHaveLength(4);
  });

  test('are read by those who may not try again, and counted for no one else', async () => {
    const page = await browser.open(`${app.url}${PAGE}`, { as: people.reader });
    await showsRows(page, 4);
    expect(await page.getByRole('button', { name: /^Try/ }).count()).toBe(0);
    const asked: string[] = [];
    const ada = await browser.open(`${app.url}/account`, { as: people.ada });
    ada.on('request', (request) => asked.push(request.url()));
    await ada.goto(`${app.url}${PAGE}`);
    await ada.getByText('You do not have access to this page').waitFor();
    expect(asked.filter((url) => url.includes('notification_deliveries'))).toEqual([]);
  });
});
