/** A tab that slept while another person signed in heard nothing of it, and its cookie is theirs. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { REVIEWER, scene } from '../../support/scene.ts';
import type { TestMember } from '../../support/scene/factories.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, people, ask } = await scene({
  people: { ann: REVIEWER, bob: REVIEWER },
  paths: { 'on-call': [['ann', 'bob']] },
  pipelines: { bot: 'on-call' },
});
const { ann, bob } = people;

const pageOf = (id: string): string => `${app.url}/requests/${id}`;
const button = (page: Page, name: string) => page.getByRole('button', { name });
const decisionsOf = async (id: string): Promise<unknown[]> =>
  await app.db('decisions').where({ request_id: id });
const link = (page: Page, { displayName }: TestMember) =>
  page.getByRole('link', { name: displayName });

/** The browser of the page becomes the member's, and nothing tells the page. */
async function signIn(page: Page, { cookie }: TestMember): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  await page.context().addCookies([{ name, value, url: app.url }]);
}

async function expectNotice(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Someone else is signed in now' }).waitFor();
  await page.getByText(`you are now signed in as ${bob.displayName}.`).waitFor();
  expect(await link(page, ann).count()).toBe(0);
  expect(await button(page, 'Approve').count()).toBe(0);
}

describeInBrowser('a page whose browser is another person’s by now', () => {
  const browser = startBrowser({ refusals: [409] });

  /** As a tab that slept: it reads no changes. */
  const openAsleep = async (id: string): Promise<Page> => {
    const page = await browser.open(`${app.url}/icon.svg`, { as: ann });
    await page.route('**/requests/changes*', () => undefined);
    await page.goto(pageOf(id));
    return page;
  };

  test('decides nothing by its keys, and says whose session it is', async () => {
    const id = await ask();
    const page = await openAsleep(id);
    await button(page, 'Approve').click();
    await page.locator('button[aria-disabled=false]', { hasText: 'Confirm' }).waitFor();
    await signIn(page, bob);
    await page.keyboard.press('Control+Enter');
    await expectNotice(page);
    expect(await violationsOf(page)).toEqual([]);
    await screenshot(page, 'other-person');
    expect(await decisionsOf(id)).toEqual([]);
    await button(page, 'Reload').click();
    await link(page, bob).waitFor();
    await button(page, 'Approve').waitFor();
    expect(await decisionsOf(id)).toEqual([]);
  });

  test('claims nothing, either', async () => {
    const id = await ask();
    const page = await openAsleep(id);
    await button(page, 'Claim').waitFor();
    await signIn(page, bob);
    await button(page, 'Claim').click();
    await expectNotice(page);
    expect(await app.db('claims').where({ request_id: id })).toEqual([]);
  });

  test.each(['focus', 'visibilitychange'])('says so by itself on %s', async (event) => {
    const page = await openAsleep(await ask());
    await button(page, 'Approve').waitFor();
    await signIn(page, bob);
    const target = event === 'focus' ? 'window' : 'document';
    await page.evaluate(`${target}.dispatchEvent(new Event('${event}'))`);
    await expectNotice(page);
  });

  test('asks once in a few seconds, however often its person comes back', async () => {
    const page = await openAsleep(await ask());
    await button(page, 'Approve').waitFor();
    let asked = 0;
    await page.route('**/api/v1/me', async (route) => {
      asked += 1;
      expect(route.request().headers()['service-background']).toBe('1');
      await route.continue();
    });
    const answered = page.waitForResponse('**/api/v1/me');
    await page.evaluate(
      `for (let time = 0; time < 20; time += 1) window.dispatchEvent(new Event('focus'))`,
    );
    await answered;
    expect(asked).toBe(1);
    await button(page, 'Approve').waitFor();
  });
});
