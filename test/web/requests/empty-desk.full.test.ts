/** What a desk shows before its reader chooses, at the width where it begins, and what a phone shows instead. */
import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, people, ask } = await scene({
  people: { ada: REVIEWER, eve: [] },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});
const { ada, eve } = people;

describeInBrowser('an empty desk', () => {
  const browser = startBrowser({ refusals: [403, 404] });

  test('opens the first request beside the list from 1,024 pixels on, and changes nothing of it', async () => {
    const late = await ask({ tool: 'later_tool', timeout: '3h' });
    const first = await ask({ tool: 'sooner_tool', timeout: '2h' });
    const before = await app.db('approval_requests').where({ id: first }).first();
    const page = await browser.open(`${app.url}/`, {
      ...{ as: ada, viewport: { width: 1_024, height: 768 } },
    });
    await page.waitForURL(`${app.url}/requests/${first}`);
    await page.getByText('Notified Ada').waitFor();
    const list = page.getByRole('region', { name: 'Requests' });
    await list.getByRole('link', { name: /later_tool/ }).waitFor();
    expect(await list.locator('[aria-current=page]').innerText()).toContain('sooner_tool');
    await screenshot(page, 'empty-desk-1024');
    expect(await violationsOf(page)).toEqual([]);
    const [overflow] = [await page.evaluate('document.documentElement.scrollWidth - innerWidth')];
    expect(overflow).toBe(0);
    expect(await app.db('approval_requests').where({ id: first }).first()).toEqual(before);

    // One pixel less is one pane, with a way back.
    await page.setViewportSize({ width: 1_023, height: 768 });
    await page.getByRole('link', { name: 'All requests' }).click();
    await page.waitForURL(`${app.url}/`);
    await list.getByRole('link', { name: /later_tool/ }).click();
    await page.waitForURL(`${app.url}/requests/${late}`);
  });

  test('is a list on a phone of 360 pixels, whose filters are not cut', async () => {
    const page = await browser.open(`${app.url}/?tab=all`, { as: ada, viewport: PHONE });
    await page.getByRole('link', { name: /sooner_tool/ }).waitFor();
    await page.getByRole('button', { name: 'Filters', exact: true }).click();
    await page.getByRole('combobox', { name: 'Claims' }).waitFor();
    const cut = await page.evaluate<string[]>(`
      [...document.querySelectorAll('select')]
        .filter((each) => each.scrollWidth > each.clientWidth || each.getBoundingClientRect().right > innerWidth)
        .map(({ ariaLabel }) => ariaLabel)`);
    expect(cut).toEqual([]);
    expect(page.url()).toBe(`${app.url}/?tab=all`);
    await screenshot(page, 'queue-filters-phone');
  });

  test('names a way on for who may not see it, and where a request is not there', async () => {
    const page = await browser.open(`${app.url}/`, { as: eve });
    await page.getByRole('heading', { name: 'You do not have access to this page' }).waitFor();
    await page.getByRole('link', { name: 'Go to your account' }).click();
    await page.waitForURL(`${app.url}/account`);
    const other = await browser.open(`${app.url}/requests/0199a3f6-4d9e-7f60-b1a2-6c7d8e9f0a1b`, {
      as: ada,
    });
    await other.getByRole('link', { name: 'Go to requests' }).click();
    await other.getByRole('button', { name: 'Approve' }).waitFor();
  });
});
