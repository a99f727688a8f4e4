/** What an agent can call, how its calls are shown, and what happened to it. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, owner, people, agents, ask } = await scene({
  app: { environment: { COUNTERSIGN_EDITION: 'hosted' } },
  pipelines: { 'support-bot': {} },
  people: { ada: ['agent.read', 'request.read'] },
});
const HOSTILE = '<img src=x onerror=alert(1)>\u202egnihton';
const refund = (maximum: string) =>
  `{"name": "refund_payment", "input_schema": {"type": "object", "properties": {"amount": {"type": "number", "maximum": ${maximum}}}}}`;
const report = (maximum: string) =>
  agents['support-bot'].http.call('PUT', '/api/aap/v1/tool_catalog', {
    body: `{"runtime": "tests", "discovery_context": "here", "sources": [
      {"source": "builtin", "tools": [{"name": "Bash", "description": ${JSON.stringify(HOSTILE)}}]},
      {"source": "mcp", "server": "billing", "tools": [${refund(maximum)}]}]}`,
  });
await report('100.00');
await report('1000.00');
const id = await ask({
  tool: 'refund_payment',
  server: 'billing',
  arguments: { amount: 1249.95, currency: 'EUR', payment_id: 'pay_14', password: 'hunter2' },
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });

describeInBrowser('who manages agents', () => {
  const browser = startBrowser({ refusals: [400, 409, 412] });

  test('sees the tools of an agent and what changed in a schema, and changes how calls are shown', async () => {
    const page = await browser.open(`${app.url}/agents/support-bot`, { as: owner });
    await link(page, 'Tools').click();
    await page.getByRole('heading', { name: 'Server billing' }).waitFor();
    expect(await page.locator('img[src=x]').count()).toBe(0);
    await page.getByText('Schema changed').click();
    const change = page.getByRole('group', { name: 'What changed in the schema' });
    expect((await change.textContent())?.replaceAll(/\s+/g, ' ')).toMatch(
      /-.*100\.00.*\+.*1000\.00/,
    );
    await screenshot(page, 'agent-tools');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('searchbox').fill('bash');
    await page.getByRole('heading', { name: 'Server billing' }).waitFor({ state: 'detached' });
    await page.getByRole('searchbox').fill('refund');
    await page.getByRole('link', { name: 'How it is shown: refund_payment' }).click();

    await page.getByRole('link', { name: 'Make your own for refund_payment' }).first().waitFor();
    await screenshot(page, 'presentations');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Make your own for refund_payment' }).first().click();
    const preview = page.getByRole('article', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'Refund 1249.95 EUR of pay_14' }).waitFor();
    await page.getByRole('button', { name: /^Add \d+ values? of this call$/ }).click();
    await preview.getByText('Password').first().waitFor();
    // What the page of a request hides, this one hides everywhere.
    expect(await page.content()).not.toContain('hunter2');
    const title = page.getByLabel('Title', { exact: true });
    await title.fill('{/amount back <b>now</b>');
    await button(page, 'Save').click();
    await page.getByText('each brace before a slash needs its end').waitFor();
    await title.fill('<b>Pay back</b> {/amount} for');
    await button(page, 'Add /payment_id to the title').click();
    await preview.getByRole('heading', { name: '<b>Pay back</b> 1249.95 for pay_14' }).waitFor();
    expect(await preview.locator('b').count()).toBe(0);
    await screenshot(page, 'presentation-editor');
    expect(await violationsOf(page)).toEqual([]);
    await button(page, 'Save').click();
    await page.waitForURL(/\/presentations\/[0-9a-f-]{36}$/);
    await page.getByText('Requests are shown like this from now on.').waitFor();
    await page.goto(`${app.url}/requests/${id}`);
    await page.getByRole('heading', { name: '<b>Pay back</b> 1249.95 for pay_14' }).waitFor();
    // The request leads to the instance that asked.
    await page.locator('header a[href*="/agents/support-bot/instances?q="]').click();
    await page.getByRole('heading', { name: 'Instances' }).waitFor();
  });

  test('does not write over what someone else changed, and is led to the one that exists', async () => {
    const entry = { tool: 'pay_out', title: 'Pay {/amount}', fields: [] };
    const created = await owner.http.post('/api/v1/tool_presentations', entry);
    const path = `/api/v1/tool_presentations/${String(created.body['id'])}`;
    const page = await browser.open(`${app.url}/presentations/${String(created.body['id'])}`, {
      as: owner,
      viewport: PHONE,
      dark: true,
    });
    await button(page, 'Add a field').click();
    const field = { path: '/to', label: 'To', kind: 'text' };
    await owner.http.call('PUT', path, { body: { ...entry, fields: [field] } });
    await page.getByLabel('Title', { exact: true }).fill('Pay out {/amount}');
    await button(page, 'Remove').click();
    await button(page, 'Save').click();
    await page.getByText('Someone else changed this presentation').waitFor();
    await screenshot(page, 'presentation-conflict-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await button(page, 'Put my changes on top').click();
    // The message that says so is still there, and lies above no button.
    await page.getByRole('status').getByRole('button', { name: 'Dismiss' }).waitFor();
    await button(page, 'Save').click();
    await page.getByText('No changes').waitFor();
    const { body } = await owner.http.get(path);
    expect(body).toMatchObject({ title: 'Pay out {/amount}', fields: [field] });

    await page.goto(`${app.url}/presentations/new?tool=pay_out`);
    await page.getByLabel('Title', { exact: true }).fill('Another one');
    await button(page, 'Save').click();
    await link(page, 'Open it').click();
    await button(page, 'Leave').click();
    await page.waitForURL(new RegExp(`${String(created.body['id'])}$`));
    await button(page, 'Delete').click();
    await button(page, 'Delete it').click();
    await page.waitForURL(/\/presentations$/);
    expect((await owner.http.get(path)).status).toBe(404);
  });

  test('reads who did what, and without the permission what the agent itself says', async () => {
    const page = await browser.open(`${app.url}/agents/support-bot`, { as: owner });
    await button(page, 'Pause agent').click();
    await button(page, 'Press again to pause').click();
    await page.getByText('This agent is paused').waitFor();
    await link(page, 'Activity').click();
    await page.getByText(/paused the agent/).waitFor();
    await page.getByText(/reported another schema of the tool/).waitFor();
    await screenshot(page, 'agent-activity');
    expect(await violationsOf(page)).toEqual([]);

    const other = await browser.open(`${app.url}/agents/support-bot/activity`, {
      as: people.ada,
    });
    await other.getByText('The audit log shows who made each change.').waitFor();
    await other.getByText('Created by').waitFor();
    await other.goto(`${app.url}/agents/support-bot/tools`);
    await other.getByText('refund_payment').first().waitFor();
    expect(await other.getByRole('button', { name: /Make a rule/ }).count()).toBe(0);
    await other.goto(`${app.url}/presentations/new`);
    await other.getByText('You do not have the permission').waitFor();
  });
});
