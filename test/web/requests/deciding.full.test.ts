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

const { app, people, ask, claimed } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, carol: REVIEWER },
  paths: { 'on-call': [['ada'], ['bob']] },
  pipelines: { bot: 'on-call' },
});
const { ada, bob } = people;

/** A window of 1280 by 800 pixels at 200 %. */
const ZOOMED = { width: 640, height: 400 };

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
const statusOf = async (id: string): Promise<string> =>
  String((await ada.http.call('GET', `/api/v1/requests/${id}`)).body['status']);
const decisionsOf = async (id: string): Promise<number> =>
  (await app.db('decisions').where({ request_id: id })).length;
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

/** Style and width of an edge of the first button or mark with this text. */
const edgeOf = async (page: Page, text: string, edge: string): Promise<string[]> =>
  await page.evaluate<string[]>(`{
    const all = [...document.querySelectorAll('button, mark')];
    const style = getComputedStyle(all.find(({ textContent }) => textContent === ${JSON.stringify(text)}));
    ['style', 'width'].map((of) => style.getPropertyValue('${edge}-' + of));
  }`);

describeInBrowser('deciding', () => {
  const browser = startBrowser();

  test('takes two acts with a held key', async () => {
    const id = await ask();
    const page = await browser.open(pageOf(id), { as: ada });
    await button(page, 'Approve').focus();
    await page.keyboard.down('Enter');
    await isReady(page);
    for (let repeat = 0; repeat < 5; repeat += 1) await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    expect(await statusOf(id)).toBe('pending');
    expect(await page.getByRole('textbox', { name: /^Note/ }).inputValue()).toBe('');
    await button(page, 'Confirm').focus();
    await page.waitForTimeout(700);
    await page.keyboard.down('Enter');
    for (let repeat = 0; repeat < 5; repeat += 1) await page.keyboard.down('Enter');
    await page.getByRole('status').getByText('by you').waitFor();
    expect(await decisionsOf(id)).toBe(1);
  });

  test('begins with its key also under Caps Lock, and not with Shift', async () => {
    const page = await browser.open(pageOf(await ask()), { as: ada });
    await button(page, 'Approve').waitFor();
    await page.keyboard.press('Shift+A');
    await page.keyboard.press('Control+D');
    expect(await armed(page).count()).toBe(0);
    // As Chromium reports the key without Shift.
    await page.keyboard.press('A');
    await armed(page).waitFor();
  });

  test('is cancelled by Escape only when nothing else is open', async () => {
    const page = await browser.open(pageOf(await ask()), { as: ada });
    await button(page, 'Approve').click();
    await button(page, 'Ask for help').click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await armed(page).count()).toBe(1);
    await page.getByRole('searchbox').first().press('Escape');
    expect(await armed(page).count()).toBe(1);
    await page.getByRole('textbox', { name: /^Note/ }).fill('Kept.');
    await page.keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Approve A');
    await page.waitForTimeout(1_100);
    await page.keyboard.press('d');
    expect(await page.getByRole('textbox', { name: /^Note/ }).inputValue()).toBe('Kept.');
  });

  test('can ask for help, which searches once typing pauses', async () => {
    const page = await browser.open(pageOf(await ask()), { as: ada, viewport: PHONE });
    const searches: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/reviewer-candidates')) searches.push(searchParams.get('q'));
    });
    await button(page, 'Ask for help').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: /Bob/ }).waitFor();
    expect(await dialog.getByRole('checkbox', { name: /Ada/ }).count()).toBe(0);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await dialog.getByRole('searchbox').pressSequentially('Car');
    await page.clock.resume();
    await dialog.getByRole('checkbox', { name: /Bob/ }).waitFor({ state: 'detached' });
    expect(searches.filter((q) => q !== '')).toEqual(['Car']);
    await dialog.getByRole('checkbox', { name: /Carol/ }).check();
    await dialog.getByRole('searchbox').fill('no one');
    await dialog.getByText('No one matches.').waitFor();
    await dialog.getByText('You will ask: Carol').waitFor();
    await screenshot(page, 'request-help-phone');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Ask 1 person' }).click();
    await page.getByText('1 person was asked for help.').waitFor();
  });

  test.each([
    ['a phone', PHONE],
    ['a window at 200 %', ZOOMED],
  ])('fits into %s, with every warning and its buttons in view', async (_name, viewport) => {
    const page = await browser.open(pageOf(await ask(refund)), { as: ada, viewport });
    await button(page, 'Approve').click();
    await armed(page).getByRole('button', { name: 'and 15 more' }).click();
    await isReady(page);
    await screenshot(page, `request-armed-${viewport.width}`);
    for (const name of ['Cancel', 'Confirm approval']) {
      const { middle } = await boxOf(button(page, name));
      const isOnTop = `document.elementFromPoint(${middle.x}, ${middle.y}).closest('button').textContent.includes('${name}')`;
      expect([name, await page.evaluate(isOnTop)]).toEqual([name, true]);
    }
    const { height } = await boxOf(page.getByRole('region', { name: 'Your decision' }));
    expect(height).toBeLessThan(viewport.height * 0.8);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
      viewport.width,
    );
    expect(await violationsOf(page)).toEqual([]);
  });

  test.each([844, 430])(
    'keeps its sentence and its buttons in view on a phone %d pixels high',
    async (height) => {
      const command = Array.from({ length: 120 }, (_none, line) => `echo ${line}`).join('\n');
      const { note_0: hides, ...rest } = refund.arguments as Record<string, unknown>;
      for (const call of [
        { tool: 'Bash', arguments: { command, ...rest } },
        { tool: 'refund_payment', arguments: { ...rest, hides, more: hides, amount: 12_450 } },
      ]) {
        const viewport = { width: 390, height };
        const page = await browser.open(pageOf(await ask(call)), { as: ada, viewport });
        await button(page, 'Approve').waitFor();
        const cut = page.getByRole('button', { name: /^Show all/ });
        while ((await cut.count()) > 0) await cut.first().click();
        await button(page, 'Approve').click();
        await isReady(page);
        const more = armed(page).getByRole('button', { name: /^(?:Show all|and \d+ more)/ });
        while ((await more.count()) > 0) await more.first().click();
        await screenshot(page, `request-armed-${call.tool}-${height}`);
        for (const part of [
          armed(page).getByText(/^Approve: /),
          button(page, 'Cancel'),
          button(page, 'Confirm approval'),
        ]) {
          const box = await boxOf(part);
          expect(box.y).toBeGreaterThanOrEqual(0);
          expect(box.y + box.height).toBeLessThanOrEqual(height);
          const top = await page.evaluate<string>(
            `document.elementFromPoint(${box.middle.x}, ${box.middle.y}).textContent`,
          );
          expect(await part.textContent()).toContain(top);
        }
      }
    },
  );

  testInChromium('is possible in the colors that a person forces', async () => {
    const id = await ask(refund);
    await claimed(bob, id);
    const page = await browser.open(pageOf(id), { as: ada, dark: true });
    await page.emulateMedia({ forcedColors: 'active' });
    await button(page, 'Approve').waitFor();
    await screenshot(page, 'request-forced-colors');
    const approve = await edgeOf(page, 'Approve A', 'border-left');
    expect(approve).toEqual(['solid', '1px']);
    await page.keyboard.press('a');
    await isReady(page);
    await button(page, 'Confirm').focus();
    await screenshot(page, 'request-armed-forced-colors');
    expect(await edgeOf(page, 'Confirm approval', 'outline')).toEqual(['solid', '2px']);
    expect(await edgeOf(page, 'Cancel', 'border-left')).toEqual(['solid', '1px']);
    expect(await edgeOf(page, '\\u200b', 'border-left')).toEqual(['solid', '1px']);
  });
});
