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

const { app, people, ask, decide, claimed } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, eve: [], ivo: [...REVIEWER, 'request.decide.unrouted'] },
  paths: { 'on-call': [['ada']], other: [['bob']] },
  pipelines: { bot: 'on-call', clerk: 'other' },
});
const { ada, bob, eve, ivo } = people;

const isFocused = (element: unknown): boolean =>
  (globalThis as unknown as { document: { activeElement: unknown } }).document.activeElement ===
  element;
const rows = (page: Page) => page.getByRole('listitem').getByRole('link');
const row = (page: Page, name: string) => rows(page).filter({ hasText: name });

describeInChromium('the queue', () => {
  const chromium = startChromium({ refusals: [401] });

  test('shows what the reader is asked, collects arrivals, and drops what others decide', async () => {
    const first = await ask({ tool: 'first_tool' });
    const page = await chromium.open(`${app.url}/`, { as: ada });
    await row(page, 'first_tool').waitFor();
    const before = await row(page, 'first_tool').boundingBox();
    await ask({ tool: 'second_tool' });
    await page.getByRole('button', { name: 'Show 1 new request' }).waitFor();
    expect(await row(page, 'second_tool').count()).toBe(0);
    expect(await row(page, 'first_tool').boundingBox()).toEqual(before);
    await screenshot(page, 'queue-arrival');
    await page.getByRole('button', { name: 'Show 1 new request' }).click();
    await row(page, 'second_tool').waitFor();
    await decide(ada, first);
    await row(page, 'first_tool').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Decided' }).click();
    await row(page, 'first_tool').waitFor();
  });

  test('keeps tab, search and filters in its address, beside the open request', async () => {
    const id = await ask({ tool: 'needle_tool' });
    const page = await chromium.open(`${app.url}/`, { as: ada });
    await page.getByRole('searchbox').fill('needle');
    await page.waitForURL(/q=needle/);
    await row(page, 'needle_tool').click();
    await page.waitForURL(`${app.url}/requests/${id}?q=needle`);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('needle');
    expect(await rows(page).count()).toBe(1);
    await screenshot(page, 'queue-desk');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('keeps its filters over a sign-in, and clears them', async () => {
    await ask({ tool: 'filtered_tool' });
    const page = await chromium.open(`${app.url}/?tab=all&sort=deadline&claimed=nobody&q=no+such`, {
      as: ada,
    });
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await screenshot(page, 'queue-no-match');
    const cookies = await page.context().cookies();
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.context().addCookies(cookies);
    await page.reload();
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    expect(await page.getByRole('combobox', { name: 'Order' }).inputValue()).toBe('deadline');
    expect(await page.getByRole('combobox', { name: 'Claims' }).inputValue()).toBe('nobody');
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await row(page, 'filtered_tool').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    expect(new URL(page.url()).search).toBe('?tab=all&sort=deadline');
  });

  test('says why it is empty', async () => {
    const page = await chromium.open(`${app.url}/`, { as: ivo });
    await page.getByRole('heading', { name: 'You’re all caught up' }).waitFor();
    await screenshot(page, 'queue-empty');
    await page.getByRole('button', { name: /^Show \d+ requests that you can decide/ }).click();
    await rows(page).first().waitFor();
    await page.context().clearCookies();
    for (const path of ['/', '/requests/01970c4e-8f0a-7c3e-9d52-5f6f4f3f2a11']) {
      const other = await chromium.open(`${app.url}${path}`, { as: eve });
      await other.getByText('You do not have the permission “See requests routed').waitFor();
      expect(await violationsOf(other)).toEqual([]);
    }
  });

  test('shows each person what they are asked, and all that they may see', async () => {
    await ask({ agent: 'clerk', tool: 'clerk_tool' });
    const id = await ask({ tool: 'claimed_tool' });
    await claimed(ada, id);
    const page = await chromium.open(`${app.url}/?tab=asked`, { as: bob });
    await row(page, 'clerk_tool').waitFor();
    expect(await row(page, 'claimed_tool').count()).toBe(0);
  });

  test('is walked by keyboard, on a phone one pane at a time', async () => {
    await ask({ tool: 'phone_tool' });
    const page = await chromium.open(`${app.url}/`, { as: ada, viewport: PHONE, dark: true });
    await row(page, 'phone_tool').waitFor();
    await screenshot(page, 'queue-phone');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'All requests' }).click();
    await row(page, 'phone_tool').waitFor();
    expect(await row(page, 'phone_tool').evaluate(isFocused)).toBe(true);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(PHONE.width);
  });

  test('stays where it was scrolled while a request is read, and goes on by keyboard', async () => {
    const tools = Array.from({ length: 30 }, (_none, index) => `list_${index}`);
    for (const tool of tools) await ask({ tool });
    const page = await chromium.open(`${app.url}/?q=list_`, { as: ada, viewport: PHONE });
    await row(page, 'list_29').waitFor();
    for (let step = 0; step < 20; step += 1) await page.keyboard.press('j');
    await page.keyboard.press('k');
    expect(await row(page, 'list_11').evaluate(isFocused)).toBe(true);
    const before = await row(page, 'list_11').boundingBox();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'All requests' }).click();
    await row(page, 'list_11').waitFor();
    expect(await row(page, 'list_11').boundingBox()).toEqual(before);
    await page.keyboard.press('j');
    expect(await row(page, 'list_10').evaluate(isFocused)).toBe(true);
  });
});
