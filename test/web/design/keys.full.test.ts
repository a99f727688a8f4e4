/** What people do with keys in menus, tabs and fields that list options. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { scene } from '../../support/scene.ts';
import { until } from '../../support/waiting.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import {
  describeInBrowser,
  DESK,
  PHONE,
  screenshot,
  startBrowser,
} from '../../support/web/browser.ts';

const rest = {
  ...{ id: 'rest', name: 'The rest', type: 'always' },
  config: { outcome: 'human', reason: 'Not covered.' },
};
const { app, owner } = await scene({ pipelines: { bot: { blocks: [rest] } } });

const untilFocused = (page: Page, name: string) =>
  until(`the focus is on ${name}`, async () => (await focused(page)) === name);

const focused = (page: Page): Promise<string> =>
  page.evaluate(
    'document.activeElement.getAttribute("aria-label") ?? document.activeElement.innerText.trim()',
  );

describeInBrowser('by keys', () => {
  const browser = startBrowser();
  const openRules = async (viewport = DESK): Promise<Page> => {
    const page = await browser.open(`${app.url}/agents/bot/rules`, { as: owner, viewport });
    await page.getByRole('article', { name: 'Rule 1: The rest' }).waitFor();
    return page;
  };

  test('a menu opens, goes round, finds an entry by its letter, and gives the focus back', async () => {
    const page = await openRules();
    const button = page.getByRole('button', { name: 'More: The rest' });
    const menu = page.getByRole('menu');
    await button.press('ArrowDown');
    await menu.waitFor();
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    const entries = await menu.getByRole('menuitem').allInnerTexts();
    expect(entries.length).toBeGreaterThan(1);
    await untilFocused(page, entries[0] ?? '');
    await page.keyboard.press('ArrowUp');
    await untilFocused(page, entries.at(-1) ?? '');
    await page.keyboard.press('ArrowDown');
    await untilFocused(page, entries[0] ?? '');
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await untilFocused(page, entries[0] ?? '');
    expect(entries[0]).toMatch(/^D/);
    await page.keyboard.press('d');
    await untilFocused(page, entries.find((each, index) => index > 0 && /^D/.test(each)) ?? '');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('More: The rest');
    await page.keyboard.press('Enter');
    await untilFocused(page, entries[0] ?? '');
    await page.keyboard.press('Tab');
    await menu.waitFor({ state: 'detached' });
    expect(await focused(page)).not.toBe('More: The rest');
  });

  test.each([
    ['desk', DESK],
    ['phone', PHONE],
  ])(
    'a menu stays inside the screen on a %s, and closes at a press elsewhere',
    async (device, size) => {
      const page = await openRules(size);
      await page.getByRole('button', { name: 'More: The rest' }).click();
      const menu = page.getByRole('menu');
      await menu.waitFor();
      const box = await menu.boundingBox();
      const button = await page.getByRole('button', { name: 'More: The rest' }).boundingBox();
      await screenshot(page, `menu-${device}`);
      expect(box?.x).toBeGreaterThanOrEqual(0);
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(size.width);
      // Beside its button, and not in the middle of the screen.
      expect(Math.abs((box?.y ?? 0) - ((button?.y ?? 0) + (button?.height ?? 0)))).toBeLessThan(8);
      await page.mouse.click(5, 5);
      await menu.waitFor({ state: 'detached' });
    },
  );

  test('tabs are one stop, and arrows open the next one', async () => {
    const page = await openRules();
    const tab = (name: string) => page.getByRole('tab', { name });
    await tab('Try').press('ArrowRight');
    await tab('Past requests').and(page.locator('[aria-selected=true]')).waitFor();
    await untilFocused(page, 'Past requests');
    await page.keyboard.press('Home');
    await untilFocused(page, 'Try');
    await page.keyboard.press('ArrowLeft');
    await page.getByRole('tabpanel', { name: 'Tests' }).waitFor();
    expect(await page.getByRole('tab').and(page.locator('[tabindex="0"]')).count()).toBe(1);
  });
});
