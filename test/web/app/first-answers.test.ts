/** What comes with a page is older than what the page hears, so these tests change things while it is on its way. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { REVIEWER, scene } from '../../support/scene.ts';
import type { TestMember } from '../../support/scene/factories.ts';
import { describeInBrowser, startBrowser } from '../../support/web/browser.ts';

const { app, people, ask, decide } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, cy: REVIEWER },
  paths: { 'on-call': [['ada', 'bob', 'cy']] },
  pipelines: { bot: 'on-call' },
});
const { ada, bob, cy } = people;

const QUEUE = `${app.url}/`;
const row = (page: Page, name: string) => page.getByRole('listitem').filter({ hasText: name });
const approve = (page: Page) => page.getByRole('button', { name: 'Approve' });
const signedIn = (page: Page, { displayName }: TestMember) =>
  page.getByRole('link', { name: new RegExp(`^${displayName} ?, Your account`) });

/** Paths of calls of the API that the page makes, without what identifies them. */
function callsOf(page: Page): string[] {
  const calls: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (!/^\/(?:api|auth)\//.test(pathname)) return;
    const path = pathname.replace(/[\da-f-]{36}/, '{id}');
    calls.push([path, searchParams.has('wait') && 'wait'].filter(Boolean).join(' '));
  });
  return calls;
}

const brought = (page: Page) => page.locator('template[data-call]');

/** The page has come with its answers, and its code has not. Answers what lets the code come. */
async function goUnderWay(page: Page, url: string) {
  const release = await holdFiles(page, '**/assets/shared-*.js');
  await page.goto(url, { waitUntil: 'commit' });
  await page.locator('#app').waitFor({ state: 'attached' });
  expect(await brought(page).count()).toBeGreaterThan(2);
  return release;
}

async function holdFiles(page: Page, files: string) {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(files, async (route) => {
    await held;
    await route.continue();
  });
  return () => {
    release();
  };
}

describeInBrowser('a page with its first answers', () => {
  const browser = startBrowser({ refusals: [401] });

  test('shows the queue and a request without asking for them', async () => {
    const id = await ask({ tool: 'brought_tool' });
    const page = await browser.open(`${app.url}/icon.svg`, { as: ada });
    const calls = callsOf(page);
    for (const path of ['/', '/?tab=mine', '/?tab=all', `/requests/${id}`]) {
      await page.goto(app.url + path);
      await row(page, 'brought_tool').waitFor();
    }
    await page.goto(`${QUEUE}?tab=decided`);
    await page.getByText('Nothing').first().waitFor();
    await page.goto(`${QUEUE}requests/${id}?tab=all`);
    await approve(page).waitFor();
    const wait = page.waitForRequest(/changes\?.*wait=/);
    await page.reload();
    await approve(page).waitFor();
    await wait;
    const known = ['/api/v1/me', '/api/v1/requests/changes', '/api/v1/requests/changes wait'];
    const details = ['/api/v1/requests/{id}/routing', '/api/v1/requests/{id}/timeline'];
    expect([...new Set(calls)].sort()).toEqual([...known, ...details].sort());
  });

  test('misses nothing that another tab was told before this one could hear it', async () => {
    const answered = await ask({ tool: 'answered_under_way' });
    await ask({ tool: 'open_under_way' });
    const one = await browser.open(QUEUE, { as: ada });
    await row(one, 'answered_under_way').waitFor();

    const two = await browser.openBeside(one, `${app.url}/icon.svg`);
    const release = await goUnderWay(two, QUEUE);
    await decide(ada, answered);
    await row(one, 'answered_under_way').waitFor({ state: 'detached' });
    await ask({ tool: 'new_under_way' });
    await one.getByRole('button', { name: /^Show 1 new request/ }).waitFor();
    release();
    await row(two, 'open_under_way').waitFor();
    await row(two, 'answered_under_way').waitFor({ state: 'detached' });
    await two.getByRole('button', { name: /^Show 1 new request/ }).waitFor();
    expect(await two.title()).toBe(await one.title());
  });

  test('leaves when another person has signed in meanwhile', async () => {
    const id = await ask({ tool: 'of_another_person' });
    const page = await browser.open(`${app.url}/icon.svg`, { as: ada });
    const release = await goUnderWay(page, `${QUEUE}requests/${id}`);
    const [name = '', value = ''] = bob.cookie.split('=');
    await page.context().addCookies([{ name, value, url: app.url }]);
    const open = await browser.openBeside(page, QUEUE);
    await signedIn(open, bob).waitFor();
    await open.evaluate(`globalThis.isSamePage = true`);
    release();
    await signedIn(page, bob).waitFor();
    await approve(page).waitFor();
    expect(await signedIn(page, ada).count()).toBe(0);
    // That person's own page is right, and stays.
    expect(await open.evaluate('globalThis.isSamePage')).toBe(true);
  });

  test('leads to the sign-in when the session has ended meanwhile', async () => {
    const page = await browser.open(`${app.url}/icon.svg`, { as: cy });
    const release = await goUnderWay(page, QUEUE);
    const ended = await app.db('sessions').where({ membership_id: cy.membershipId }).delete();
    expect(ended).toBe(1);
    release();
    await page.getByLabel('Email').waitFor();
    expect(new URL(page.url()).searchParams.get('return_to')).toBe('/');
  });

  test('says that it loads when its code is late, and still asks for nothing', async () => {
    await ask({ tool: 'late_code' });
    const page = await browser.open(`${app.url}/icon.svg`, { as: ada });
    const calls = callsOf(page);
    const release = await holdFiles(page, '**/assets/requests-*.js');
    await page.goto(QUEUE);
    await page.getByText('Loading').waitFor();
    release();
    await row(page, 'late_code').waitFor();
    expect(calls).not.toContain('/api/v1/requests');
  });

  test('shows times by the clock of the service', async () => {
    const id = await ask({ tool: 'by_the_clock', timeout: '2h' });
    const page = await browser.open(`${app.url}/icon.svg`, { as: ada });
    await page.addInitScript(`
      const { now } = Date;
      Date.now = () => now() + 3_600_000;`);
    // Its own first answer with a time would come later.
    await page.route('**/api/**', () => undefined);
    await page.goto(`${QUEUE}requests/${id}`);
    await page.getByText('1 h 59 min left').first().waitFor();
  });
});
