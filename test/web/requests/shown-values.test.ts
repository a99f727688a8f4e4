/** Hidden, cut and escaped values on the page of a request. */
import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../support/web/browser.ts';

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

  test('shows the end of padded commands, and can be approved where nothing is cut', async () => {
    const args = {
      blanks: `ls${' '.repeat(2_000)}; rm -rf /a`,
      breaks: `ls${'\n'.repeat(24)}; rm -rf /b`,
    };
    const page = await browser.open(await pageOf(args), { as: ada });
    await page.getByText('; rm -rf /a').waitFor();
    await page.getByText('; rm -rf /b').waitFor();
    await page.getByRole('img', { name: '2,000 blanks' }).waitFor();
    await page.getByRole('img', { name: '24 line breaks' }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).isEnabled()).toBe(true);
  });

  test('shows the source text on a press', async () => {
    const page = await browser.open(await pageOf({ name: '张伟' }), { as: ada });
    await page.getByText('"张伟"').waitFor();
    await page.getByRole('button', { name: 'Show the source text' }).click();
    await page.getByRole('button', { name: 'Hide the source text' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
