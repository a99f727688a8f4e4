import { afterAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { freePort } from '../../../src/local/processes.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { until } from '../../support/waiting.ts';
import { describeInBrowser, isCut, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, people, ask, decide } = await scene({
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});
const { ada } = people;

const port = await freePort();
/** Another process of the deployment, which the browser talks to. */
const start = (): Promise<TestApp> =>
  startApp({ databaseUrl: app.databaseUrl, environment: { PORT: String(port) } });
let front = await start();
const { url } = front;
afterAll(() => front.close());

const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });

/** What a page loads of the next build. */
const serveNextBuild = (page: Page) =>
  page.route(`${url}/`, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.text()).replaceAll('/assets/index-', '/assets/next-');
    await route.fulfill({ response: answer, body });
  });

describeInBrowser('an update of the service', () => {
  const browser = startBrowser();

  test('leaves the list right, and offers the new version without losing what is typed', async () => {
    const [stays, leaves] = [await ask({ tool: 'stays_tool' }), await ask({ tool: 'leaves_tool' })];
    const page = await browser.open(`${url}/account`, { as: ada });
    // A part of the page that is asked for only when the service has gone.
    let isGone = false;
    await page.route('**/assets/request-schedule-*.js', async (route) => {
      await until('the service is gone', () => isGone);
      await route.continue();
    });
    await page.goto(`${url}/requests/${stays}`);
    await row(page, 'leaves_tool').waitFor();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('textbox', { name: /^Note/ }).fill('Half a note');

    await front.close();
    isGone = true;
    await page.getByText('This list may be out of date').waitFor();
    await screenshot(page, 'queue-cut');
    await ask({ tool: 'arrives_tool' });
    await decide(ada, leaves);
    await serveNextBuild(page);
    front = await start();
    await page.evaluate('dispatchEvent(new Event("online"))');
    await row(page, 'leaves_tool').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Show 1 new request' }).waitFor();
    expect(await page.getByText('This list may be out of date').count()).toBe(0);

    // The part comes late.
    await page.getByRole('figure').waitFor();

    await page.getByText('A new version is available.').waitFor();
    await screenshot(page, 'new-build');
    await page.unroute(`${url}/`);
    await page.getByRole('button', { name: 'Reload' }).click();
    await row(page, 'arrives_tool').waitFor();
    expect(await page.getByText('A new version is available.').count()).toBe(0);
    await page.getByRole('button', { name: 'Deny' }).click();
    expect(await page.getByRole('textbox', { name: /^Note/ }).inputValue()).toBe('Half a note');
    expect(browser.problems.splice(0).filter((each) => !isCut(each))).toEqual([]);
  });

  test('that took a part of the page away loads the page again, once', async () => {
    await ask({ tool: 'part_tool' });
    const page = await browser.open(`${url}/`, { as: ada });
    await row(page, 'part_tool').waitFor();
    await page.route('**/assets/profile-*.js', (route) => route.abort());
    await serveNextBuild(page);
    let loads = 0;
    page.on('load', () => (loads += 1));
    await page.getByRole('link', { name: ada.displayName }).click();
    await page.getByRole('heading', { name: 'This page could not be shown' }).waitFor();
    await until('the page is loaded again', () => loads > 0);
    expect(loads).toBe(1);
    expect(page.url()).toContain('/account');
    browser.problems.splice(0);
  });

  test('is not assumed of a page that is left while its parts load', async () => {
    const page = await browser.open(`${url}/`, { as: ada });
    await page.getByRole('searchbox').waitFor();
    // Firefox stops the loads of a page after this event and before the next page. Time stands still between them.
    await page.route('**/assets/profile-*.js', (route) => route.abort());
    await page.evaluate(`{
      const now = performance.now();
      performance.now = () => now;
      dispatchEvent(new Event('beforeunload'));
    }`);
    const failed = page.evaluate(
      'new Promise((done) => addEventListener("vite:preloadError", () => setTimeout(done)))',
    );
    const loads: string[] = [];
    page.on('request', (each) => each.isNavigationRequest() && loads.push(each.url()));
    await page.getByRole('link', { name: ada.displayName }).click();
    await failed;
    expect(await page.getByRole('alert').filter({ hasText: 'could not' }).count()).toBe(0);
    await page.goto(`${url}/enroll`);
    expect(loads).toEqual([`${url}/enroll`]);
    expect(browser.problems.splice(0).filter((each) => !isCut(each))).toEqual([]);
  });
});
