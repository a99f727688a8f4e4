/** What axe-core finds on a page. Show the content first: an empty page breaks no rule. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { until } from '../waiting.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Only what breaks a rule leaves the page: all other results take long to hand over. */
const RUN = `axe
  .run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'] })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => id + ': ' + html + ' ' + (failureSummary ?? ''))))`;

/** One line for each broken rule and element. The code of a page, and with it the heading, may load after the frame. */
export async function violationsOf(page: Page): Promise<string[]> {
  // By its element: while a dialog is open, Playwright finds no role outside it.
  await until('the page has a heading', async () => (await page.locator('h1').count()) > 0);
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(source);
  return await page.evaluate<string[]>(RUN);
}
