import { expect, test } from '@jest/globals';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import { createPerson } from '../../support/scene/sign-in.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, organization, owner } = await scene();
const bob = await createPerson(app, organization.id, {
  displayName: 'Bob Field',
  policies: [everywhere(...REVIEWER)],
});

describeInBrowser('what is not there', () => {
  const browser = startBrowser({ refusals: [400, 401, 404] });

  test('keeps the header for people who are signed in, also with text of twice the size', async () => {
    const page = await browser.open(`${app.url}/nowhere`, { as: bob, viewport: PHONE });
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await page.title()).toBe('Page not found · Countersign');
    await page.evaluate('document.documentElement.style.fontSize = "32px"');
    await page.getByRole('button', { name: 'Menu' }).click();
    const leave = await page.getByRole('button', { name: 'Sign out' }).boundingBox();
    expect((leave?.x ?? 0) + (leave?.width ?? Infinity)).toBeLessThanOrEqual(PHONE.width);
    await screenshot(page, 'not-found-large-text');
    expect(await violationsOf(page)).toEqual([]);
    await page.context().clearCookies();
    await page.reload();
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0);
  });

  test('reads nothing from an address that names something twice', async () => {
    const page = await browser.open(`${app.url}/?q=odd&q=even&tab=all&tab=mine`, { as: bob });
    await page.getByRole('heading', { name: 'You’re all caught up' }).waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('');
  });

  test('offers no second try of a request that is not there', async () => {
    const page = await browser.open(`${app.url}/requests/0199a3f6-4d9e-7f60-b1a2-6c7d8e9f0a1b`, {
      as: bob,
      dark: true,
    });
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
    await page.getByText('Reference for support:').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await page.goto(`${app.url}/requests/changes`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    const placeholder = `getComputedStyle(document.querySelector('[type=search]'), '::placeholder').color`;
    expect(await page.evaluate(placeholder)).toBe('rgb(161, 156, 146)');
  });

  test.each(['/people/none', '/teams/none', '/settings/keys/none', '/paths/No path!'])(
    'says so of an address that names nothing, such as %s',
    async (path) => {
      const page = await browser.open(`${app.url}${path}`, { as: owner });
      await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
      expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    },
  );
});
