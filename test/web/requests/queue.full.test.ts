import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { REVIEWER, scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import {
  describeInBrowser,
  DESK,
  PHONE,
  screenshot,
  startBrowser,
  testInChromium,
} from '../../support/web/browser.ts';

const { app, people, ask, decide, claimed, deadlineOf, later, withdraw } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, eve: [], ivo: [...REVIEWER, 'request.decide.unrouted'] },
  paths: { 'on-call': [['ada']], other: [['bob']] },
  pipelines: { bot: 'on-call', clerk: 'other' },
});
const { ada, bob, eve, ivo } = people;

const rows = (page: Page) =>
  page
    .getByRole('region', { name: 'Requests', exact: true })
    .getByRole('listitem')
    .getByRole('link');
const row = (page: Page, name: string) => rows(page).filter({ hasText: name });
/** Once the row has the focus. */
const focusOf = async (page: Page, name: string) => {
  await row(page, name).and(page.locator(':focus')).waitFor();
};

type Box = Readonly<Record<'x' | 'y' | 'width' | 'height', number>>;

/** Where everything is that one can press, by its text, in its own font. */
async function boxes(page: Page): Promise<Readonly<Record<string, Box>>> {
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  return Object.fromEntries(
    await page.evaluate<[string, Box][]>(`
      [...document.querySelectorAll('section button, section input, section select, li a')].map((each) => {
        const { x, y, width, height } = each.getBoundingClientRect();
        const name = each.ariaLabel ?? each.querySelector('bdi')?.textContent ?? each.textContent;
        return [name.replace(/\\d+$/, ''), { x, y, width, height }];
      })`),
  );
}

const overlaps = (one: Box, other: Box | undefined): boolean =>
  other !== undefined &&
  one.x < other.x + other.width &&
  other.x < one.x + one.width &&
  one.y < other.y + other.height &&
  other.y < one.y + one.height;

