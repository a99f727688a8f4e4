import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import { createPerson } from '../../support/scene/sign-in.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, organization, owner } = await scene({
  people: { ada: REVIEWER },
  paths: { payments: [['ada']] },
  pipelines: { 'support-bot': 'payments' },
});
const bob = await createPerson(app, organization.id, {
  displayName: 'Bob Field',
  policies: [everywhere(...REVIEWER)],
});
const cleo = await createPerson(app, organization.id, {
  displayName: 'Cleo Sand',
  policies: [everywhere('escalation_path.read')],
});

const PAGES = [
  ...['/', '/agents', '/rules', '/paths', '/home'],
  ...['', '/instances', '/connect', '/rules'].map((part) => `/agents/support-bot${part}`),
  '/paths/payments',
  ...['', '/security', '/sessions', '/notifications', '/shortcuts'].map(
    (part) => `/account${part}`,
  ),
];

const main = (page: Page) => page.getByRole('navigation', { name: 'Main' });
const entries = async (page: Page) => {
  await main(page).getByRole('link').first().waitFor();
  return await main(page).getByRole('link').allTextContents();
};
const current = async (page: Page) => await page.locator('[aria-current=page]').allTextContents();
const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');

describeInBrowser('the navigation', () => {
  // 501: the rules name the endpoints of webhooks, which need a secrets key.
  const browser = startBrowser({ refusals: [403, 501] });

  test('leads to the pages that a person may open, and marks the one that is open', async () => {
    const page = await browser.open(`${app.url}/rules`, { as: owner });
    await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor();
    expect(await entries(page)).toEqual([
      'Home',
      'Requests',
      'Agents',
      'Rules',
      'People',
      'Settings',
    ]);
    // The last is the place in the order of pipelines, once it is read.
    await page.getByText('Organization', { exact: true }).waitFor();
    expect(await current(page)).toEqual(['Rules', 'Rules', 'Organization']);
    await page.getByRole('link', { name: 'Escalation paths' }).click();
    await page.getByRole('heading', { level: 1, name: 'Escalation paths' }).waitFor();
    expect(await current(page)).toEqual(['Rules', 'Escalation paths']);
    await screenshot(page, 'navigation-paths');
    expect(await violationsOf(page)).toEqual([]);
    await main(page).getByRole('link', { name: 'Agents' }).click();
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor();
    expect(await current(page)).toEqual(['Agents']);
    await screenshot(page, 'navigation-agents');
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${app.url}/agents/support-bot/rules`);
    await page.getByText('Organization', { exact: true }).waitFor();
    expect((await current(page)).slice(0, 2)).toEqual(['Rules', 'Rules']);
    await page.goto(`${app.url}/paths/payments`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await current(page)).toEqual(['Rules', 'Escalation paths']);
  });

  test('shows no page that would refuse the person', async () => {
    expect(await entries(await browser.open(app.url, { as: bob }))).toEqual(['Requests']);
    const page = await browser.open(`${app.url}/paths`, { as: cleo });
    await page.getByRole('heading', { level: 1, name: 'Escalation paths' }).waitFor();
    expect(await entries(page)).toEqual(['Rules']);
    expect(await main(page).getByRole('link').getAttribute('href')).toBe('/paths');
    await page.goto(`${app.url}/agents`);
    await page.getByText('“See agents, their instances and their tools”').waitFor();
  });

  test('is a menu on a phone, for fingers and for keys', async () => {
    const page = await browser.open(`${app.url}/agents`, {
      as: owner,
      viewport: PHONE,
      dark: true,
    });
    const menu = page.getByRole('button', { name: 'Menu' });
    await menu.waitFor();
    expect(await main(page).count()).toBe(0);
    await menu.focus();
    await page.keyboard.press('Enter');
    await main(page).waitFor();
    expect(await menu.getAttribute('aria-expanded')).toBe('true');
    await screenshot(page, 'navigation-menu-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Home');
    await page.keyboard.press('Escape');
    expect([await focused(page), await main(page).count()]).toEqual(['Menu', 0]);
    await menu.click();
    await main(page).getByRole('link', { name: 'Rules' }).click();
    await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor();
    expect(await main(page).count()).toBe(0);
  });

  test.each([
    ['a small phone', PHONE],
    ['a desk at 200 %', { width: 640, height: 400 }],
    ['a wide screen', { width: 3840, height: 2160 }],
  ])('leads to pages that are no wider than the window, on %s', async (name, viewport) => {
    const page = await browser.open(app.url, { as: owner, viewport });
    for (const path of PAGES) {
      await page.goto(`${app.url}${path}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await screenshot(page, `page${path.replaceAll('/', '-')}-${viewport.width}`);
      const width = await page.evaluate<number>('document.documentElement.scrollWidth');
      expect([name, path, width]).toEqual([name, path, viewport.width]);
    }
  });
});
