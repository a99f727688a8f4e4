/** A reviewer goes through the queue by keyboard, and finds what rows show. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { REVIEWER, scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, people, ask, claimed } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER },
  paths: { 'on-call': [['ada'], ['bob']] },
  pipelines: { bot: 'on-call', clerk: 'on-call' },
});
const { ada, bob } = people;

const rows = (page: Page) =>
  page
    .getByRole('region', { name: 'Requests', exact: true })
    .getByRole('listitem')
    .getByRole('link');
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const focusedRow = async (page: Page) =>
  await page.evaluate<string>('document.activeElement.textContent');
const refund = (amount: number) => ({ amount, currency: 'EUR', payment_id: `pay_${amount}` });
const askRefund = async (amount: number, timeout: string) =>
  await ask({ tool: 'refund_payment', arguments: refund(amount), timeout });

describeInBrowser('the queue by keyboard', () => {
  const browser = startBrowser();

  test('has urgent ones first, then what expires first, opens them with J and K, and says where one is', async () => {
    await askRefund(3, '3h');
    await askRefund(2, '20m');
    const urgent = await askRefund(1, '5h');
    await app.db('approval_requests').where({ id: urgent }).update({ urgency: 'interrupt' });
    const page = await browser.open(`${app.url}/`, { as: ada });
    await rows(page).first().waitFor();
    const list = page.getByRole('region', { name: 'Requests' });
    expect(await list.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual([
      ...['Urgent', 'Soon: within the hour', 'Later'],
    ]);
    const titles = (await rows(page).allInnerTexts()).map((text) => text.split('\n')[0]);
    expect(titles).toEqual([1, 2, 3].map((amount) => `Refund ${amount} EUR of pay_${amount}`));
    await heading(page, 'Refund 1 EUR of pay_1').waitFor();
    await page.getByText('1 of 3').waitFor();
    await page.keyboard.press('j');
    await heading(page, 'Refund 2 EUR of pay_2').waitFor();
    await page.getByText('2 of 3').waitFor();
    // The list is one stop of the Tab key, and arrows move in it.
    expect(await focusedRow(page)).toContain('pay_2');
    await page.keyboard.press('ArrowDown');
    expect(await focusedRow(page)).toContain('pay_3');
    expect(await list.locator('li [tabindex="0"]').count()).toBe(1);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("li")')).toBe(null);
    await page.keyboard.press('k');
    await heading(page, 'Refund 1 EUR of pay_1').waitFor();
    await screenshot(page, 'queue-keys');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('/');
    await page.keyboard.type('3 eur pay_3');
    await rows(page).filter({ hasText: 'pay_1' }).waitFor({ state: 'detached' });
    await rows(page).filter({ hasText: 'pay_3' }).waitFor();
    expect(await rows(page).count()).toBe(1);
  });

  test('shows keys with ?, claims with C, and names the claim of another in the bar', async () => {
    const [mine, theirs] = [await askRefund(5, '2h'), await askRefund(6, '2h')];
    const page = await browser.open(`${app.url}/requests/${mine}`, { as: ada });
    await page.getByRole('button', { name: 'Claim' }).waitFor();
    await rows(page).first().waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').getByText('Open the next request').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    await page.getByText('You hold the claim').waitFor();
    await claimed(bob, theirs);
    await page.goto(`${app.url}/requests/${theirs}`);
    await page.getByRole('button', { name: 'Deny' }).click();
    const bar = page.getByRole('group', { name: 'You are about to deny' });
    await bar.getByText('Bob holds the claim.').waitFor();
    await screenshot(page, 'request-armed-denied');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('opens the next one after a decision once that is switched on, and says what became of it', async () => {
    const first = await askRefund(7, '10m');
    await askRefund(8, '11m');
    await askRefund(9, '12m');
    const page = await browser.open(`${app.url}/requests/${first}?q=pay_`, { as: ada });
    const approve = async () => {
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.locator('button[aria-disabled=false]', { hasText: 'Confirm' }).click();
    };
    await approve();
    await page.getByRole('checkbox', { name: 'Open the next one after each decision' }).check();
    await page.getByRole('link', { name: 'Next request' }).click();
    await heading(page, 'Refund 8 EUR of pay_8').waitFor();
    await approve();
    await heading(page, 'Refund 9 EUR of pay_9').waitFor();
    const last = page.getByRole('status').filter({ hasText: 'You approved the request before' });
    await last.waitFor();
    await screenshot(page, 'request-next');
    await last.getByRole('link').click();
    await heading(page, 'Refund 8 EUR of pay_8').waitFor();
    await page.getByRole('status').getByText('by you').waitFor();
  });

  test('filters by agent and by tool, and keeps both in its address', async () => {
    await ask({ agent: 'clerk', tool: 'send_email' });
    const page = await browser.open(`${app.url}/`, { as: ada });
    await rows(page).first().waitFor();
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await page.getByRole('combobox', { name: 'Agent' }).selectOption('Agent clerk');
    await rows(page).filter({ hasText: 'refund' }).first().waitFor({ state: 'detached' });
    await rows(page).filter({ hasText: 'send_email' }).waitFor();
    expect(await rows(page).count()).toBe(1);
    await page.getByRole('combobox', { name: 'Tool' }).selectOption('refund_payment');
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    expect(new URL(page.url()).searchParams.get('tool')).toBe('refund_payment');
    await page.getByRole('button', { name: 'Filters (2)' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
