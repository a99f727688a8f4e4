import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { REVIEWER, scene } from '../../support/scene.ts';
import { ofMember, policiesOf, post, terms } from '../../support/scene/permission-policies.ts';
import { describeInBrowser, startBrowser } from '../../support/web/browser.ts';
import { pressUntil } from '../../support/web/presses.ts';

const { app, owner, people, ask, decide } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, eve: REVIEWER },
  paths: { 'on-call': [['ada', 'bob', 'eve']] },
  pipelines: { bot: 'on-call' },
});
const { ada, bob, eve } = people;

const QUEUE = `${app.url}/`;
const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
const arrived = (page: Page, count: number) =>
  page.getByRole('button', { name: new RegExp(`^Show ${count} new request`) });
const isPoll = (url: string): boolean => /\/requests\/changes\?.*wait=/.test(url);

/** The tabs that wait for changes now, and the most at once. */
function polls(page: Page) {
  const polling = new Set<Page>();
  const closed = new Set<Page>();
  let most = 0;
  const context = page.context();
  context.on('request', (request) => {
    if (!isPoll(request.url())) return;
    const tab = request.frame().page();
    if (closed.has(tab)) return;
    polling.add(tab);
    most = Math.max(most, polling.size);
  });
  context.on('response', (response) => {
    if (isPoll(response.url())) polling.delete(response.frame().page());
  });
  // The browser may tell of the next poll before it tells that this tab is gone.
  const close = async (tab: Page) => {
    closed.add(tab);
    polling.delete(tab);
    await tab.close();
  };
  return { leader: () => [...polling][0], most: () => most, close };
}