describeInBrowser('the queue', () => {
  const browser = startBrowser({ refusals: [401, 429] });

  test.each([
    ['desk', DESK],
    ['phone', PHONE],
  ])(
    'shows what the reader is asked, collects arrivals, and drops what others decide, on a %s',
    async (name, viewport) => {
      const [one, two] = [`first_${name}`, `second_${name}`];
      const first = await ask({ tool: one });
      const page = await browser.open(`${app.url}/`, { as: ada, viewport });
      await row(page, one).waitFor();
      await page.getByText(/^All\d/).waitFor();
      // Beside the list, the first request is open.
      if (name === 'desk') await page.getByText('Notified Ada').waitFor();
      if (name === 'desk') await page.getByText('Nothing was decided yet').waitFor();
      if (name === 'desk') await page.getByText('Waiting for a decision.').waitFor();
      const before = await boxes(page);
      await ask({ tool: two });
      const arrived = page.getByRole('button', { name: 'Show 1 new request' });
      await arrived.waitFor();
      expect(await row(page, two).count()).toBe(0);
      const { 'Show 1 new request': place, ...after } = await boxes(page);
      expect(after).toEqual(before);
      expect(Object.entries(after).filter(([, box]) => overlaps(box, place))).toEqual([]);
      await screenshot(page, `queue-arrival-${name}`);
      await page.getByRole('button', { name: 'Show 1 new request' }).click();
      await row(page, two).waitFor();
      await decide(ada, first);
      await row(page, one).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Decided' }).click();
      await row(page, one).waitFor();
    },
  );

  test('keeps tab, search and filters in its address, beside the open request', async () => {
    const id = await ask({ tool: 'needle_tool' });
    const page = await browser.open(`${app.url}/`, { as: ada });
    await page.getByRole('searchbox').fill('needle');
    await page.waitForURL(/q=needle/);
    await row(page, 'needle_tool').click();
    await page.waitForURL(`${app.url}/requests/${id}?q=needle`);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('needle');
    await row(page, 'needle_tool').waitFor();
    expect(await rows(page).count()).toBe(1);
    await screenshot(page, 'queue-desk');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('keeps its filters over a sign-in, and clears them', async () => {
    await ask({ tool: 'filtered_tool' });
    const page = await browser.open(`${app.url}/?tab=all&sort=created&claimed=nobody&q=no+such`, {
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
    expect(await page.getByRole('combobox', { name: 'Order' }).inputValue()).toBe('created');
    expect(await page.getByRole('combobox', { name: 'Claims' }).inputValue()).toBe('nobody');
    await page.getByRole('button', { name: 'Clear filters' }).last().click();
    await row(page, 'filtered_tool').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    expect(new URL(page.url()).search).toBe('?tab=all&sort=created');
  });

  test('says why it is empty', async () => {
    const page = await browser.open(`${app.url}/`, { as: ivo });
    await page.getByRole('heading', { name: 'You’re all caught up' }).waitFor();
    await screenshot(page, 'queue-empty');
    await page.getByRole('button', { name: /^Show \d+ requests that you can decide/ }).click();
    await rows(page).first().waitFor();
    await page.context().clearCookies();
    for (const path of ['/', '/requests/01970c4e-8f0a-7c3e-9d52-5f6f4f3f2a11']) {
      const other = await browser.open(`${app.url}${path}`, { as: eve });
      await other.getByText('You do not have the permission “See requests routed').waitFor();
      expect(await violationsOf(other)).toEqual([]);
    }
  });

  test('shows each person what they are asked, and all that they may see', async () => {
    await ask({ agent: 'clerk', tool: 'clerk_tool' });
    const id = await ask({ tool: 'claimed_tool' });
    await claimed(ada, id);
    const page = await browser.open(`${app.url}/?tab=asked`, { as: bob });
    await row(page, 'clerk_tool').waitFor();
    expect(await row(page, 'claimed_tool').count()).toBe(0);
  });

  test('shows every outcome that is decided, who decided and when, and one of them on demand', async () => {
    await decide(ada, await ask({ tool: 'outcome_yes' }));
    const denied = await ask({ agent: 'clerk', tool: 'outcome_no' });
    await decide(bob, denied, { status: 'denied' });
    const late = await ask({ tool: 'outcome_late' });
    await later(late, await deadlineOf(late));
    await withdraw(await ask({ tool: 'outcome_gone' }));
    const page = await browser.open(`${app.url}/?tab=decided&q=outcome_`, { as: ivo });
    await row(page, 'outcome_yes').waitFor();
    expect(await rows(page).allInnerTexts()).toEqual([
      expect.stringMatching(/^outcome_gone\s+– Withdrawn by the agent/),
      expect.stringMatching(/^outcome_late\s+⏱ Expired/),
      expect.stringMatching(/^outcome_no\s+✕ Denied[^]*by Bob \d\d:\d\d · [^]* · asked /),
      expect.stringMatching(/^outcome_yes\s+✓ Approved[^]*by Ada \d\d:\d\d · [^]* · asked /),
    ]);
    await screenshot(page, 'queue-decided');
    await page.setViewportSize(PHONE);
    await page.getByRole('link', { name: 'All requests' }).click();
    await screenshot(page, 'queue-decided-phone');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await page.getByRole('combobox', { name: 'Decision' }).selectOption('Denied');
    await row(page, 'outcome_yes').waitFor({ state: 'detached' });
    await row(page, 'outcome_no').waitFor();
    expect(await rows(page).count()).toBe(1);
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await row(page, 'outcome_yes').waitFor();
    expect(new URL(page.url()).search).toBe('?tab=decided');
  });

  test('marks what is urgent and what has little time left, not by color alone', async () => {
    const urgent = await ask({ tool: 'sign_urgent', timeout: '1h' });
    await app.db('approval_requests').where({ id: urgent }).update({ urgency: 'interrupt' });
    const soon = await ask({ tool: 'sign_soon', timeout: '40m' });
    await app
      .db('approval_requests')
      .where({ id: soon })
      .update({ created_at: new Date(0) });
    const page = await browser.open(`${app.url}/?q=sign_`, { as: ada });
    await row(page, 'sign_urgent').getByText('Urgent', { exact: true }).waitFor();
    expect(await row(page, 'sign_soon').getByText('Urgent', { exact: true }).count()).toBe(0);
    expect(await row(page, 'sign_soon').locator('svg').count()).toBe(1);
    expect(await row(page, 'sign_urgent').locator('svg').count()).toBe(0);
    const heights = await rows(page).evaluateAll((all) =>
      all.map((each) => (each as unknown as { offsetHeight: number }).offsetHeight),
    );
    expect(new Set(heights).size).toBe(1);
    // The row is one stop of the Tab key.
    expect(await rows(page).locator('[tabindex]').count()).toBe(0);
    await screenshot(page, 'queue-signs');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('keeps its tabs in their places while one after the other is open', async () => {
    const page = await browser.open(`${app.url}/?q=nothing`, { as: ada });
    const tabs = page.getByRole('group', { name: 'Which requests' }).getByRole('button');
    await tabs.getByText('Decided').waitFor();
    const places = async () => {
      await page.evaluate('document.fonts.ready.then(() => undefined)');
      const found = [];
      for (const tab of await tabs.all()) found.push(await tab.boundingBox());
      return found;
    };
    await page.getByText(/^All\d/).waitFor();
    const before = await places();
    for (const tab of await tabs.all()) {
      await tab.click();
      await tab.and(page.locator('[aria-pressed=true]')).waitFor();
      expect(await places()).toEqual(before);
    }
  });

  test('stays beside an open request down to 1,024 pixels, and below that gives way to a way back', async () => {
    const id = await ask({ tool: 'edge_of_panes' });
    const viewport = { width: 1024, height: 768 };
    const page = await browser.open(`${app.url}/requests/${id}`, { as: ada, viewport });
    const list = row(page, 'edge_of_panes');
    const back = page.getByRole('link', { name: 'All requests' });
    await list.waitFor();
    expect(await back.isVisible()).toBe(false);
    await screenshot(page, 'queue-1024');
    await page.setViewportSize({ width: 1023, height: 768 });
    await back.waitFor();
    await list.waitFor({ state: 'hidden' });
  });

  testInChromium.each([
    ['desk', DESK],
    ['phone', PHONE],
  ])('with forced colors, marks only what is open, on a %s', async (name, viewport) => {
    const id = await ask({ tool: `${name}_one` });
    await ask({ tool: `${name}_two` });
    const page = await browser.open(`${app.url}/login`, { as: ada, viewport });
    await page.emulateMedia({ forcedColors: 'active' });
    await page.goto(`${app.url}/requests/${id}?q=${name}_`);
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    // On a phone, rows are in the page and not seen.
    for (const tool of [`${name}_one`, `${name}_two`])
      await page.locator('li a', { hasText: tool }).waitFor({ state: 'attached' });
    await screenshot(page, `queue-forced-colors-${name}`);
    const edges = await page.evaluate<Record<string, boolean>>(`{
      const canvas = document.createElement('i');
      canvas.style.color = 'Canvas';
      document.body.append(canvas);
      const hidden = getComputedStyle(canvas).color;
      const rows = [...document.querySelectorAll('li > div')].map((each) => [
        each.querySelector('bdi').textContent, getComputedStyle(each).borderLeftColor !== hidden]);
      const tabs = [...document.querySelectorAll('[role=group] > button[aria-pressed]')].map((each) => [
        each.textContent.replace(/\\d+$/, ''), getComputedStyle(each).borderBottomColor !== hidden]);
      Object.fromEntries([...rows, ...tabs]);
    }`);
    expect(edges).toEqual({
      ...{ [`${name}_one`]: true, [`${name}_two`]: false },
      ...{ 'Asked of me': true, 'I can decide': false, All: false, Decided: false },
    });
  });

  test('waits as long as a busy service asks, says so quietly, and then shows list and request', async () => {
    const id = await ask({ tool: 'busy_tool' });
    const page = await browser.open(`${app.url}/login`, { as: ada });
    const error = { code: 'rate_limited', message: 'Too many calls.' };
    const times: number[] = [];
    let isBusy = true;
    for (const url of [/requests\?.*view=summary/, `**/api/v1/requests/${id}`])
      await page.route(url, async (route) => {
        times.push(Date.now());
        const answer = { status: 429, headers: { 'Retry-After': '3' }, json: { error } };
        await (isBusy ? route.fulfill(answer) : route.continue());
      });
    await page.goto(`${app.url}/requests/${id}?q=busy_`);
    await page.getByText('The service is busy.').nth(1).waitFor();
    isBusy = false;
    expect(await page.getByRole('alert').filter({ hasText: 'could not' }).count()).toBe(0);
    await screenshot(page, 'queue-busy');
    expect(await violationsOf(page)).toEqual([]);
    await row(page, 'busy_tool').waitFor();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(Date.now() - Math.min(...times)).toBeGreaterThan(2_900);
    expect(await page.getByText('The service is busy.').count()).toBe(0);
  });

  test('is walked by keyboard, on a phone one pane at a time', async () => {
    await ask({ tool: 'phone_tool' });
    const page = await browser.open(`${app.url}/?q=phone_tool`, {
      ...{ as: ada, viewport: PHONE, dark: true },
    });
    await row(page, 'phone_tool').waitFor();
    await screenshot(page, 'queue-phone');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'All requests' }).click();
    await focusOf(page, 'phone_tool');
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(PHONE.width);
  });

  test('stays where it was scrolled while a request is read, and goes on by keyboard', async () => {
    const tools = Array.from({ length: 30 }, (_none, index) => `list_${index}`);
    for (const tool of tools) await ask({ tool });
    const page = await browser.open(`${app.url}/?q=list_&sort=created`, {
      as: ada,
      viewport: PHONE,
    });
    await row(page, 'list_29').waitFor();
    // Faster than rows come into the page.
    await page.evaluate(`for (let step = 0; step < 20; step += 1)
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }))`);
    await page.locator('a:focus', { hasText: 'list_10' }).waitFor();
    await page.keyboard.press('k');
    await page.locator('a:focus', { hasText: 'list_11' }).waitFor();
    const before = await row(page, 'list_11').boundingBox();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'All requests' }).click();
    await focusOf(page, 'list_11');
    expect(await row(page, 'list_11').boundingBox()).toEqual(before);
    await page.keyboard.press('j');
    await focusOf(page, 'list_10');
  });
});
