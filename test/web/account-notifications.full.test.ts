import { expect, test } from '@jest/globals';
import { createMember } from '../support/scene/factories.ts';
import { connectSlack } from '../support/scene/slack-connections.ts';
import { slackForFile } from '../support/scene/slack-scene.ts';
import { violationsOf } from '../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../support/web/browser.ts';

const { app, slack } = await slackForFile();
const { organization, caller } = await connectSlack(app, slack);
const NOTIFICATIONS = `${app.url}/account/notifications`;
const SETTINGS = '/api/v1/me/notification_settings';

describeInBrowser('notifications of an account', () => {
  const browser = startBrowser();

  test('link a Slack user with a command, show when it arrived, and unlink', async () => {
    const ada = await createMember(app, organization.id, { displayName: 'Ada Marsh' });
    const page = await browser.open(NOTIFICATIONS, { as: ada, viewport: PHONE });
    await page.getByText('Link your Slack user below first.').waitFor();
    await page.getByRole('button', { name: 'Link Slack' }).click();
    const command = await page.locator('code').innerText();
    expect(command).toMatch(/^\/countersign link /);
    await screenshot(page, 'account-slack-command');
    expect(await violationsOf(page)).toEqual([]);
    await caller.command('U0123WXYZ', command.replace('/countersign ', ''));
    await page.getByText('Your Slack user is linked.').waitFor();
    await page.getByText('U0123WXYZ').waitFor();
    await page.getByText('A direct message with buttons to approve or deny.').waitFor();
    await screenshot(page, 'account-slack-linked');
    await page.getByRole('button', { name: 'Unlink' }).click();
    await page.getByText('Your Slack user is no longer linked.').waitFor();
    await page.getByRole('button', { name: 'Link Slack' }).waitFor();
    expect((await ada.http.get('/api/v1/me/slack')).body['slack_user_id']).toBe(null);
  });

  test('ask no further for a Slack command that expired', async () => {
    const dora = await createMember(app, organization.id, { displayName: 'Dora Lane' });
    const page = await browser.open(NOTIFICATIONS, { as: dora });
    await page.route('**/api/v1/me/slack/link', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as object;
      const expires_at = new Date(Date.now() - 60_000).toISOString();
      await route.fulfill({ response: answer, json: { ...body, expires_at } });
    });
    await page.getByRole('button', { name: 'Link Slack' }).click();
    await page.getByText('The command expired. Get a new one.').waitFor();
    await page.getByRole('button', { name: 'Link Slack' }).waitFor();
  });

  test('say at the field which step is wrong, and save the others in order', async () => {
    const eve = await createMember(app, organization.id, { displayName: 'Eve Holt' });
    const page = await browser.open(NOTIFICATIONS, { as: eve, viewport: PHONE });
    await page.getByRole('switch', { name: 'One after the other for urgent requests' }).click();
    const second = page.getByLabel('Step 2: how long after you are asked');
    await second.fill('soon');
    await page.getByText('Enter 0, or a time of at most 60m, such as 5m or 90s.').waitFor();
    await page.getByRole('button', { name: 'Save the steps' }).click();
    await second.fill('20m');
    await page.getByText('This is earlier than the step above it.').waitFor();
    expect((await eve.browser.get(SETTINGS)).body['steps']).toEqual({});
    await second.fill('90s');
    await page.getByLabel('Channel of step 3').selectOption('email');
    await screenshot(page, 'account-steps');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save the steps' }).click();
    await page.getByText('The steps are saved.').waitFor();
    expect((await eve.browser.get(SETTINGS)).body['steps']).toEqual({
      interrupt: [
        { channel: 'slack', after: '0' },
        { channel: 'email', after: '90s' },
        { channel: 'email', after: '10m' },
      ],
    });
  });

  test('change one channel by keyboard, and leave the others as another tab set them', async () => {
    const bob = await createMember(app, organization.id, { displayName: 'Bob Field' });
    const page = await browser.open(NOTIFICATIONS, { as: bob });
    const push = page.getByRole('switch', { name: 'Push messages' });
    await push.waitFor();
    expect(await page.getByRole('switch', { name: 'Email' }).isDisabled()).toBe(true);
    await page.getByText('This service does not send email.').waitFor();
    await bob.browser.call('PUT', SETTINGS, { body: { email: true, slack: false, push: true } });
    await push.focus();
    await page.keyboard.press('Space');
    await page.getByText('Saved.').waitFor();
    expect(await push.isChecked()).toBe(false);
    expect((await bob.browser.get(SETTINGS)).body).toEqual({
      email: true,
      slack: false,
      push: false,
      steps: {},
      troubled_channels: [],
    });
  });

  test('go back to what is stored when a change fails, and say so', async () => {
    const cleo = await createMember(app, organization.id, { displayName: 'Cleo Sand' });
    const page = await browser.open(NOTIFICATIONS, { as: cleo });
    const push = page.getByRole('switch', { name: 'Push messages' });
    await push.waitFor();
    await page.context().setOffline(true);
    await push.click();
    await page.getByRole('alert').getByText('The service did not respond.').waitFor();
    await page.context().setOffline(false);
    browser.problems.splice(0);
    expect(await push.isChecked()).toBe(true);
  });
});
