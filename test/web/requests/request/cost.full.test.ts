/** What an agent sends decides nothing about how much is drawn at once. `npm run bench -- reviewer` measures the work. */
import { expect, test } from '@jest/globals';
import { SHAPES } from '../../../../bench/web/shapes.ts';
import { REVIEWER, scene } from '../../../support/scene.ts';
import {
  describeInBrowser,
  PHONE,
  screenshot,
  startBrowser,
} from '../../../support/web/browser.ts';

const { app, people, ask } = await scene({
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});
const { ada } = people;

const MOST_ELEMENTS = 2_500;
const MOST_CHARACTERS = 30_000;

describeInBrowser('a request', () => {
  const browser = startBrowser();

  test.each(Object.entries(SHAPES))('draws a part at a time: %s', async (name, call) => {
    const id = await ask({ tool: 'load', ...call });
    const page = await browser.open(`${app.url}/requests/${id}`, { as: ada });
    await page.locator('button:enabled', { hasText: 'Deny' }).waitFor();
    await page.getByRole('heading', { name: 'All arguments' }).waitFor();
    await page.waitForLoadState('load');
    expect(
      await page.evaluate<number>('document.querySelectorAll("article *").length'),
    ).toBeLessThan(MOST_ELEMENTS);
    expect(
      await page.evaluate<number>('document.querySelector("article").textContent.length'),
    ).toBeLessThan(MOST_CHARACTERS);
    await screenshot(page, `request-cost-${name.replaceAll(/\W+/g, '-')}`);
  });

  test('draws a part at a time on a phone, too, and shows the rest on the way down', async () => {
    const id = await ask({ tool: 'load', ...SHAPES['2,000 rows'] });
    const page = await browser.open(`${app.url}/requests/${id}`, { as: ada, viewport: PHONE });
    const view = page.getByRole('group', { name: 'All arguments', exact: true });
    await view.getByText('"pay_0"').waitFor();
    expect(
      await page.evaluate<number>('document.querySelectorAll("article *").length'),
    ).toBeLessThan(MOST_ELEMENTS);
    await page.evaluate(
      `document.querySelector('[aria-label="All arguments"][tabindex]').scrollTop = 1e6`,
    );
    await view.getByText('"pay_1999"').waitFor();
  });
});
