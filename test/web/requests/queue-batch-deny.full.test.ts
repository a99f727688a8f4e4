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

const { app, people, ask, decide, read } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER },
  paths: { 'on-call': [['ada', 'bob']] },
  pipelines: { bot: 'on-call' },
});
const { ada, bob } = people;

const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
const box = (page: Page, name: string) =>
  page.getByRole('checkbox', { name: new RegExp(`^Select ${name} of`) });
const dialog = (page: Page) => page.getByRole('dialog');

/** Asked in this order, so that the last is the first row. */
async function askEach(...tools: readonly string[]): Promise<string[]> {
  const ids = [];
  for (const tool of tools) ids.push(await ask({ tool, arguments: { path: `/srv/${tool}` } }));
  return ids;
}

/** At one request, an answer other than the service's, or something that happens before it. */
async function atDecision(page: Page, id: string, act: () => Promise<object | undefined>) {
  await page.route(`**/requests/${id}/decision`, async (route) => {
    const answer = await act();
    if (answer) await route.fulfill(answer);
    else await route.continue();
  });
}

describeInBrowser('denying several requests', () => {
  const browser = startBrowser({ refusals: [403, 409] });

  test('is done by keyboard: each gets a decision of its own, and one note', async () => {
    const [one = '', two = '', three = '', four = ''] = await askEach(
      'one',
      'two',
      'three',
      'four',
    );
    const page = await browser.open(`${app.url}/?sort=created`, { as: ada });
    await row(page, 'four').waitFor();
    for (const key of ['k', 'x', 'j', 'x', 'j', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('3 selected').waitFor();
    expect(await box(page, 'two').isChecked()).toBe(false);

    await decide(bob, three, { status: 'approved' });
    await page.getByText('2 selected').waitFor();
    await page.getByText('1 request removed from the selection').waitFor();
    await screenshot(page, 'queue-selection');
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('button', { name: 'Deny 2 …' }).press('Enter');
    await dialog(page).getByRole('heading', { name: 'Deny 2 requests?' }).waitFor();
    await dialog(page).getByRole('textbox').fill('The agent loops.');
    await screenshot(page, 'batch-deny');
    expect(await violationsOf(page)).toEqual([]);
    const confirm = dialog(page).getByRole('button', { name: 'Deny 2 requests' });
    await confirm.focus();
    await dialog(page).locator('button[aria-disabled=false]').waitFor();
    await page.waitForTimeout(700);
    await page.keyboard.press('Enter');
    await dialog(page).getByText('2 denied.').waitFor();
    await page.keyboard.press('Enter');
    const list = page.getByRole('region', { name: 'Requests' });
    await list.and(page.locator(':focus')).waitFor();
    await row(page, 'two').waitFor();
    expect(await list.getByRole('listitem').count()).toBe(1);
    expect(await page.getByRole('checkbox').count()).toBe(0);

    const decisions = [];
    for (const id of [one, four]) decisions.push((await read(id))['decision']);
    for (const decision of decisions) {
      expect(decision).toMatchObject({
        status: 'denied',
        note: 'The agent loops.',
        channel: 'web',
      });
      expect(decision).not.toHaveProperty('seen');
    }
    expect(new Set(decisions.map((each) => each?.['idempotency_key'])).size).toBe(2);
    expect((await read(two))['status']).toBe('pending');
    await decide(ada, two);
  });

  test('says what became of each, and keeps selected what failed, on a phone', async () => {
    const [a = '', b = '', c = ''] = await askEach('aaa', 'bbb', 'ccc');
    const page = await browser.open(`${app.url}/?sort=created`, {
      as: ada,
      viewport: PHONE,
      dark: true,
    });
    await atDecision(page, b, async () => {
      await decide(bob, b, { status: 'approved' });
      return undefined;
    });
    await atDecision(page, a, () => Promise.resolve({ status: 403, body: NOT_ROUTED }));
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByRole('button', { name: 'Select all' }).click();
    await screenshot(page, 'queue-selection-phone');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Deny 3 …' }).click();
    await dialog(page).locator('button[aria-disabled=false]').click();
    await dialog(page).getByText('1 of 3 requests denied. 1 request stays selected.').waitFor();
    const result = (tool: string) => dialog(page).getByRole('listitem').filter({ hasText: tool });
    await result('ccc').getByText('denied', { exact: true }).waitFor();
    await result('bbb').getByText(`already approved by ${bob.displayName}`).waitFor();
    await result('aaa').getByText('you cannot decide it').waitFor();
    await screenshot(page, 'batch-deny-phone');
    expect(await violationsOf(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    expect(await box(page, 'aaa').isChecked()).toBe(true);
    expect(await page.getByRole('checkbox').count()).toBe(1);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(PHONE.width);
    expect((await read(c))['status']).toBe('denied');
    await decide(ada, a);
  });

  testInChromium('is one decision where a connection was cut, and stops after it', async () => {
    const [first = '', , last = ''] = await askEach('list_files', 'read_file', 'send_email');
    const page = await browser.open(`${app.url}/?sort=created`, { as: ada });
    await row(page, 'send_email').waitFor();
    await page.getByRole('button', { name: 'Select', exact: true }).click();
    await page.getByRole('button', { name: 'Select all' }).click();
    const keys: (string | undefined)[] = [];
    await page.route(`**/requests/${last}/decision`, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      await route.fetch();
      if (keys.length === 1) {
        await route.abort('connectionreset');
        return;
      }
      // The dialog stays while denials are sent. A browser closes it by itself at the second Escape.
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await dialog(page).getByRole('button', { name: 'Stop' }).click();
      await route.continue();
    });
    await page.getByRole('button', { name: 'Deny 3 …' }).click();
    await dialog(page).locator('button[aria-disabled=false]').click();
    await dialog(page).getByText('1 of 3 requests denied. 2 requests stay selected.').waitFor();
    expect((await read(last))['status']).toBe('denied');
    expect((await read(first))['status']).toBe('pending');
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
    expect(await app.db('decisions').where({ request_id: last })).toHaveLength(1);
    expect(browser.problems.splice(0).filter((each) => !isCut(each))).toEqual([]);
  });
});

const NOT_ROUTED = JSON.stringify({
  error: { code: 'request_not_routed', message: 'It was routed to others.', request_id: 'one' },
});
