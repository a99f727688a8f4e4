import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { REVIEWER, scene } from '../../support/scene.ts';
import { until } from '../../support/waiting.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, owner } = await scene({ people: { ada: REVIEWER } });

/** Pages with all kinds of content. */
const DIVERSE = ['rules', 'benchmarks', 'gates/coding-agents', 'operations/configuration'];

const title = (page: Page) => page.getByRole('heading', { level: 1 });
const pages = (page: Page) => page.getByRole('navigation', { name: 'Pages of the guides' });
const width = (page: Page) => page.evaluate<number>('document.documentElement.scrollWidth');

describeInBrowser('the guides', () => {
  // 401: who is signed in is asked, and no one is.
  const browser = startBrowser({ refusals: [401, 404] });

  test('are there for everyone, with a list of all pages and links between them', async () => {
    const page = await browser.open(`${app.url}/docs`);
    await title(page).filter({ hasText: 'Documentation' }).waitFor();
    expect(await page.title()).toBe('Guides · Countersign');
    await pages(page).getByRole('link', { name: 'Quickstart' }).waitFor();
    await screenshot(page, 'docs-index');
    expect(await violationsOf(page)).toEqual([]);
    await pages(page).getByRole('link', { name: 'The web app' }).click();
    await title(page).filter({ hasText: 'The web app' }).waitFor();
    const picture = page.getByRole('img', { name: 'The queue next to an open request' });
    await picture.scrollIntoViewIfNeeded();
    await page.waitForFunction('document.querySelector("article img").naturalWidth > 0');
    await screenshot(page, 'docs-web-app');
    expect(await violationsOf(page)).toEqual([]);
    const link = page
      .getByRole('article')
      .getByRole('link', { name: 'escalation paths', exact: true });
    expect(await link.getAttribute('href')).toBe('/docs/escalation-paths#in-the-browser');
    await link.click();
    await title(page).filter({ hasText: 'Escalation paths' }).waitFor();
    const heading = page.getByRole('heading', { name: 'In the browser' });
    await heading.waitFor();
    await page.waitForFunction(
      `scrollY > 100 && document.activeElement.id === 'in-the-browser' &&
       document.activeElement.getBoundingClientRect().y < 200`,
    );
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
  });

  test('have code to copy, tables that scroll, and no page that is not there', async () => {
    const page = await browser.open(`${app.url}/docs/gates/mcp`, { dark: true });
    await title(page).waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy' }).first().click();
    await page.getByText('Copied.').waitFor();
    const [copied, shown] = await Promise.all([
      page.evaluate<string>('navigator.clipboard.readText()'),
      page.getByRole('group', { name: /^Code/ }).first().textContent(),
    ]);
    expect(copied).toBe(shown);
    await screenshot(page, 'docs-code-dark');
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${app.url}/docs/nowhere`);
    await title(page).filter({ hasText: 'Page not found' }).waitFor();
    await pages(page).getByRole('link', { name: 'Rules' }).waitFor();
  });

  test('are searched while one types, and the search is in the address', async () => {
    const page = await browser.open(`${app.url}/docs/rules`);
    await title(page).filter({ hasText: 'Rules' }).waitFor();
    const search = page.getByRole('searchbox', { name: 'Search the guides' });
    await search.click();
    await page.keyboard.type('slack workspace', { delay: 10 });
    await title(page).filter({ hasText: 'for “slack workspace”' }).waitFor();
    await page.waitForURL('**/docs/rules?q=slack+workspace');
    const results = page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ has: page.locator('mark') });
    const first = results.first().getByRole('link');
    expect(await first.getAttribute('href')).toMatch(/^\/docs\/slack/);
    await screenshot(page, 'docs-search');
    expect(await violationsOf(page)).toEqual([]);
    await page.reload();
    await title(page).filter({ hasText: 'for “slack workspace”' }).waitFor();
    expect(await search.inputValue()).toBe('slack workspace');
    await first.click();
    await title(page).filter({ hasText: 'Slack' }).waitFor();
    await until('the search is empty', async () => (await search.inputValue()) === '');
    expect(new URL(page.url()).search).toBe('');
    await search.fill('xylophone');
    await page.getByRole('heading', { name: 'Nothing found for “xylophone”' }).waitFor();
    await page.getByText('Try fewer or other words').waitFor();
  });

  test('have the frame for people who are signed in, and fit a phone', async () => {
    const page = await browser.open(app.url, { as: owner, viewport: PHONE });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Guides' }).click();
    await title(page).filter({ hasText: 'Documentation' }).waitFor();
    expect(await pages(page).count()).toBe(0);
    await page.getByRole('button', { name: 'All pages' }).click();
    await screenshot(page, 'docs-list-phone');
    expect(await violationsOf(page)).toEqual([]);
    await pages(page).getByRole('link', { name: 'Configuration', exact: true }).click();
    await title(page).filter({ hasText: 'Configuration' }).waitFor();
    expect(await pages(page).count()).toBe(0);
    await page
      .getByRole('group', { name: /^Table/ })
      .first()
      .waitFor();
    await screenshot(page, 'docs-table-phone');
    await page.goto(`${app.url}/docs/rules`);
    await title(page).waitFor();
    await screenshot(page, 'docs-rules-phone');
  });

  test('are no wider than a phone, whatever they show', async () => {
    const page = await browser.open(`${app.url}/docs`, { viewport: PHONE });
    for (const id of DIVERSE) {
      await page.goto(`${app.url}/docs/${id}`);
      await page.getByRole('article').waitFor();
      expect([id, await width(page)]).toEqual([id, PHONE.width]);
      expect([id, await violationsOf(page)]).toEqual([id, []]);
    }
  });
});
