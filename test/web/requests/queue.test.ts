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
  people: { ada: REVIEWER, bob: REVIEWER },
  paths: { 'on-call': [['ada']], other: [['bob']] },
  pipelines: { bot: 'on-call', clerk: 'other' },
});
const { ada, bob } = people;

const rows = (page: Page) => page.getByRole('listitem').getByRole('link');
const row = (page: Page, name: string) => rows(page).filter({ hasText: name });

describeInChromium('the queue', () => {
  const chromium = startChromium();

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
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(PHONE.width);
  });
});
