/** The notification channels of an organization, as those see them who manage. */
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { newMinute, sendDue } from '../../support/outbox.ts';
import { scene } from '../../support/scene.ts';
import { LOOPBACK_ALLOWED, startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, owner, people, ask } = await scene({
  app: {
    environment: {
      ...LOOPBACK_ALLOWED,
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
    },
  },
  people: { reader: ['connection.read'], eve: ['request.read'] },
  paths: { everyone: [['reader']] },
});
const poor = await scene();
const receiver = await startWebhookReceiver();
afterAll(() => receiver.close());
const PAGE = '/settings/channels';

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const item = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) });
const secretIn = async (page: Page, name: string): Promise<string> => {
  const box = page.getByRole('region', { name: `Signing secret of ${name}` });
  await box.getByRole('button', { name: 'Show' }).click();
  const secret = await box.locator('pre[data-shown=true]').innerText();
  await box.getByRole('button', { name: 'I stored it' }).click();
  await box.waitFor({ state: 'detached' });
  return secret;
};
const isSigned = (secret: string): boolean => {
  const { body, headers } = receiver.received.at(-1) ?? { body: '', headers: {} };
  try {
    new Webhook(secret).verify(body, headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
};

describeInBrowser('notification channels', () => {
  const browser = startBrowser({ refusals: [400] });

  test('are created, tested, changed over to a new secret, turned off and deleted', async () => {
    const page = await browser.open(`${app.url}${PAGE}`, { as: owner });
    await item(page, 'Email').getByText('Not set up').waitFor();
    await item(page, 'Email').getByText('SMTP_URL').waitFor();
    await item(page, 'Slack').getByText('No Slack workspace is connected.').waitFor();
    await button(page, 'New webhook').click();
    const dialog = page.getByRole('dialog', { name: 'New webhook' });
    await dialog.getByLabel('Name').fill('Incident bot');
    await dialog.getByLabel('URL').fill('https://10.0.0.1/hook');
    await page.keyboard.press('Enter');
    await dialog.locator('[name=url][aria-invalid=true]').waitFor();
    await dialog.getByLabel('URL').fill(receiver.url);
    await page.keyboard.press('Enter');
    const first = await secretIn(page, 'Incident bot');
    const bot = item(page, 'Incident bot');
    await bot.getByText('It does not include the arguments of the call.').waitFor();

    await button(page, 'Send a test over Incident bot').click();
    await bot.getByRole('status').getByText('The test message arrived').waitFor();
    expect(isSigned(first)).toBe(true);
    receiver.respondWith((response) => response.writeHead(401).end('no <b>such</b> key\u202e'));
    await button(page, 'Send a test over Incident bot').click();
    await bot.getByText('The receiver responded with status 401.').waitFor();
    await bot.getByText('no <b>such</b> key').waitFor();
    await screenshot(page, 'channels-test');
    expect(await violationsOf(page)).toEqual([]);

    receiver.respondWith((response) => response.writeHead(204).end());
    await button(page, 'More for Incident bot').click();
    await page.getByRole('menuitem', { name: 'Replace the signing secret …' }).click();
    await screenshot(page, 'channels-rotate');
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Replace secret', exact: true })
      .click();
    const second = await secretIn(page, 'Incident bot');
    await bot.getByText('The previous secret also signs until').waitFor();
    await button(page, 'Send a test over Incident bot').click();
    await bot.getByRole('status').getByText('The test message arrived').waitFor();
    expect([isSigned(first), isSigned(second)]).toEqual([true, true]);

    await button(page, 'Edit Incident bot').click();
    await page.getByRole('dialog').getByLabel('Include the arguments of the call').check();
    await page.getByRole('dialog').getByLabel('Name').fill('Pager');
    await page.keyboard.press('Enter');
    const pager = item(page, 'Pager');
    await pager.getByText('It includes the arguments of the call').waitFor();
    await button(page, 'Turn off Pager').click();
    await pager.getByText('Off', { exact: true }).waitFor();
    await button(page, 'Undo').click();
    await pager.getByText('On', { exact: true }).waitFor();

    await button(page, 'More for Pager').click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await page.getByText('This cannot be undone.').waitFor();
    await page.getByLabel('Type this to confirm:').fill('Pager');
    await page.keyboard.press('Enter');
    await pager.waitFor({ state: 'detached' });
  });

  test('mark one whose last message died, and say why in plain words, also on a phone', async () => {
    const { browser: http } = owner;
    const body = { kind: 'webhook', name: 'Broken', url: receiver.url };
    expect((await http.post('/api/v1/notification_channels', body)).status).toBe(201);
    receiver.respondWith((response) => response.writeHead(404).end());
    await ask();
    await newMinute(app);
    while ((await sendDue(app.context)) > 0);
    const page = await browser.open(`${app.url}${PAGE}`, {
      as: owner,
      viewport: PHONE,
      dark: true,
    });
    const broken = item(page, 'Broken');
    await broken.getByText('Last message failed').waitFor();
    await broken.getByText('Latest 1 message: 1 could not be delivered.').waitFor();
    await broken.getByText('Check the path in the URL').waitFor();
    await screenshot(page, 'channels-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    const wide = 'document.documentElement.scrollWidth > innerWidth';
    expect(await page.evaluate(wide)).toBe(false);
  });

  test('are read by those who may not change them, and by no one else', async () => {
    const page = await browser.open(`${app.url}${PAGE}`, { as: people.reader });
    await item(page, 'Broken').waitFor();
    await page.getByText('To change them, you need the permission').waitFor();
    expect(await page.getByRole('button', { name: /test|Edit|Turn|More|New/ }).count()).toBe(0);
    const stranger = await browser.open(`${app.url}${PAGE}`, { as: people.eve });
    await stranger.getByText('You do not have access to this page').waitFor();
    expect(await stranger.getByRole('link', { name: 'Channels' }).count()).toBe(0);
  });

  test('name the variable without which a deployment can keep no secret', async () => {
    const page = await browser.open(`${poor.app.url}${PAGE}`, { as: poor.owner });
    await item(page, 'Slack').getByText('COUNTERSIGN_SECRETS_KEY').waitFor();
    await page.getByRole('link', { name: 'Slack', exact: true }).click();
    await page.getByRole('heading', { name: 'Slack needs a secrets key.' }).waitFor();
    await page.getByRole('link', { name: 'Channels', exact: true }).click();
    await button(page, 'New webhook').click();
    await page.getByRole('dialog').getByLabel('Name').fill('Bot');
    await page.getByRole('dialog').getByLabel('URL').fill('https://hooks.example.com/');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('COUNTERSIGN_SECRETS_KEY').waitFor();
    for (const problem of browser.problems.splice(0)) expect(problem).toContain(' status of 501 ');
  });
});
