import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Page, Request } from 'playwright-core';
import { BOOTSTRAP_SECRET } from '../support/app.ts';
import { appForFile } from '../support/scene.ts';
import { until } from '../support/waiting.ts';
import { violationsOf } from '../support/web/accessibility.ts';
import { describeInBrowser, startBrowser } from '../support/web/browser.ts';

const app = await appForFile();
const link = `${app.url}/welcome#secret=${encodeURIComponent(BOOTSTRAP_SECRET)}`;
const secretIn = (page: Page) => page.getByRole('textbox', { name: 'Bootstrap secret' });

/** With cookies. For a call that a navigation ended, Chromium may never tell them: then those that the page set. */
const headersOf = async (request: Request): Promise<unknown> =>
  await Promise.race([request.allHeaders(), delay(2_000, request.headers(), { ref: false })]);

/** Everywhere a page can keep something, and everything it shows. */
const KEPT = `JSON.stringify([
  location.href, { ...localStorage }, { ...sessionStorage }, document.cookie, history.state,
  document.title, document.body.innerText,
])`;

describeInBrowser('the link that the start prints', () => {
  const browser = startBrowser({ refusals: [401, 403] });

  test('fills in the bootstrap secret, which stays nowhere and goes only to the bootstrap', async () => {
    const page = await browser.open(`${app.url}/login`);
    const sent: Request[] = [];
    page.on('request', (request) => sent.push(request));
    await page.goto(link);
    await page.getByText('Filled in from the link').waitFor();
    expect(await secretIn(page).inputValue()).toBe(BOOTSTRAP_SECRET);
    expect(page.url()).toBe(`${app.url}/welcome`);
    expect(await page.evaluate(KEPT)).not.toContain(BOOTSTRAP_SECRET);
    expect(await violationsOf(page)).toEqual([]);
    const focused = 'document.activeElement.labels?.[0]?.textContent';
    await until(
      'the first empty field has the focus',
      async () => (await page.evaluate(focused)) === 'Organization name',
    );

    await page.goBack();
    await page.goForward();
    expect(page.url()).toBe(`${app.url}/welcome`);
    // In a tab that shows the page, the browser does not load it again.
    await secretIn(page).waitFor();
    await page.evaluate(`location.href = ${JSON.stringify(link)}`);
    await page.getByText('Filled in from the link').waitFor();
    expect(await secretIn(page).inputValue()).toBe(BOOTSTRAP_SECRET);
    expect(page.url()).toBe(`${app.url}/welcome`);

    await page.getByRole('textbox', { name: 'Organization name' }).fill('Acme');
    await page.getByRole('textbox', { name: 'Your name' }).fill('Ada Lovelace');
    await page.getByRole('textbox', { name: 'Email' }).fill('ada@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery staple 9');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Hide setup' }).waitFor();
    expect(await page.evaluate(KEPT)).not.toContain(BOOTSTRAP_SECRET);
    const carriers = [];
    for (const request of sent) {
      const headers = JSON.stringify(await headersOf(request));
      if ((request.url() + headers + (request.postData() ?? '')).includes(BOOTSTRAP_SECRET))
        carriers.push(request.url());
    }
    expect(carriers).toEqual([`${app.url}/auth/bootstrap`]);

    await page.goto(link);
    await page.getByRole('heading', { name: 'You’re all caught up' }).waitFor();
    expect(await page.evaluate(KEPT)).not.toContain(BOOTSTRAP_SECRET);
  });
});
