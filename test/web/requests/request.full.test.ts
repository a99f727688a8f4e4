import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { REVIEWER, scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import {
  describeInBrowser,
  PHONE,
  screenshot,
  isCut,
  startBrowser,
  testInChromium,
} from '../../support/web/browser.ts';

const { app, people, ask, claimed, decide, deadlineOf, later } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, eve: ['request.read'] },
  paths: { 'on-call': [['ada'], ['bob']] },
  pipelines: { bot: 'on-call', free: {} },
});
const { ada, bob } = people;

/** The amount has more digits than a double, and the customer hides two letters. */
const refund = {
  tool: 'refund_payment',
  arguments: {
    payment_id: 'pay_81',
    amount: 120.5,
    currency: 'EUR',
    customer_id: 'p\u0430ypal\u202euser',
    lines: [{ sku: 'a', units: 2 }],
  },
};

const pageOf = (id: string): string => `${app.url}/requests/${id}`;
const statusOf = async (id: string): Promise<string> =>
  String((await ada.http.call('GET', `/api/v1/requests/${id}`)).body['status']);
const armed = (page: Page) => page.getByRole('group', { name: /You are about to/ });

/** What screen readers say after the name of a button. */
const describedBy = (page: Page, name: string): Promise<string> =>
  page.getByRole('button', { name }).evaluate((button) => {
    const { ariaDescribedByElements: elements } = button as unknown as {
      ariaDescribedByElements: readonly { textContent: string }[] | null;
    };
    return (elements ?? []).map(({ textContent }) => textContent).join(' ');
  });

