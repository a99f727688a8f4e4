import { createHash } from 'node:crypto';
import { afterAll, afterEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { freePort } from '../../../src/local/processes.ts';
import { startApp } from '../../support/app.ts';
import { cloneDatabase } from '../../support/run/database.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import type { TestMember } from '../../support/scene/factories.ts';
import { ofMember, policiesOf, put, terms } from '../../support/scene/permission-policies.ts';
import { cheapHashOf, enroll, PASSWORD, SECRETS_KEY } from '../../support/scene/sign-in.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import {
  describeInBrowser,
  isCut,
  screenshot,
  startBrowser,
  testInChromium,
} from '../../support/web/browser.ts';

const database = await cloneDatabase();
// It restarts there.
const environment = { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY, PORT: String(await freePort()) };
let running = await startApp({ databaseUrl: database.url, environment });
afterAll(async () => {
  await running.close();
  await database.drop();
});
const { url } = running;
const { people, ask, decide, claimed, reachLapse, later, owner, read } = await scene({
  on: running,
  people: { ada: REVIEWER, bob: REVIEWER, cy: REVIEWER, dan: REVIEWER },
  paths: { 'on-call': [['ada', 'bob', 'cy', 'dan']] },
  pipelines: { bot: 'on-call' },
});
const { ada, bob, cy, dan } = people;

const pageOf = (id: string): string => `${url}/requests/${id}`;
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const armed = (page: Page) => page.getByRole('group', { name: /You are about to/ });
const note = (page: Page) => page.getByRole('textbox', { name: /^Note/ });
const message = (page: Page, text: string) => page.getByRole('status').getByText(text).first();
const arm = async (page: Page, choice: 'Approve' | 'Deny') => {
  await button(page, choice).click();
  await page.locator('button[aria-disabled=false]', { hasText: 'Confirm' }).waitFor();
};
const answer = async (page: Page, choice: 'Approve' | 'Deny') => {
  await arm(page, choice);
  await button(page, 'Confirm').click();
};
const signedIn = (page: Page, { displayName }: TestMember) =>
  page.getByRole('link', { name: new RegExp(`^${displayName} ?, Your account`) });
const decisionsOf = async (id: string): Promise<readonly Record<string, unknown>[]> =>
  await running.db('decisions').where({ request_id: id });

const requireFactor = async (isRequired: boolean) => {
  await running.db('organizations').update({ require_mfa: isRequired });
};

/** Replaces what the member may do, as an owner does it. */
async function grant(member: TestMember, ...permissions: string[]): Promise<void> {
  const path = ofMember(member);
  const [policy] = await policiesOf(path, owner.browser);
  const body = { ...terms(...permissions), revision: policy?.['revision'] };
  expect((await put(owner.browser, `${path}/${policy?.id}`, body)).status).toBe(200);
}

/** The page hears of no change by itself. */
const deafen = async (page: Page) => {
  await page.route('**/requests/changes*after*', () => undefined);
};

/** Calls of decisions: their keys, and what becomes of them. */
async function intercept(page: Page) {
  const keys: (string | undefined)[] = [];
  const state = { isCut: false };
  await page.route('**/decision', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    await (state.isCut ? route.abort('connectionreset') : route.continue());
  });
  return { keys, cut: (isCut: boolean) => (state.isCut = isCut) };
}

