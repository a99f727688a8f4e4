import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import { createPerson } from '../../support/scene/sign-in.ts';
import { until } from '../../support/waiting.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';
import { grouped, matching, type Item } from '../../../web/src/app/palette/items.ts';

const { app, organization, owner, ask } = await scene({
  people: { ada: REVIEWER },
  paths: { payments: [['ada']] },
  pipelines: {
    'support-bot': {
      blocks: [
        {
          ...{ id: 'small', name: 'Small refunds', type: 'always' },
          config: { outcome: 'human', reason: 'Not covered.' },
        },
      ],
    },
  },
});
const id = await ask({ tool: 'refund_payment', arguments: { payment_id: 'pay_zebra' } });
const bob = await createPerson(app, organization.id, {
  displayName: 'Bob Field',
  policies: [everywhere('request.read')],
});

const field = (page: Page) => page.getByRole('combobox', { name: /^Search pages/ });
const options = (page: Page) => page.getByRole('option');
const option = (page: Page, group: string, name: string | RegExp) =>
  page.getByRole('group', { name: group, exact: true }).getByRole('option', { name });
const focused = (page: Page) => page.evaluate<string>('document.activeElement.textContent');

const item = (label: string, more: Partial<Item> = {}): Item => ({
  ...{ href: `/${label}`, group: 'screens', label, ...more },
});

test('what begins with the words comes first, and every word must be there', () => {
  const items = [
    ...[item('Agents', { detail: 'Rules' }), item('Overrules'), item('Tests of rules')],
    item('Rules'),
  ];
  expect(matching(items, 'rule').map(({ label }) => label)).toEqual([
    ...['Tests of rules', 'Rules', 'Overrules', 'Agents'],
  ]);
  expect(matching(items, 'agents RULES').map(({ label }) => label)).toEqual(['Agents']);
  expect(matching(items, 'agents paths')).toEqual([]);
});

test('an address is shown once, in the group that comes first', () => {
  const recent = item('Rules', { group: 'recent' });
  expect(grouped([recent, item('Rules'), item('Agents')])).toEqual([
    { group: 'recent', items: [recent] },
    { group: 'screens', items: [item('Agents')] },
  ]);
});