describeInBrowser('tabs of one browser', () => {
  const browser = startBrowser({ refusals: [401, 403] });

  test('are all up to date by the poll of one, also when that one closes', async () => {
    const first = await ask({ tool: 'first_tool' });
    const one = await browser.open(`${app.url}/icon.svg`, { as: ada });
    const { leader, most, close } = polls(one);
    await one.goto(QUEUE);
    const tabs = [one];
    while (tabs.length < 7) tabs.push(await browser.openBeside(one, QUEUE));
    for (const tab of tabs) await row(tab, 'first_tool').waitFor();
    await ask({ tool: 'second_tool' });
    for (const tab of tabs) await arrived(tab, 1).waitFor();
    for (const tab of tabs)
      await tab.waitForFunction(`/^\\(2\\) first_tool · /.test(document.title)`);

    const closed = leader() ?? one;
    await close(closed);
    const rest = tabs.filter((tab) => tab !== closed);
    await ask({ tool: 'third_tool' });
    for (const tab of rest) await arrived(tab, 2).waitFor();
    await decide(ada, first);
    for (const tab of rest) await row(tab, 'first_tool').waitFor({ state: 'detached' });
    expect(most()).toBe(1);
  });

  test('miss nothing that changes after a list was read and before its page is drawn', async () => {
    const answered = await ask({ tool: 'answered_meanwhile' });
    const open = await ask({ tool: 'open_meanwhile' });
    const one = await browser.open(QUEUE, { as: ada });
    await row(one, 'answered_meanwhile').waitFor();

    const two = await browser.openBeside(one, `${app.url}/icon.svg`);
    // After 300 ms the page is drawn without this request. Here that lasts until `endMoments`. A list that
    // was read 2 s before is read again, so the date stays.
    await two.addInitScript(`
      const { setTimeout: start } = globalThis;
      const ends = [];
      globalThis.setTimeout = (end, ms, ...more) =>
        ms === 300 ? void ends.push(end) : start(end, ms, ...more);
      globalThis.endMoments = () => ends.splice(0).map((end) => end()).length;
      const now = Date.now();
      Date.now = () => now;`);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await two.route(`**/api/v1/requests/${open}`, async (route) => {
      await held;
      await route.continue();
    });
    // Not what is read about requests like the open one.
    const isList = (url: string): boolean =>
      url.includes('/api/v1/requests?view=') && !url.includes('tool=');
    const list = two.waitForResponse((response) => isList(response.url()));
    let lists = 0;
    two.on('request', (request) => {
      if (isList(request.url())) lists += 1;
    });
    await two.goto(`${QUEUE}requests/${open}`);
    await list;
    await decide(ada, answered);
    await row(one, 'answered_meanwhile').waitFor({ state: 'detached' });
    expect(await row(two, 'open_meanwhile').count()).toBe(0);
    release();
    expect(await two.evaluate('endMoments()')).toBe(1);
    await row(two, 'open_meanwhile').waitFor();
    await row(two, 'answered_meanwhile').waitFor({ state: 'detached' });
    // A tab that does not poll has counts, too.
    await two.waitForFunction(`/^\\(\\d+\\) /.test(document.title)`);
    expect(lists).toBe(1);
  });

  test('stay when calls are refused while the session is there, and send them again', async () => {
    const page = await browser.open(`${app.url}/icon.svg`, { as: ada });
    for (const path of ['**/requests/changes?*wait=*', '**/api/v1/requests?view=*']) {
      let refused = 0;
      await page.route(path, async (route) => {
        refused += 1;
        if (refused <= 2) await route.fulfill({ status: 401, body: REFUSED });
        else await route.continue();
      });
    }
    await ask({ tool: 'before_refusals' });
    await page.goto(QUEUE);
    await row(page, 'before_refusals').waitFor();
    await ask({ tool: 'after_refusals' });
    // A list that was refused may be read again only now, and then has it.
    await pressUntil(row(page, 'after_refusals'), arrived(page, 1));
    expect(page.url()).toContain('/requests/');
  });

  test('poll only while they are looked at where the browser has no locks', async () => {
    const page = await browser.open(`${app.url}/icon.svg`, { as: ada });
    const { leader } = polls(page);
    await page.addInitScript(`
      delete Navigator.prototype.locks;
      let shown = 'visible';
      Object.defineProperty(document, 'visibilityState', { get: () => shown });
      globalThis.turn = (state) => {
        shown = state;
        document.dispatchEvent(new Event('visibilitychange'));
      };`);
    const polled = page.waitForRequest((request) => isPoll(request.url()));
    await page.goto(`${QUEUE}?q=no_lock`);
    await page.getByRole('heading', { name: 'Nothing matches' }).waitFor();
    await polled;
    await page.evaluate('turn("hidden")');
    await ask({ tool: 'no_lock_1' });
    // An empty list has nothing that could move.
    await row(page, 'no_lock_1').waitFor();
    await ask({ tool: 'no_lock_2' });
    expect(leader()).toBeUndefined();
    await page.evaluate('turn("visible")');
    await arrived(page, 1).waitFor();
  });

  test('all lead to the sign-in and back when the session ends', async () => {
    const one = await browser.open(`${QUEUE}?tab=all&urgency=standard`, { as: eve });
    const two = await browser.openBeside(one, `${QUEUE}?tab=mine`);
    for (const tab of [one, two])
      await tab.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    // The first request opens by itself.
    await one.waitForURL(/\/requests\//);
    expect((await eve.browser.call('POST', '/auth/logout')).status).toBe(204);
    for (const tab of [one, two]) await tab.getByRole('heading', { name: 'Sign in' }).waitFor();
    const back = new URL(one.url()).searchParams.get('return_to') ?? '';
    expect(back).toMatch(/^\/requests\/[\da-f-]+\?tab=all&urgency=standard$/);
  });

  test('show what is missing once the permission is taken, and the list once it is back', async () => {
    await ask({ tool: 'secret_tool' });
    const one = await browser.open(`${QUEUE}?tab=all`, { as: bob });
    const two = await browser.openBeside(one, `${QUEUE}?tab=all`);
    for (const tab of [one, two]) await row(tab, 'secret_tool').waitFor();
    for (const { id } of await policiesOf(ofMember(bob), owner.http))
      expect((await owner.browser.delete(`${ofMember(bob)}/${id}`)).status).toBe(204);
    for (const tab of [one, two]) {
      await tab.getByText('You do not have the permission “See requests routed').waitFor();
      await row(tab, 'secret_tool').waitFor({ state: 'detached' });
    }
    expect(
      (await post(owner.browser, ofMember(bob), terms('request.read', 'request.read.unrouted')))
        .status,
    ).toBe(201);
    await one.reload();
    await row(one, 'secret_tool').waitFor();
  });

  test('say who is signed in when another person signs in, without a word of the sign-in page', async () => {
    const one = await browser.open(QUEUE, { as: ada });
    await one.getByRole('link', { name: ada.displayName }).waitFor();
    const [name = '', value = ''] = bob.cookie.split('=');
    await one.context().addCookies([{ name, value, url: app.url }]);
    await browser.openBeside(one, QUEUE);
    const said = one.getByRole('alert');
    await said.getByText(`you are now signed in as ${bob.displayName}.`).waitFor();
    expect(await one.getByRole('link', { name: ada.displayName }).count()).toBe(0);
    await said.getByRole('button', { name: 'Reload' }).click();
    await one.getByRole('link', { name: bob.displayName }).waitFor();
  });
});

const REFUSED = JSON.stringify({
  error: { code: 'authentication_required', message: 'Sign in.', request_id: 'one' },
});
