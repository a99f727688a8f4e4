/** Connecting Slack in the browser, against a stand-in for Slack, and what becomes of the connection. */
import { afterAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { REVIEWER, scene } from '../../support/scene.ts';
import { codeOf } from '../../support/scene/slack-connections.ts';
import { SECRETS_KEY } from '../../support/scene/sign-in.ts';
import { SlackCaller, SlackServer } from '../../support/servers/slack-server.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const slack = new SlackServer();
await slack.start();
afterAll(() => slack.stop());
const { app, owner, people } = await scene({
  app: { environment: { ...slack.environment, COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } },
  people: {
    reader: ['connection.read', 'membership.read'],
    ada: { can: REVIEWER, displayName: 'Ada' },
    eve: ['request.read'],
  },
});
const workspace = slack.addWorkspace();
const caller = new SlackCaller(app.url, slack, workspace);
const name = `Team ${workspace.teamId}`;
const PAGE = '/settings/slack';

const button = (page: Page, label: string) =>
  page.getByRole('button', { name: label, exact: true });
const token = (page: Page) => page.getByLabel('Bot user OAuth token', { exact: true });
const panel = (page: Page, title: string | RegExp) =>
  page.locator('section').filter({ has: page.getByRole('heading', { level: 2, name: title }) });
const isWide = (page: Page) => page.evaluate('document.documentElement.scrollWidth > innerWidth');

describeInBrowser('the page of Slack', () => {
  const browser = startBrowser({ refusals: [400, 504] });

  test('leads through the steps by the keyboard, and says at its field what Slack refuses', async () => {
    const page = await browser.open(`${app.url}${PAGE}`, { as: owner });
    const link = page.getByRole('link', { name: 'Open Slack' });
    await link.waitFor();
    const shown = new URL((await link.getAttribute('href')) ?? '');
    expect(shown.origin).toBe('https://api.slack.com');
    expect(JSON.parse(shown.searchParams.get('manifest_json') ?? '')).toMatchObject({
      features: { slash_commands: [{ url: `${app.url}/auth/slack/commands` }] },
      settings: { interactivity: { request_url: `${app.url}/auth/slack/interactions` } },
      oauth_config: { scopes: { bot: ['chat:write', 'im:write', 'commands'] } },
    });
    await page.getByText('Slack calls only public https addresses').waitFor();
    await page.getByText('Or enter it by hand').click();
    await page.getByText(`${app.url}/auth/slack/commands`).waitFor();
    await screenshot(page, 'slack-connect');
    expect(await violationsOf(page)).toEqual([]);

    await token(page).fill('xoxp-0123456789');
    await page.getByLabel('Signing secret', { exact: true }).fill(workspace.signingSecret);
    await page.keyboard.press('Enter');
    await page.getByText('must be a bot token', { exact: false }).waitFor();
    await token(page).fill('xoxb-0123456789');
    await page.keyboard.press('Enter');
    await page.getByText('This is refused by Slack (invalid_auth).').waitFor();
    await token(page).and(page.locator(':focus')).waitFor();
    expect(await token(page).getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('textbox', { name: 'Default channel' }).fill('#general');
    await page.keyboard.press('Enter');
    await page.locator('[name=default_channel][aria-invalid=true]').waitFor();
    slack.misbehavior.set('auth.test', { kind: 'status', status: 503 });
    await page.getByRole('textbox', { name: 'Default channel' }).fill('C0789JKLM');
    await token(page).fill(workspace.botToken);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Slack', { exact: false }).first().waitFor();
    slack.misbehavior.clear();
    await token(page).press('Enter');
    await page.getByText('Slack is connected. Send a test', { exact: false }).waitFor();
    await panel(page, name).getByText('C0789JKLM').waitFor();
    await panel(page, name).getByText('On', { exact: true }).waitFor();
    // Nothing shows them again.
    const all = await page.content();
    expect(all).not.toContain(workspace.botToken);
    expect(all).not.toContain(workspace.signingSecret);
  });

  test('sends a test, says in plain words why one fails, and shows who gets no messages', async () => {
    await caller.command('U77', `link ${await codeOf(people.ada)}`);
    const page = await browser.open(`${app.url}${PAGE}`, { as: owner });
    const who = panel(page, 'Who gets messages in Slack');
    await who.getByText('1 of 4 members have linked their Slack user.', { exact: false }).waitFor();
    await who.getByRole('listitem').filter({ hasText: 'U77' }).getByText('Ada').waitFor();
    await button(page, 'Send a test').click();
    await page.getByText('The test message arrived').waitFor();
    expect(slack.posts.at(-1)?.channel).toBe('C0789JKLM');
    slack.archived.add('C0789JKLM');
    await button(page, 'Send a test').click();
    await page.getByText('The default channel is archived.').waitFor();
    await screenshot(page, 'slack-connected');
    expect(await violationsOf(page)).toEqual([]);

    await button(page, 'Default channel …').click();
    await page.getByRole('textbox', { name: 'Default channel' }).fill('');
    await page.keyboard.press('Enter');
    await page.getByText('None. Only the people asked get messages.').waitFor();
    await who.getByText('U77').waitFor();
  });

  test('ends one link, replaces a secret and disconnects, each with what follows said first', async () => {
    const page = await browser.open(`${app.url}${PAGE}`, { as: owner });
    const who = panel(page, 'Who gets messages in Slack');
    await button(page, 'Unlink Ada').click();
    await page.getByRole('dialog').getByText('They get an email.').waitFor();
    await button(page, 'Unlink').click();
    await who.getByText('0 of 4 members', { exact: false }).waitFor();
    await caller.command('U77', `link ${await codeOf(people.ada)}`);
    await page.reload();
    await button(page, 'Unlink Ada').waitFor();

    await button(page, 'Replace secrets …').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The link of 1 member ends', { exact: false }).waitFor();
    await button(page, 'Replace').click();
    await dialog.getByText('Enter a new token, a new signing secret, or both.').waitFor();
    const signingSecret = 'a'.repeat(32);
    await dialog.getByLabel('New signing secret', { exact: true }).fill(signingSecret);
    await screenshot(page, 'slack-replace');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    await who.getByText('0 of 4 members', { exact: false }).waitFor();
    expect((await caller.command('U77', 'help')).status).toBe(401);
    const fresh = new SlackCaller(app.url, slack, { ...workspace, signingSecret });
    expect((await fresh.command('U77', 'help')).status).toBe(200);

    const reader = await browser.open(`${app.url}${PAGE}`, {
      as: people.reader,
      viewport: { ...PHONE, width: 360 },
      dark: true,
    });
    await panel(reader, name).getByText('On', { exact: true }).waitFor();
    await reader.getByText('To change it, you need the permission', { exact: false }).waitFor();
    await panel(reader, 'Who gets messages in Slack').getByText('Ada').waitFor();
    expect(await panel(reader, /./).getByRole('button').count()).toBe(0);
    await screenshot(reader, 'slack-phone-dark');
    expect(await violationsOf(reader)).toEqual([]);
    expect(await isWide(reader)).toBe(false);

    await button(page, 'Disconnect …').click();
    await dialog.getByText('their buttons stop working', { exact: false }).waitFor();
    await page.getByLabel('Type this to confirm:').fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Open Slack' }).waitFor();
    expect((await fresh.command('U77', 'help')).status).toBe(401);
    await page.setViewportSize({ ...PHONE, width: 360 });
    await screenshot(page, 'slack-connect-phone');
    expect(await isWide(page)).toBe(false);
    await reader.reload();
    await reader.getByText('No Slack workspace is connected.').waitFor();
    const stranger = await browser.open(`${app.url}${PAGE}`, { as: people.eve });
    await stranger.getByText('You do not have access to this page').waitFor();
    expect(await stranger.getByRole('link', { name: 'Slack', exact: true }).count()).toBe(0);
  });
});
