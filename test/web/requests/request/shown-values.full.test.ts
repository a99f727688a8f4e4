/** Hidden, cut and escaped values on the page of a request. */
import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../../support/scene.ts';
import { stepAt } from '../../../support/scene/approval-requests.ts';
import { violationsOf } from '../../../support/web/accessibility.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../../support/web/browser.ts';

const { app, people, ask, agents } = await scene({
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});
const { ada } = people;
const pageOf = async (args: object) =>
  `${app.url}/requests/${await ask({ tool: 'unknown_tool', arguments: args })}`;

describeInBrowser('a request', () => {
  const browser = startBrowser({ refusals: [503] });

  test('shows a text without the secret in it, and all of it on a press', async () => {
    const args = {
      command: 'curl -H "Authorization: Bearer hunter2" https://a.example',
      token: 'hunter3',
      script: `x --password=${'hunter4 '.trim().repeat(400)} && ls`,
    };
    const page = await browser.open(await pageOf(args), { as: ada });
    const main = page.locator('main');
    await page.getByText('3 values are hidden.').waitFor();
    await page.getByText('Authorization: Bearer •••', { exact: false }).first().waitFor();
    expect(await main.textContent()).not.toMatch(/hunter[234]/);
    expect(await page.getByRole('button', { name: 'Approve' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('3 hidden values were not opened.').waitFor();
    await screenshot(page, 'request-secret-in-text');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Show hidden part' }).first().click();
    await page.getByText('Bearer hunter2', { exact: false }).first().waitFor();
    await page.getByText('looked at hidden values').waitFor();
    // What is hidden is no way around the rule for long values.
    await page.getByRole('button', { name: 'Show hidden part' }).click();
    await page.getByRole('button', { name: /^Show all [\d,]+ characters$/ }).click();
    expect(await page.getByRole('button', { name: 'Approve' }).isEnabled()).toBe(true);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('1 hidden value was not opened.').waitFor();
  });

  test('shows the end of padded commands, and can be approved where nothing is cut', async () => {
    const args = {
      blanks: `ls${' '.repeat(2_000)}; rm -rf /a`,
      breaks: `ls${'\n'.repeat(24)}; rm -rf /b`,
    };
    const page = await browser.open(await pageOf(args), { as: ada });
    await page.getByText('ls ; rm -rf /a').waitFor();
    await page.getByText('ls ; rm -rf /b').waitFor();
    await page.getByRole('img', { name: '2,000 spaces' }).waitFor();
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

  test('shows escaped text decoded, and its source on a press', async () => {
    const source = String.raw`{"name":"\u5f20\u4f1f","command":"\u0072m -rf"}`;
    const asked = await fetch(`${app.url}/api/aap/v1/requests`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${agents.bot.credential}`,
        'content-type': 'application/json',
        'idempotency-key': 'escaped',
      },
      body: `{"tool":"unknown_tool","timeout":"1h","arguments":${source}}`,
    });
    expect(asked.status).toBe(201);
    const { id } = (await asked.json()) as { id: string };
    await stepAt(app, id);
    const page = await browser.open(`${app.url}/requests/${id}`, { as: ada });
    await page.getByText('"张伟"').waitFor();
    await page.getByText('"rm -rf"').waitFor();
    await page.getByText(', with “张伟” in the arguments').waitFor();
    expect(await page.locator('main').textContent()).not.toContain(String.raw`\u`);
    await page.getByRole('button', { name: 'Show the source text' }).click();
    await page.getByText(source).waitFor();
  });
});