describeInBrowser('the palette', () => {
  // 501: rules name the endpoints of webhooks, which need a secrets key.
  const browser = startBrowser({ refusals: [500, 501] });

  test('leads by keys to pages, requests, agents, rules, paths and guides, and remembers where', async () => {
    const page = await browser.open(`${app.url}/account`, { as: owner });
    const button = page.getByRole('button', { name: 'Search Ctrl K' });
    await button.focus();
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await option(page, 'Pages', 'Agents').waitFor();
    await screenshot(page, 'palette-empty');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    expect(await focused(page)).toContain('Search');
    await page.keyboard.press('Enter');
    await field(page).fill('support');
    await option(page, 'Agents', /support-bot/).waitFor();
    await page.getByText(/^\d+ results$/).waitFor();
    const labels = await options(page).allInnerTexts();
    const selected = page.getByRole('option', { selected: true });
    expect(labels.length).toBeGreaterThan(1);
    expect(await selected.allInnerTexts()).toEqual(labels.slice(0, 1));
    // It goes round.
    await page.keyboard.press('ArrowUp');
    await until('the last is chosen', async () => (await selected.innerText()) === labels.at(-1));
    await page.keyboard.press('ArrowDown');
    await until('the first is chosen', async () => (await selected.innerText()) === labels[0]);
    // No longer than what every list takes: none of them refuses it.
    await field(page).fill('x'.repeat(150));
    expect((await field(page).inputValue()).length).toBe(100);
    await page.getByText('Nothing found.', { exact: false }).waitFor();
    expect(await page.getByText('could not be searched', { exact: false }).allInnerTexts()).toEqual(
      ['Webhook endpoints could not be searched.'],
    );
    await field(page).fill('small ref');
    await option(page, 'Rules', /Small refunds/).waitFor();
    await field(page).fill('payments');
    await option(page, 'Escalation paths', /payments/).waitFor();
    await field(page).fill('quickstart');
    await option(page, 'Guides', /^Quickstart$/).waitFor();
    await screenshot(page, 'palette-found');
    expect(await violationsOf(page)).toEqual([]);
    await field(page).fill('pay_zebra');
    await option(page, 'Requests', /waits/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/requests/${id}`);
    await field(page).waitFor({ state: 'detached' });
    await page.getByRole('heading', { level: 1, name: /pay_zebra/ }).waitFor();
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await options(page).first().waitFor();
    expect(await page.getByRole('option', { selected: true }).textContent()).toContain('pay_zebra');
    expect(await page.getByRole('group', { name: 'Recent' }).getByRole('option').count()).toBe(1);
  });

  test('leads to a rule itself, and gives it the focus', async () => {
    const page = await browser.open(`${app.url}/account`, { as: owner });
    await page.getByRole('button', { name: 'Search Ctrl K' }).click();
    await field(page).fill('small ref');
    await option(page, 'Rules', /Small refunds/).click();
    await page.waitForURL('**/agents/support-bot/rules#small');
    const label = 'document.activeElement.getAttribute("aria-label")';
    await until('the rule has the focus', async () =>
      /Small refunds$/.test((await page.evaluate<string | null>(label)) ?? ''),
    );
    expect(await violationsOf(page)).toEqual([]);
  });

  test('asks only for what its reader may read, and says which part failed', async () => {
    const asked: string[] = [];
    const page = await browser.open(`${app.url}/account`, { as: bob });
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await page.getByRole('button', { name: 'Search Ctrl K' }).click();
    await option(page, 'Pages', 'Requests').waitFor();
    expect(await option(page, 'Pages', 'Agents').count()).toBe(0);
    await page.route('**/api/v1/requests?*', async (route) => {
      await route.fulfill({
        status: 500,
        json: { error: { code: 'internal_error', message: '' } },
      });
    });
    await field(page).fill('support');
    await page.getByText('Requests could not be searched.').waitFor();
    await screenshot(page, 'palette-failed');
    expect(await violationsOf(page)).toEqual([]);
    await page.unroute('**/api/v1/requests?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await option(page, 'Requests', /support-bot|refund/).waitFor();
    const lists = ['agents', 'members', 'teams', 'request-approval-pipelines', 'escalation-paths'];
    expect(asked.filter((path) => lists.some((list) => path.includes(`/${list}`)))).toEqual([]);
    expect(asked).toContain('/api/v1/requests');
  });

  test('does not open over a dialog, nor take keys from one', async () => {
    const page = await browser.open(`${app.url}/agents`, { as: owner });
    await page.getByRole('button', { name: 'New agent' }).waitFor();
    // Once its code is here, it opens at once, and takes the next key.
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New agent' }).click();
    const name = page.getByRole('dialog').getByRole('textbox').first();
    await name.fill('Typed');
    await page.keyboard.press('Control+k');
    await page.keyboard.press('End');
    await page.keyboard.type('!');
    await until('the dialog took the keys', async () => (await name.inputValue()) === 'Typed!');
    expect(await field(page).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await field(page).waitFor();
    await page.keyboard.press('Control+k');
    await field(page).waitFor({ state: 'detached' });
  });

  test('opens from the menu of a phone', async () => {
    const page = await browser.open(`${app.url}/account`, {
      as: owner,
      viewport: PHONE,
      dark: true,
    });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('button', { name: /^Search/ }).click();
    await field(page).fill('rules');
    await option(page, 'Pages', /^Rules/)
      .first()
      .waitFor();
    await page.getByText(/^\d+ results$/).waitFor();
    await screenshot(page, 'palette-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await page.keyboard.press('Escape');
    await field(page).waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Menu');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('button', { name: /^Search/ }).click();
    await field(page).fill('rules');
    await option(page, 'Pages', /^Rules/)
      .first()
      .click();
    await page.getByRole('heading', { level: 1, name: 'Rules' }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
  });
});
