/** Translators, password managers and grammar checkers change the pages of every app. Ours go on. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { WEB_PAGES } from '../../../src/domain/web-pages.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../support/web/browser.ts';
import { DISTURBANCES, type Disturbance } from '../../support/web/foreign-elements.ts';

const { app, owner, people, ask, claimed, release, decide } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER },
  paths: { 'on-call': [['ada', 'bob']] },
  pipelines: { bot: 'on-call' },
});
const { ada, bob } = people;

const kinds = Object.keys(DISTURBANCES) as Disturbance[];
const isTranslator = (kind: Disturbance): boolean => kind.startsWith('translator');
const pageOf = (id: string): string => `${app.url}/requests/${id}`;
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const decisionsOf = async (id: string): Promise<unknown[]> =>
  await app.db('decisions').where({ request_id: id }).pluck('status');
/** How often it changed the page. */
const changes = async (page: Page, kind: Disturbance): Promise<number> =>
  await page.evaluate(`globalThis.${isTranslator(kind) ? 'translated' : 'inserted'} ?? 0`);

const REFUND = {
  tool: 'refund_payment',
  arguments: { payment_id: 'pay_81', amount: 120.5, currency: 'EUR', note: 'a\nb' },
};

/** Every page of people who are signed in. */
const PLACES = [
  ...Object.values(WEB_PAGES).filter(
    (path) => !/\$|login|welcome|password|setup|consent/.test(path),
  ),
  ...['', '/connect', '/instances', '/tools', '/activity', '/rules'].map(
    (part) => `/agents/bot${part}`,
  ),
  ...['/paths/on-call', `/people/${bob.membershipId}`, '/docs/rules'],
];

describeInBrowser.each(kinds)('a page that is changed by a %s', (kind) => {
  const browser = startBrowser();
  const open = async (url: string, as = ada): Promise<Page> => {
    const page = await browser.open(`${app.url}/icon.svg`, { as });
    await page.addInitScript(DISTURBANCES[kind]);
    await page.goto(url);
    return page;
  };

  test('shows what others do, and takes both decisions', async () => {
    for (const choice of ['Approve', 'Deny']) {
      const id = await ask(REFUND);
      const page = await open(pageOf(id));
      await button(page, 'Approve').waitFor();
      await button(page, /^Claim/).waitFor();
      await claimed(bob, id);
      await page.getByText(`${bob.displayName} holds the claim`).first().waitFor();
      await release(bob, id);
      await button(page, /^Claim/).click();
      await button(page, /^Release/).click();
      await button(page, /^Claim/).waitFor();
      await page.getByText('holds the claim').first().waitFor({ state: 'detached' });
      await button(page, choice).click();
      await page.getByRole('textbox', { name: /^Note/ }).fill('Checked.');
      await page.locator('button[aria-disabled=false]', { hasText: 'Confirm' }).waitFor();
      await screenshot(page, `foreign-elements-${kind.replaceAll(' ', '-')}`);
      expect(await changes(page, kind)).toBeGreaterThan(0);
      await button(page, 'Confirm').click();
      await page.getByRole('status').getByText('by you').waitFor();
      expect(await decisionsOf(id)).toEqual([choice === 'Approve' ? 'approved' : 'denied']);
    }
  });

  test('follows the queue', async () => {
    const [one, two] = [`one_${kinds.indexOf(kind)}`, `two_${kinds.indexOf(kind)}`] as const;
    const first = await ask({ tool: one });
    const page = await open(`${app.url}/`);
    const row = (name = '') => page.locator('li[data-index]').filter({ hasText: name });
    await row(one).waitFor();
    await ask({ tool: two });
    await page.getByRole('button', { name: /^Show 1 new request/ }).click();
    await row(two).waitFor();
    await decide(bob, first);
    await row(one).waitFor({ state: 'detached' });
    await page.getByRole('searchbox').first().fill(two);
    await row(two).waitFor();
  });
});

describeInBrowser('every page', () => {
  const browser = startBrowser({ refusals: [404, 501] });

  test.each(Array.from({ length: 4 }, (_none, part) => part))(
    'opens and is left with all of them at once, quarter %s',
    async (part) => {
      const page = await browser.open(`${app.url}/icon.svg`, { as: owner });
      for (const kind of kinds) await page.addInitScript(DISTURBANCES[kind]);
      for (const place of PLACES.filter((_place, index) => index % 4 === part)) {
        await page.goto(`${app.url}${place}`);
        await page.locator('h1').first().waitFor();
        await page.waitForFunction('globalThis.translated > 0');
        await page.getByRole('link', { name: 'Countersign' }).first().click();
        await page.waitForURL(/\/(requests\/[^/]+)?$/);
        expect([place, await page.getByText('could not be shown').count()]).toEqual([place, 0]);
      }
    },
  );
});

describeInBrowser('a part that something in the browser took away', () => {
  const browser = startBrowser();

  test('says so alone, comes back, and leaves Approve and Deny', async () => {
    const id = await ask(REFUND);
    const page = await browser.open(pageOf(id), { as: ada });
    await button(page, /^Claim/).waitFor();
    await page.evaluate(`
      [...document.querySelectorAll('button')]
        .find(({ textContent }) => textContent.startsWith('Claim'))
        .parentElement.replaceChildren()`);
    await claimed(bob, id);
    const part = page.getByRole('alert').filter({ hasText: 'This part could not be shown.' });
    await part.waitFor();
    expect(await page.getByText('The service could not').count()).toBe(0);
    expect(await button(page, 'Approve').isEnabled()).toBe(true);
    expect(await button(page, 'Deny').isEnabled()).toBe(true);
    await part.getByRole('button', { name: 'Try again' }).click();
    await page.getByText(`${bob.displayName} holds the claim`).first().waitFor();
    await button(page, 'Approve').click();
    await button(page, 'Confirm').click();
    await page.getByRole('status').getByText('by you').waitFor();
    expect(browser.problems.splice(0).some((problem) => problem.includes('removeChild'))).toBe(
      true,
    );
  });
});
