import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { REVIEWER, scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import {
  describeInBrowser,
  PHONE,
  screenshot,
  startBrowser,
  testInChromium,
} from '../../support/web/browser.ts';

const { app, people, ask } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, carol: REVIEWER },
  paths: { 'on-call': [['ada'], ['bob']] },
  pipelines: { bot: 'on-call' },
});
const { ada } = people;

/** Seventeen texts that hide characters, one name that mixes scripts. */
const refund = {
  tool: 'refund_payment',
  arguments: {
    payment_id: 'pay_81',
    amount: 120.5,
    currency: 'EUR',
    customer_id: 'p\u0430ypal',
    ...Object.fromEntries(
      Array.from({ length: 16 }, (_none, index) => [`note_${index}`, 'a\u200bb']),
    ),
    last: 'a\u202eb',
  },
};

const pageOf = (id: string): string => `${app.url}/requests/${id}`;
const decisionsOf = async (id: string): Promise<unknown[]> =>
  await app.db('decisions').where({ request_id: id }).select('status', 'note');
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const armed = (page: Page) => page.getByRole('group', { name: /You are about to/ });
/** Confirms nothing before a double tap is over. */
const isReady = async (page: Page) =>
  await page.locator('button[aria-disabled=false]', { hasText: 'Confirm' }).waitFor();
const boxOf = async (element: Locator) => {
  const box = await element.boundingBox();
  if (!box) throw new Error('not shown');
  return { ...box, middle: { x: box.x + box.width / 2, y: box.y + box.height / 2 } };
};
const isAt = ({ x, y }: { x: number; y: number }, box: Awaited<ReturnType<typeof boxOf>>) =>
  x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;

describeInBrowser('deciding', () => {
  const browser = startBrowser();

  test('names tool, agent, main value and every warning before it is confirmed', async () => {
    const id = await ask(refund);
    const page = await browser.open(pageOf(id), { as: ada });
    await button(page, 'Approve').click();
    const bar = armed(page);
    await bar
      .getByText(/^Approve: Refund 120\.5 EUR of pay_81\? .+ runs refund_payment\.$/)
      .waitFor();
    // The sentence has said it.
    expect(await bar.getByText('Amount').count()).toBe(0);
    expect(await bar.getByRole('listitem').count()).toBe(3);
    await screenshot(page, 'request-armed-flags');
    expect(await violationsOf(page)).toEqual([]);
    await bar.getByRole('button', { name: 'and 15 more' }).click();
    expect(await bar.getByRole('listitem').count()).toBe(18);
    await bar.getByText('/last: contains characters').waitFor();
    expect(await bar.getByRole('button', { name: /more/ }).count()).toBe(0);
  });

  testInChromium(
    'takes two acts on a phone, where the second touch of a double tap cancels, and keeps the note',
    async () => {
      const id = await ask();
      const page = await browser.open(pageOf(id), { as: ada, viewport: PHONE });
      for (const choice of ['Approve', 'Deny']) {
        const { middle } = await boxOf(button(page, choice));
        await page.touchscreen.tap(middle.x, middle.y);
        await page.touchscreen.tap(middle.x, middle.y);
        await button(page, choice).waitFor();
        await page.touchscreen.tap(middle.x, middle.y);
        await isReady(page);
        expect(isAt(middle, await boxOf(button(page, 'Confirm')))).toBe(false);
        await page.touchscreen.tap(middle.x, middle.y);
        await button(page, choice).waitFor();
        expect(await decisionsOf(id)).toEqual([]);
      }
      await button(page, 'Deny').tap();
      await isReady(page);
      await page.getByRole('textbox', { name: /^Note/ }).fill('Too much.');
      const confirm = (await boxOf(button(page, 'Confirm denial'))).middle;
      await page.touchscreen.tap(confirm.x, confirm.y);
      await page.touchscreen.tap(confirm.x, confirm.y);
      await page.getByRole('status').getByText('by you').waitFor();
      expect(await decisionsOf(id)).toEqual([{ status: 'denied', note: 'Too much.' }]);
    },
  );
});
