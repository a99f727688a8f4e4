/** What every list of the web app does, whatever it lists. */
import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { scene } from '../../support/scene.ts';
import { createTeam } from '../../support/scene/factories.ts';
import { until } from '../../support/waiting.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, startBrowser } from '../../support/web/browser.ts';

const { app, organization, owner } = await scene({
  app: { environment: { COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64') } },
  people: { ada: { can: ['request.read'], displayName: 'Ada Reyes' } },
  pipelines: { 'support-bot': {} },
});
const names = Array.from({ length: 52 }, (_, index) => `Shift ${String(index + 10)}`);
for (const name of names) await createTeam(app, organization.id, { name });

const LISTS = [
  '/agents',
  '/agents/support-bot/instances',
  '/agents/support-bot/tools',
  '/people',
  '/people/invitations',
  '/teams',
  '/paths',
  '/endpoints',
  '/presentations',
  '/account/keys',
  '/settings/keys',
];
const search = (page: Page) => page.getByRole('searchbox');
const clear = (page: Page) => page.getByRole('button', { name: 'Clear search and filters' });
const rows = (page: Page) =>
  page.getByRole('table', { name: 'Teams' }).getByRole('rowheader').allInnerTexts();

describeInBrowser('every list', () => {
  const browser = startBrowser({ refusals: [500] });

  test.each(LISTS)(
    '%s keeps its search in the address, and leads out of one that finds nothing',
    async (path) => {
      const page = await browser.open(`${app.url}${path}?q=no-such-thing&show=nonsense`, {
        as: owner,
      });
      await page.getByText(/^No .* match(es)?\.$|^No one matches\.$/).waitFor();
      expect(await search(page).inputValue()).toBe('no-such-thing');
      expect(await violationsOf(page)).toEqual([]);
      await clear(page).click();
      await clear(page).waitFor({ state: 'detached' });
      expect(new URL(page.url()).search).toBe('');
      await until('the field is empty', async () => (await search(page).inputValue()) === '');
      await search(page).fill('nor this');
      await clear(page).waitFor();
      expect(new URL(page.url()).searchParams.get('q')).toBe('nor this');
    },
  );

  test('asks for nothing that the service would refuse, whatever an address says', async () => {
    const page = await browser.open(`${app.url}/account`, { as: owner });
    const asked: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) asked.push(`${response.status()} ${response.url()}`);
    });
    const long = 'a'.repeat(300);
    const given = `team=nonsense&show=nonsense&q=${encodeURIComponent(`\0${long}`)}`;
    for (const path of LISTS) {
      await page.goto(`${app.url}${path}?${given}`);
      await page.getByText(/^No .* match(es)?\.$|^No one matches\.$/).waitFor();
    }
    await page.goto(`${app.url}/people?team=nonsense&q=Ada`);
    await page.getByRole('link', { name: 'Ada Reyes' }).waitFor();
    expect(asked).toEqual([]);
  });

  test('keeps its rows while those of another search are read, and its filters on the way back', async () => {
    const page = await browser.open(`${app.url}/teams`, { as: owner });
    await page.getByRole('link', { name: 'Shift 10', exact: true }).waitFor();
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/api/v1/teams?*', async (route) => {
      await held;
      await route.continue();
    });
    await search(page).fill('Shift 61');
    await page.locator('[aria-busy="true"]').waitFor();
    expect((await rows(page)).length).toBe(50);
    answer();
    await page.getByRole('link', { name: 'Shift 61', exact: true }).waitFor();
    await until('the others are gone', async () => (await rows(page)).length === 1);
    await page.getByRole('link', { name: 'Shift 61', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Shift 61' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Shift 61', exact: true }).waitFor();
    expect(await search(page).inputValue()).toBe('Shift 61');
    await page.reload();
    await page.getByRole('link', { name: 'Shift 61', exact: true }).waitFor();
    expect(await search(page).inputValue()).toBe('Shift 61');
  });

  test('goes on after the last row that was read, although rows came before it meanwhile', async () => {
    const page = await browser.open(`${app.url}/teams`, { as: owner });
    await page.getByRole('link', { name: 'Shift 10', exact: true }).waitFor();
    await createTeam(app, organization.id, { name: 'A team that came meanwhile' });
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByRole('link', { name: 'Shift 61', exact: true }).waitFor();
    expect(await rows(page)).toEqual(names);
  });

  test('keeps what was read when it cannot be read again, and says so', async () => {
    const page = await browser.open(`${app.url}/teams?q=Shift+6`, { as: owner });
    await page.getByRole('link', { name: 'Shift 61', exact: true }).waitFor();
    await page.route('**/api/v1/teams?*', async (route) => {
      await route.fulfill({
        status: 500,
        json: { error: { code: 'internal_error', message: '' } },
      });
    });
    await page.getByRole('link', { name: 'Shift 61', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Shift 61' }).waitFor();
    await page.goBack();
    await page.getByText('This part could not be loaded.').waitFor();
    expect(await rows(page)).toEqual(['Shift 60', 'Shift 61']);
    await page.unroute('**/api/v1/teams?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('This part could not be loaded.').waitFor({ state: 'detached' });
    expect(await rows(page)).toEqual(['Shift 60', 'Shift 61']);
  });
});