describeInBrowser('an answer', () => {
  const browser = startBrowser({ refusals: [401, 403, 409] });

  /** Errors of cut connections, which the browser logs. */
  const cuts = () => browser.problems.splice(0).filter((each) => !isCut(each));

  afterEach(async () => {
    await requireFactor(false);
  });

  test('that is not confirmed is known after leaving the request, in a hidden tab and after a reload', async () => {
    const [id, other] = [await ask({ tool: 'first' }), await ask({ tool: 'second' })];
    const page = await browser.open(pageOf(id), { as: ada });
    const { keys, cut } = await intercept(page);
    cut(true);
    await answer(page, 'Deny');
    await message(page, 'not confirmed yet').waitFor();
    await screenshot(page, 'request-unconfirmed');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: /second/ }).click();
    await button(page, 'Approve').waitFor();
    expect(new URL(page.url()).pathname).toBe(`/requests/${other}`);
    expect(await message(page, 'not confirmed yet').count()).toBe(0);
    await page.getByRole('link', { name: /first/ }).click();
    await message(page, 'Trying again').waitFor();
    expect(await button(page, 'Deny').count()).toBe(0);
    await page.reload();
    await message(page, 'Your denial was sent but is not confirmed yet.').waitFor();
    await screenshot(page, 'request-unconfirmed-reloaded');
    expect(await violationsOf(page)).toEqual([]);
    await answer(page, 'Deny');
    await message(page, 'Trying again').waitFor();
    await page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' });
      dispatchEvent(new Event('visibilitychange'));
    `);
    cut(false);
    await page.getByRole('status').getByText('by you').waitFor();
    expect(new Set(keys).size).toBe(1);
    expect(await decisionsOf(id)).toHaveLength(1);
    expect(cuts()).toEqual([]);
  });

  test('is never sent again for another person', async () => {
    const id = await ask();
    const page = await browser.open(pageOf(id), { as: ada });
    const { keys, cut } = await intercept(page);
    cut(true);
    await answer(page, 'Approve');
    await message(page, 'not confirmed yet').waitFor();
    const [name = '', value = ''] = bob.cookie.split('=');
    await page.context().addCookies([{ name, value, url }]);
    const sent = keys.length;
    cut(false);
    await page.getByText(`you are now signed in as ${bob.displayName}.`).waitFor();
    await button(page, 'Reload').click();
    await signedIn(page, bob).waitFor();
    await button(page, 'Approve').waitFor();
    expect(await message(page, 'not confirmed yet').count()).toBe(0);
    expect(keys.length - sent).toBeLessThanOrEqual(1);
    expect(await decisionsOf(id)).toEqual([]);
    expect(cuts().filter((problem) => !problem.includes('status of 409'))).toEqual([]);
    // A page that another person opens, as after a sign-in at an identity provider.
    const [, again = ''] = ada.cookie.split('=');
    await page.context().addCookies([{ name, value: again, url }]);
    await (await page.context().newPage()).goto(url);
    await button(page, 'Reload').click();
    await signedIn(page, ada).waitFor();
  });

  test('waits for a second factor, keeps the note, and is then sent once', async () => {
    const id = await ask();
    const factor = await enroll(running, cy);
    const sessions = running.db('sessions').where({ membership_id: cy.membershipId });
    await sessions.update({ assurance: 'single_factor' });
    const page = await browser.open(`${url}/account`, { as: { ...cy, cookie: factor.cookie } });
    await deafen(page);
    await page.goto(pageOf(id));
    await arm(page, 'Approve');
    await note(page).fill('Checked twice.');
    await requireFactor(true);
    const { keys } = await intercept(page);
    await button(page, 'Confirm').click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByLabel('Code').waitFor();
    await page.keyboard.press('Escape');
    await message(page, 'Not sent: you did not confirm that it is you.').waitFor();
    await requireFactor(false);
    await page.reload();
    await arm(page, 'Approve');
    expect(await note(page).inputValue()).toBe('Checked twice.');
    await requireFactor(true);
    await button(page, 'Confirm').click();
    await dialog.getByLabel('Code').fill(await factor.freshCode());
    await page.keyboard.press('Enter');
    await page.getByRole('status').getByText('by you').waitFor();
    expect(new Set(keys).size).toBe(1);
    expect(await decisionsOf(id)).toMatchObject([{ note: 'Checked twice.' }]);
  });

  test('is not confirmed while the request changes: a claim lapses, or a colleague takes it', async () => {
    const id = await ask();
    await claimed(ada, id);
    const page = await browser.open(pageOf(id), { as: ada });
    await arm(page, 'Approve');
    await reachLapse(id);
    await later(id);
    await message(page, 'This request changed while you were deciding.').waitFor();
    expect(await armed(page).count()).toBe(0);
    await screenshot(page, 'request-changed');
    await arm(page, 'Approve');
    await claimed(bob, id);
    await message(page, 'This request changed while you were deciding.').waitFor();
    expect(await armed(page).count()).toBe(0);
    await answer(page, 'Approve');
    await page.getByRole('status').getByText('by you').waitFor();
  });

  test('is refused when the service holds other arguments than it says', async () => {
    const id = await ask({ arguments: { amount: 5 } });
    const page = await browser.open(`${url}/account`, { as: ada });
    const digest = String((await read(id))['arguments_digest']);
    const shown = '{"amount":1}';
    const forged = createHash('sha256').update(shown).digest('hex');
    await page.route(`**/api/v1/requests/${id}`, async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('{"amount":5}', shown).replace(digest, forged);
      await route.fulfill({ response, body });
    });
    await page.goto(pageOf(id));
    await answer(page, 'Approve');
    await message(page, 'The arguments differ from the ones you saw').waitFor();
    expect(await armed(page).count()).toBe(0);
    expect(await decisionsOf(id)).toEqual([]);
  });

  test('keeps its note when the session ends, and is sent by the same person after signing in', async () => {
    const hash = await cheapHashOf(PASSWORD);
    await running.db('users').where({ id: dan.userId }).update({ password_hash: hash });
    const id = await ask();
    const page = await browser.open(`${url}/account`, { as: dan });
    await deafen(page);
    await page.goto(pageOf(id));
    await arm(page, 'Deny');
    await note(page).fill('Half a note.');
    // The session ends while the decision is on its way: an earlier call of the page would notice it before the press.
    await page.route(
      '**/decision',
      async (route) => {
        await running.db('sessions').where({ membership_id: dan.membershipId }).delete();
        await route.continue();
      },
      { times: 1 },
    );
    await button(page, 'Confirm').click();
    await page.getByLabel('Email').fill(dan.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    // The page tries again after a second. No person signs in before that. Its timers end in their order.
    await page.evaluate('new Promise((end) => setTimeout(end, 1_100))');
    await page.keyboard.press('Enter');
    await message(page, 'Your denial was sent but is not confirmed yet.').waitFor();
    expect(await decisionsOf(id)).toEqual([]);
    await arm(page, 'Deny');
    expect(await note(page).inputValue()).toBe('Half a note.');
    await button(page, 'Confirm').click();
    await page.getByRole('status').getByText('by you').waitFor();
    expect(await decisionsOf(id)).toMatchObject([{ note: 'Half a note.' }]);
  });

  test('cannot be given any more once the permission is taken', async () => {
    const id = await ask();
    const page = await browser.open(pageOf(id), { as: ada });
    await arm(page, 'Approve');
    await grant(ada, 'request.read', 'request.read.unrouted', 'request.claim');
    await message(page, 'To decide it, you need the permission request.decide.').waitFor();
    expect(await armed(page).count()).toBe(0);
    expect(await button(page, 'Approve').count()).toBe(0);
    await screenshot(page, 'request-permission-taken');
    await grant(ada, 'request.read', 'request.claim');
    await page.getByRole('heading', { name: 'You do not have access to this page' }).waitFor();
    expect(await page.getByText('deploy').count()).toBe(0);
    await grant(ada, ...REVIEWER);
  });

  test('can be given again after an error, on the request as it then is', async () => {
    const id = await ask();
    const page = await browser.open(pageOf(id), { as: ada });
    await arm(page, 'Approve');
    await note(page).fill('Fine.');
    const error = { code: 'permission_denied', message: 'Refused on the way.' };
    await page.route(
      '**/decision',
      async (route) => {
        await route.fulfill({ status: 403, json: { error } });
      },
      { times: 1 },
    );
    await button(page, 'Confirm').click();
    await message(page, 'Refused on the way.').waitFor();
    await claimed(bob, id);
    await page.getByText('holds the claim. It ends').waitFor();
    await arm(page, 'Approve');
    expect(await note(page).inputValue()).toBe('Fine.');
    await button(page, 'Confirm').click();
    await page.getByRole('status').getByText('by you').waitFor();
    expect(await decisionsOf(id)).toHaveLength(1);
  });

  test('says that it did not count when a colleague was faster', async () => {
    const id = await ask();
    const page = await browser.open(`${url}/account`, { as: ada });
    await deafen(page);
    await page.goto(pageOf(id));
    await arm(page, 'Approve');
    expect((await decide(bob, id, { status: 'denied' })).status).toBe(200);
    await button(page, 'Confirm').click();
    await page.getByText(`by ${bob.displayName}`).waitFor();
    await page.getByText('Your approval did not count.').waitFor();
    await screenshot(page, 'request-too-late');
    expect(await violationsOf(page)).toEqual([]);
  });

  testInChromium(
    'that the service took before it restarted is confirmed after the restart',
    async () => {
      const id = await ask();
      const page = await browser.open(`${url}/account`, { as: ada });
      await deafen(page);
      await page.goto(pageOf(id));
      await page.route(
        '**/decision',
        async (route) => {
          await route.fetch();
          await running.close();
          await route.abort('connectionreset');
        },
        { times: 1 },
      );
      await answer(page, 'Approve');
      await message(page, 'not confirmed yet').waitFor();
      running = await startApp({ databaseUrl: database.url, environment });
      await page.getByRole('status').getByText('by you').waitFor();
      expect(await decisionsOf(id)).toHaveLength(1);
      expect(cuts()).toEqual([]);
    },
  );
});