describeInBrowser('a request', () => {
  const browser = startBrowser();

  test('shows the call as it was sent, what its summary leaves out, and what deceives', async () => {
    const page = await browser.open(pageOf(await ask(refund)), { as: ada });
    await page.getByRole('heading', { name: 'Refund 120.5 EUR of pay_81' }).waitFor();
    await page.getByText('The summary above leaves out 2 values of the arguments.').waitFor();
    await page
      .getByText('/customer_id: contains characters that hide, cover or reorder text.')
      .waitFor();
    await page.getByText('/customer_id: “pаypal” mixes Latin and Cyrillic letters').waitFor();
    expect(await page.locator('mark').first().textContent()).toBe('\\u202e');
    await screenshot(page, 'request-desk');
  });

  test('shows times by the clock of the service, whatever the clock of the computer says', async () => {
    const id = await ask({ tool: 'by_the_clock', timeout: '2h' });
    const page = await browser.open(`${app.url}/icon.svg`, { as: ada });
    await page.addInitScript(`
      const { now } = Date;
      Date.now = () => now() + 3_600_000;`);
    await page.goto(pageOf(id));
    await page
      .getByText(/\b1 h 5\d min left/)
      .first()
      .waitFor();
  });

  test('is answered by two different acts, once, on the arguments that were seen', async () => {
    const id = await ask(refund);
    const page = await browser.open(pageOf(id), { as: ada });
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.keyboard.press('a');
    await armed(page).getByText('/customer_id: contains characters').waitFor();
    expect(await statusOf(id)).toBe('pending');
    await page.getByRole('textbox', { name: /^Note/ }).fill('Checked with the customer.');
    await screenshot(page, 'request-armed');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Confirm approval' }).focus();
    await page.waitForTimeout(700);
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('by you').waitFor();
    const { body } = await ada.http.call('GET', `/api/v1/requests/${id}`);
    expect(body['decision']).toMatchObject({
      status: 'approved',
      note: 'Checked with the customer.',
      channel: 'web',
      seen: { arguments_digest: body['arguments_digest'] },
    });
  });

  test('is not answered by a double click', async () => {
    const id = await ask();
    const page = await browser.open(pageOf(id), { as: ada });
    await page.getByRole('button', { name: 'Deny' }).dblclick();
    await armed(page).waitFor();
    expect(await statusOf(id)).toBe('pending');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Deny' }).waitFor();
  });

  test('says who was faster', async () => {
    const id = await ask();
    const page = await browser.open(`${app.url}/login`, { as: ada });
    // Otherwise the page hears of the answer before it sends its own.
    await page.route('**/requests/changes?*after=*', () => undefined);
    await page.goto(pageOf(id));
    await page.getByRole('button', { name: 'Approve' }).click();
    await armed(page).waitFor();
    expect((await decide(bob, id, { status: 'denied' })).status).toBe(200);
    await page.getByRole('button', { name: 'Confirm approval' }).click();
    await page.getByText(`by ${bob.displayName}`).waitFor();
    expect(await statusOf(id)).toBe('denied');
    expect(browser.problems.splice(0).filter((each) => !each.includes('409'))).toEqual([]);
  });

  test('can only be denied when the page shows other arguments than the service holds', async () => {
    const id = await ask(refund);
    const page = await browser.open(`${app.url}/`, { as: ada });
    await page.route(`**/api/v1/requests/${id}`, async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        response: answer,
        body: (await answer.text()).replace('120.5', '12.05'),
      });
    });
    await page.goto(pageOf(id));
    await page.getByText('This page does not match the stored request.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    await page.keyboard.press('a');
    expect(await armed(page).count()).toBe(0);
    await page.keyboard.press('d');
    await page.locator('button[aria-disabled=false]', { hasText: 'Confirm denial' }).click();
    await page.getByText(/^Denied by you/).waitFor();
    expect(await app.db('decisions').where({ request_id: id }).first()).toMatchObject({
      status: 'denied',
      seen_arguments_digest: null,
    });
  });

  test('keeps one answer when the connection is cut before and after it is sent', async () => {
    const id = await ask();
    const page = await browser.open(pageOf(id), { as: ada });
    const keys: (string | undefined)[] = [];
    await page.route('**/decision', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length === 2) await route.fetch();
      if (keys.length <= 2) await route.abort('connectionreset');
      else await route.continue();
    });
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('button', { name: 'Confirm denial' }).click();
    await page.getByText('not confirmed yet').waitFor();
    await page.getByRole('status').getByText('by you').waitFor();
    expect(new Set(keys).size).toBe(1);
    expect(await app.db('decisions').where({ request_id: id })).toHaveLength(1);
    expect(browser.problems.splice(0).filter((each) => !isCut(each))).toEqual([]);
  });

  test('offers nothing while the browser is offline, and says why', async () => {
    const id = await ask();
    await claimed(ada, id);
    const page = await browser.open(pageOf(id), { as: ada });
    const acts = ['Release', 'Ask for help', 'Approve', 'Deny'];
    const isDisabled = async () => {
      const found = [];
      for (const name of acts) found.push(await page.getByRole('button', { name }).isDisabled());
      return found;
    };
    await page.getByRole('button', { name: 'Ask for help' }).click();
    await page.getByRole('dialog').getByRole('checkbox', { name: /Bob/ }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('dialog').getByText('You are offline.').waitFor();
    await page.keyboard.press('Escape');
    expect(await isDisabled()).toEqual([true, true, true, true]);
    await screenshot(page, 'request-offline');
    expect(await violationsOf(page)).toEqual([]);
    for (const name of ['Release', 'Ask for help'])
      expect(await describedBy(page, name)).toMatch(/^You are offline\./);
    await page.context().setOffline(false);
    await page.locator('button:enabled', { hasText: 'Release' }).waitFor();
    expect(await isDisabled()).toEqual([false, false, false, false]);
    expect(await describedBy(page, 'Release')).toBe('');
    browser.problems.splice(0);
  });

  testInChromium.each([
    ['a phone held sideways', { viewport: { width: 844, height: 390 }, touch: true }, false],
    ['a desk', {}, true],
  ])('names its keys only where there is a fine pointer: on %s', async (_name, options, named) => {
    const page = await browser.open(pageOf(await ask()), { as: ada, ...options });
    const key = page.getByRole('button', { name: 'Approve' }).locator('kbd');
    await key.waitFor({ state: 'attached' });
    expect(await key.isVisible()).toBe(named);
  });

  test('wraps long names, and says who was asked, how little time is left, and that it is over', async () => {
    const tool = `transfer_${'all_of_it_'.repeat(20)}now`;
    const id = await ask({ agent: 'free', tool, timeout: '4m' });
    await app
      .db('approval_requests')
      .where({ id })
      .update({ created_at: new Date(0) });
    const page = await browser.open(pageOf(id), { as: ada, viewport: PHONE });
    await page.getByText('Everyone who may decide was asked.').waitFor();
    const title = page.getByRole('heading', { level: 1 }).filter({ hasText: tool });
    const box = await title.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(PHONE.width);
    expect(box?.height).toBeGreaterThan(60);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    const sign = page.locator('article header strong svg');
    expect(await sign.count()).toBe(1);
    await screenshot(page, 'request-little-time');
    await later(id, await deadlineOf(id));
    await page.getByText('Expired: no one decided in time. The agent may not run it.').waitFor();
    expect(await sign.count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
    await page.getByRole('link', { name: 'All requests' }).click();
    await page.getByRole('button', { name: 'Decided' }).click();
    const row = page.getByRole('listitem').filter({ hasText: tool });
    await row.waitFor();
    expect((await row.boundingBox())?.height).toBeLessThan(80);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  });

  test('draws the first rows of a long list, and all of them on demand', async () => {
    const steps = Array.from({ length: 60 }, (_none, index) => `step ${index + 1}`);
    const page = await browser.open(`${app.url}/account`, { as: ada });
    const id = await ask({ tool: 'run_steps', arguments: { steps } });
    const field = { path: '/steps', label: 'Steps', kind: 'list', item: { kind: 'text' } };
    const presentation = { source: 'tool', title: 'Run', fields: [field] };
    await page.route(`**/api/v1/requests/${id}`, async (route) => {
      const response = await route.fetch();
      const rest = (await response.text()).replace(/^\{/, '');
      await route.fulfill({
        response,
        body: `{"presentation":${JSON.stringify(presentation)},${rest}`,
      });
    });
    await page.goto(pageOf(id));
    const items = page.locator('ol > li').filter({ hasText: /^step \d+$/ });
    await items.first().waitFor();
    expect(await items.count()).toBe(50);
    await page.getByRole('button', { name: 'Show all 60 rows' }).click();
    expect(await items.count()).toBe(60);
    expect(await page.getByRole('button', { name: /^Show all/ }).count()).toBe(0);
  });

  test('is claimed, released, and shared with a colleague, on a phone', async () => {
    const id = await ask(refund);
    const page = await browser.open(pageOf(id), { as: ada, viewport: PHONE, dark: true });
    await page.getByRole('button', { name: 'Claim' }).click();
    await page.getByText('You hold the claim').waitFor();
    await screenshot(page, 'request-phone');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Release' }).click();
    await page.getByRole('button', { name: 'Claim' }).waitFor();
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(PHONE.width);
  });
});
