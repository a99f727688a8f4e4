import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { REVIEWER, scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import {
  describeInChromium,
  PHONE,
  screenshot,
  startChromium,
} from '../../support/web/chromium.ts';

const { app, people, ask, decide } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, eve: ['request.read'] },
  paths: { 'on-call': [['ada'], ['bob']] },
  pipelines: { bot: 'on-call' },
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

describeInChromium('a request', () => {
  const chromium = startChromium();

  test('shows the call as it was sent, what its summary leaves out, and what deceives', async () => {
    const page = await chromium.open(pageOf(await ask(refund)), { as: ada });
    await page.getByRole('heading', { name: 'Refund 120.5 EUR of pay_81' }).waitFor();
    await page.getByText('The summary above leaves out 2 values of the arguments.').waitFor();
    await page
      .getByText('/customer_id: Contains characters that hide, cover or reorder text.')
      .waitFor();
    await page.getByText('/customer_id: “pаypal” mixes Latin and Cyrillic letters').waitFor();
    expect(await page.locator('mark').first().textContent()).toBe('\\u202e');
    await screenshot(page, 'request-desk');
  });

  test('is answered by two different acts, once, on the arguments that were seen', async () => {
    const id = await ask(refund);
    const page = await chromium.open(pageOf(id), { as: ada });
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.keyboard.press('a');
    await armed(page).getByText('/customer_id: Contains characters').waitFor();
    expect(await statusOf(id)).toBe('pending');
    await page.getByRole('textbox', { name: /^Note/ }).fill('Checked with the customer.');
    await screenshot(page, 'request-armed');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Confirm approval' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('by you').waitFor();
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
    const page = await chromium.open(pageOf(id), { as: ada });
    await page.getByRole('button', { name: 'Deny' }).dblclick();
    await armed(page).waitFor();
    expect(await statusOf(id)).toBe('pending');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Deny' }).waitFor();
  });

  test('says who was faster', async () => {
    const id = await ask();
    const page = await chromium.open(`${app.url}/login`, { as: ada });
    // Otherwise the page hears of the answer before it sends its own.
    await page.route('**/requests/changes?*wait=*', () => undefined);
    await page.goto(pageOf(id));
    await page.getByRole('button', { name: 'Approve' }).click();
    await armed(page).waitFor();
    expect((await decide(bob, id, { status: 'denied' })).status).toBe(200);
    await page.getByRole('button', { name: 'Confirm approval' }).click();
    await page.getByText(`by ${bob.displayName}`).waitFor();
    expect(await statusOf(id)).toBe('denied');
    expect(chromium.problems.splice(0)).toEqual([expect.stringContaining('409')]);
  });

  test('can only be denied when the page shows other arguments than the service holds', async () => {
    const id = await ask(refund);
    const page = await chromium.open(`${app.url}/`, { as: ada });
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
    await page.getByText('by you').waitFor();
    expect(await app.db('decisions').where({ request_id: id }).first()).toMatchObject({
      status: 'denied',
      seen_arguments_digest: null,
    });
  });

  test('keeps one answer when the connection is cut before and after it is sent', async () => {
    const id = await ask();
    const page = await chromium.open(pageOf(id), { as: ada });
    const keys: (string | undefined)[] = [];
    await page.route('**/decision', async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length === 2) await route.fetch();
      if (keys.length <= 2) await route.abort('connectionreset');
      else await route.continue();
    });
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByRole('button', { name: 'Confirm denial' }).click();
    await page.getByText('not yet confirmed').waitFor();
    await page.getByText('by you').waitFor();
    expect(new Set(keys).size).toBe(1);
    expect(await app.db('decisions').where({ request_id: id })).toHaveLength(1);
    expect(chromium.problems.splice(0)).toHaveLength(2);
  });

  test('is claimed, released, and shared with a colleague, on a phone', async () => {
    const id = await ask(refund);
    const page = await chromium.open(pageOf(id), { as: ada, viewport: PHONE, dark: true });
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
