/** Hidden, cut and escaped values on the page of a request. */
import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../../support/scene.ts';
import { violationsOf } from '../../../support/web/accessibility.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../../support/web/browser.ts';

const { app, people, ask } = await scene({
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});
const { ada } = people;
const pageOf = async (args: object) =>
  `${app.url}/requests/${await ask({ tool: 'unknown_tool', arguments: args })}`;

describeInBrowser('a request', () => {
  const browser = startBrowser({ refusals: [503] });

  test('shows a secret on a press that is recorded, and not if it cannot be recorded', async () => {
    const page = await browser.open(await pageOf({ name: 'STRIPE', token: 'hunter2' }), {
      as: ada,
    });
    await page.getByText('1 value is hidden.').waitFor();
    expect(await page.locator('main').textContent()).not.toContain('hunter2');
    await page.route('**/reveal', (route) => route.fulfill({ status: 503 }));
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('Not shown: the service could not record').waitFor();
    expect(await page.locator('main').textContent()).not.toContain('hunter2');
    await screenshot(page, 'request-hidden-value');
    expect(await violationsOf(page)).toEqual([]);
    await page.unroute('**/reveal');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('"hunter2"').waitFor();
    await page.getByText('looked at hidden values').waitFor();
  });

  test('is approved only once a value that is cut was opened', async () => {
    const command = `ls ${'\nok'.repeat(24)}${' x'.repeat(1_200)}; rm -rf /`;
    const page = await browser.open(await pageOf({ command }), { as: ada });
    await page.getByText('; rm -rf /').first().waitFor();
    await page
      .getByText('Part of /command is not shown yet. Open it before you approve.')
      .waitFor();
    const approve = page.getByRole('button', { name: 'Approve' });
    expect(await approve.isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Deny' }).isEnabled()).toBe(true);
    await page.getByRole('button', { name: /^Show all [\d,]+ characters$/ }).click();
    await page.getByRole('button', { name: 'Show less' }).waitFor();
    expect(await approve.isEnabled()).toBe(true);
  });

  test('marks words that only look Latin, and digits of another script, where they are', async () => {
    const args = {
      host: 'https://\u0430\u0440\u0440\u04cf\u0435.com/x',
      amount: '1\u06625',
      note: '\u0627\u062f\u0641\u0639 \u0661\u0662',
      text: '\u041f\u0440\u0438\u0432\u0435\u0442, \u043e\u0441\u0430',
    };
    const page = await browser.open(await pageOf(args), { as: ada });
    await page.getByText('has Cyrillic letters that look like Latin ones').waitFor();
    await page.getByText('mixes Western and Arabic digits').waitFor();
    const json = page.getByRole('group', { name: 'All arguments' });
    const marks = await Promise.all(
      (await json.getByRole('img').all()).map(
        async (mark) => await mark.getAttribute('aria-label'),
      ),
    );
    expect(marks).toEqual([
      'Cyrillic letters \u0430\u0440\u0440\u04cf\u0435',
      'Arabic digit \u0662',
    ]);
    await screenshot(page, 'request-marked-words');
    expect(await violationsOf(page)).toEqual([]);
  });
});
