import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { appForFile, everywhere } from '../support/scene.ts';
import { createAgent, createOrganization, createTeam } from '../support/scene/factories.ts';
import { createPerson, login, PASSWORD, SECRETS_KEY } from '../support/scene/sign-in.ts';
import { violationsOf } from '../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../support/web/browser.ts';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1';

const app = await appForFile({ environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } });
const organization = await createOrganization(app);
const { slug } = await createAgent(app, organization, 'deploy-bot');
const ada = await createPerson(app, organization.id, {
  displayName: 'Ada Marsh',
  policies: [
    { scope_kind: 'agent', resource_ids: [slug], permissions: ['request.decide'] },
    { scope_kind: 'organization', permissions: ['request.read', 'team.read'] },
  ],
});
const bob = await createPerson(app, organization.id, {
  displayName: 'Bob Field',
  policies: [everywhere('request.read', 'request.decide')],
});
const cleo = await createPerson(app, organization.id, { displayName: 'Cleo Sand' });
await createTeam(app, organization.id, { name: 'Night shift', members: [ada] });

const focusedText = (page: Page) => page.evaluate<string>('document.activeElement?.textContent');

describeInBrowser('the account pages', () => {
  const browser = startBrowser({ refusals: [400, 401] });

  test('say who a person is and what they may do, in plain words', async () => {
    const page = await browser.open(app.url, { as: ada });
    await page.getByRole('link', { name: /^Ada Marsh.*Your account$/ }).click();
    await page.getByRole('heading', { name: 'Ada Marsh' }).waitFor();
    expect(await page.title()).toBe('Profile · Countersign');
    await page.getByText(ada.email).waitFor();
    await page.getByText('Night shift').waitFor();
    const decide = page
      .getByRole('listitem')
      .filter({ hasText: 'Approve or deny requests routed' });
    expect(await decide.innerText()).toContain('only for agent Agent deploy-bot');
    const read = page.getByRole('listitem').filter({ hasText: 'See requests routed to you' });
    expect(await read.innerText()).not.toContain('only for');
    expect(await page.getByText('Grant and revoke permissions').count()).toBe(0);
  });

  test('lead a keyboard through the sections, each with a path of its own', async () => {
    const page = await browser.open(`${app.url}/account`, { as: ada });
    await page.getByRole('heading', { name: 'Ada Marsh' }).waitFor();
    for (const [label, path] of [
      ['Security', '/account/security'],
      ['Sessions', '/account/sessions'],
      ['Notifications', '/account/notifications'],
      ['API keys', '/account/keys'],
      ['Shortcuts', '/account/shortcuts'],
      ['Profile', '/account'],
    ] as const) {
      const link = page
        .getByRole('navigation', { name: 'Sections of your account' })
        .getByRole('link', { name: label });
      await link.focus();
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { level: 1, name: label }).waitFor();
      expect(new URL(page.url()).pathname).toBe(path);
      expect(await link.getAttribute('aria-current')).toBe('page');
    }
  });

  test('mark this session, and end one or all others', async () => {
    for (const userAgent of [FIREFOX, IPHONE, IPHONE])
      await app.http.post(
        '/auth/login',
        { email: bob.email, password: PASSWORD },
        { headers: { 'user-agent': userAgent } },
      );
    const page = await browser.open(`${app.url}/account/sessions`, { as: bob });
    const sessions = page.getByRole('listitem');
    await page.getByText('This session').waitFor();
    expect(await sessions.count()).toBe(4);
    expect(await sessions.first().innerText()).toContain('This session');
    await screenshot(page, 'account-sessions');
    await page.getByRole('button', { name: 'Sign out Firefox on Linux' }).click();
    await page.getByText('Firefox on Linux is signed out.').waitFor();
    expect(await focusedText(page)).toBe('Firefox on Linux is signed out.');
    await expect(
      page.getByRole('button', { name: 'Sign out Safari on iPhone' }).count(),
    ).resolves.toBe(2);
    await page.getByRole('button', { name: 'Sign out all other sessions' }).click();
    await page.getByText('You are not signed in anywhere else.').waitFor();
    expect(await sessions.count()).toBe(1);
    expect((await bob.browser.get('/api/v1/me')).status).toBe(200);
  });

  test('change a password, and keep what was typed when it is refused', async () => {
    const page = await browser.open(`${app.url}/account/security`, { as: cleo });
    const current = page.getByLabel('Current password', { exact: true });
    const next = page.getByLabel('New password', { exact: true });
    await current.fill('wrong');
    await next.fill('nine quiet herons by the weir');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('This is not your current password.').waitFor();
    expect(await next.inputValue()).toBe('nine quiet herons by the weir');
    await current.fill(PASSWORD);
    await next.fill('short');
    await page.keyboard.press('Enter');
    await page.getByText(/at least 12 characters/i).waitFor();
    await screenshot(page, 'account-security-refused');
    await next.fill('nine quiet herons by the weir');
    await page.keyboard.press('Enter');
    await page.getByText('Your password is changed.').waitFor();
    expect(await focusedText(page)).toContain('Your password is changed.');
    expect([await current.inputValue(), await next.inputValue()]).toEqual(['', '']);
    expect((await login(app, cleo)).status).toBe(401);
  });

  test('switch single keys off in this browser', async () => {
    const page = await browser.open(`${app.url}/account/shortcuts`, { as: bob });
    const single = page.getByRole('switch', { name: 'Single-key shortcuts' });
    await page.getByRole('cell', { name: 'Approve: opens the confirmation' }).waitFor();
    expect(await single.isChecked()).toBe(true);
    await single.focus();
    await page.keyboard.press('Space');
    await page.reload();
    await page.getByText('On a request (off)').waitFor();
    expect(await single.isChecked()).toBe(false);
  });

  test.each([
    ['desk', 'light', {}],
    ['desk', 'dark', { dark: true }],
    ['phone', 'light', { viewport: PHONE }],
    ['phone', 'dark', { viewport: PHONE, dark: true }],
  ])('break no rule of accessibility on a %s in %s', async (device, scheme, options) => {
    const page = await browser.open(`${app.url}/account`, { ...options, as: ada });
    for (const [path, shown] of [
      ['/account', 'Ada Marsh'],
      ['/account/security', 'Second factor'],
      ['/account/sessions', 'Where you are signed in'],
      ['/account/notifications', 'How you are notified'],
      ['/account/keys', 'Keys you made'],
      ['/account/shortcuts', 'All keys'],
    ] as const) {
      await page.goto(`${app.url}${path}`);
      await page.getByRole('heading', { level: 2, name: shown }).waitFor();
      await screenshot(page, `${path.slice(1).replace('/', '-')}-${device}-${scheme}`);
      expect([path, await violationsOf(page)]).toEqual([path, []]);
      const isWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      expect([path, isWide]).toEqual([path, false]);
    }
  });
});
