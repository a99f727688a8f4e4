/** The first day: from an empty service to a request that is decided, with nothing but the browser. And who may run the demo. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { BOOTSTRAP_SECRET } from '../../support/app.ts';
import { appForFile, everywhere } from '../../support/scene.ts';
import { createPerson } from '../../support/scene/sign-in.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';
import { traces } from '../../support/web/traces.ts';

const app = await appForFile({ temporal: true });

const button = (page: Page, name: string) => page.getByRole('button', { name });
const titled = (page: Page, name: string) =>
  page.getByRole('heading', { level: 3, name, exact: true });

async function bootstrap(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Bootstrap secret' }).fill(BOOTSTRAP_SECRET);
  await page.getByRole('textbox', { name: 'Organization name' }).fill('Acme');
  await page.getByRole('textbox', { name: 'Your name' }).fill('Ada Lovelace');
  await page.getByRole('textbox', { name: 'Email' }).fill('ada@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery staple 9');
  await button(page, 'Create organization').click();
}

/** Opens the request from the page of the demo, and decides it as the reviewer. */
async function decide(page: Page, verdict: 'Approve' | 'Deny', note?: string): Promise<void> {
  const link = page.getByRole('link', { name: 'Open the request (opens in a new tab)' });
  const [beside] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
  const open = beside.getByRole('button', { name: new RegExp(`^${verdict}`) });
  await open.click();
  await beside.locator('strong').getByText('Demo', { exact: true }).first().waitFor();
  if (note !== undefined) await beside.getByRole('textbox', { name: /^Note/ }).fill(note);
  const confirm = verdict === 'Approve' ? 'Confirm approval' : 'Confirm denial';
  await beside.getByRole('button', { name: confirm }).click();
  await beside.getByRole('status').getByText('by you').waitFor();
  await beside.close();
}

const organizationId = async () =>
  String((await app.db('organizations').first<{ id: string }>('id')).id);

describeInBrowser('the demo agent', () => {
  const browser = startBrowser({ refusals: [401, 403] });

  test('takes an owner from an empty service to decisions that arrive, and is archived and restored like any agent', async () => {
    const page = await browser.open(`${app.url}/welcome`);
    await bootstrap(page);
    await page.getByRole('link', { name: 'Try it with a demo agent' }).click();
    await page.getByRole('heading', { level: 1, name: 'Demo agent' }).waitFor();
    await screenshot(page, 'demo-start');
    expect(await violationsOf(page)).toEqual([]);
    const tokens: string[] = [];
    page.on('request', (request) => {
      const sent = request.headers()['authorization'];
      if (sent !== undefined) tokens.push(sent.replace('Bearer ', ''));
    });

    const read = /\/api\/v1\/requests\/[-0-9a-f]{36}$/;
    await page.route(read, async (route) => {
      const response = await route.fetch();
      const evaluating = { can_decide: false, cannot_reason: 'request_evaluating' };
      await route.fulfill({ response, json: { ...(await response.json()), ...evaluating } });
    });
    // By the keyboard alone.
    await button(page, 'Run the demo').focus();
    await page.keyboard.press('Enter');
    await titled(page, 'Your rules run first').waitFor();
    expect(await titled(page, 'The agent waits').count()).toBe(0);
    // Not `unroute`: a call may still be under way.
    await page.unrouteAll({ behavior: 'wait' });
    await titled(page, 'The agent waits').waitFor();
    await page.getByText('Decide it there as a reviewer').waitFor();
    await screenshot(page, 'demo-waiting');
    expect(await violationsOf(page)).toEqual([]);
    await decide(page, 'Approve', 'The lamp is back.');
    await titled(page, 'Approved by Ada Lovelace').waitFor();
    await page.getByText('249.95 EUR are paid. Here nothing is paid.').waitFor();
    await page.getByText('Note: The lamp is back.').waitFor();
    const calls = page.getByRole('table', { name: 'Calls of the agent' });
    await calls.getByText('POST /api/aap/v1/requests', { exact: false }).first().waitFor();
    await screenshot(page, 'demo-approved');
    expect(await violationsOf(page)).toEqual([]);

    await page.getByRole('radio', { name: '12.50 EUR' }).check();
    await button(page, 'Run again').click();
    await page.getByText('It wants to refund 12.50 EUR').waitFor();
    // Loaded again, the page no longer has the credential. The request is not lost.
    await titled(page, 'The agent waits').waitFor();
    await page.reload();
    await page.getByText('The demo agent already exists').waitFor();
    await button(page, 'Run the demo').click();
    await titled(page, 'The agent continues with the pending request').waitFor();
    await page.getByText('It wants to refund 12.50 EUR').waitFor();
    await decide(page, 'Deny', 'The lamp did not arrive.');
    await titled(page, 'Denied by Ada Lovelace').waitFor();
    await page.locator('blockquote').getByText('The lamp did not arrive.').waitFor();
    await screenshot(page, 'demo-denied');
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) expect(await traces(page)).not.toContain(token.slice(-20));
    expect(page.url()).toBe(`${app.url}/demo`);

    await button(page, 'Run again').click();
    await titled(page, 'The agent waits').waitFor();
    await button(page, 'Withdraw the request').click();
    await page.getByText('A request that is withdrawn counts as a denial.').waitFor();

    await page.goto(`${app.url}/agents`);
    await page.getByRole('main').getByText('Demo', { exact: true }).waitFor();
    await screenshot(page, 'demo-in-list');
    // Its requests would say that they are a demo.
    await page.goto(`${app.url}/agents/demo-agent/connect`);
    await page.getByText('Other programs cannot use the demo agent.').waitFor();
    await page.getByRole('link', { name: 'Instances', exact: true }).click();
    await page.getByRole('list', { name: /^Credentials of/ }).waitFor();
    expect(await page.getByRole('button', { name: /credential of/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Connect', exact: true }).count()).toBe(0);
    await page.goto(`${app.url}/home`);
    // It is not what the steps of the setup are about.
    await page.getByText('0 of 7 steps done').waitFor();
    await page.getByRole('heading', { name: 'No request in the last 7 days' }).waitFor();

    await page.goto(`${app.url}/demo`);
    await button(page, 'Run the demo').click();
    await titled(page, 'The agent waits').waitFor();
    await page.getByRole('link', { name: 'Page of the demo agent' }).click();
    await button(page, 'Stop or archive …').click();
    await page.getByRole('dialog').getByRole('textbox').fill('demo-agent');
    await button(page, 'Archive agent').click();
    await page.getByText('This agent is archived.').waitFor();
    await page.goto(`${app.url}/agents`);
    await page.getByRole('heading', { name: 'No agent yet.' }).waitFor();
    await page.getByRole('link', { name: 'Try it with a demo agent' }).click();
    await button(page, 'Run the demo').click();
    await titled(page, 'The agent waits').waitFor();
    await button(page, 'Withdraw the request').click();
    await page.getByText('A request that is withdrawn counts as a denial.').waitFor();
  });

  test('works on a phone, and stops when someone revokes its credential', async () => {
    const id = await organizationId();
    const can = everywhere('agent.read', 'agent.write', 'agent.credential.issue');
    const maker = await createPerson(app, id, { policies: [can] });
    const phone = await browser.open(`${app.url}/demo`, {
      ...{ as: maker, viewport: PHONE, dark: true },
    });
    await button(phone, 'Run the demo').click();
    await titled(phone, 'The agent waits').waitFor();
    // Without the permission to read requests, there is nothing to open.
    await phone.getByText('People who can decide requests find it in their list.').waitFor();
    await screenshot(phone, 'demo-phone-dark');
    expect(await violationsOf(phone)).toEqual([]);
    expect(await phone.evaluate<boolean>('document.body.scrollWidth <= innerWidth')).toBe(true);
    const other = await browser.open(`${app.url}/demo`, { as: maker });
    await other.getByText('The demo agent already exists').waitFor();
    await button(other, 'Run the demo').click();
    await titled(other, 'The agent continues with the pending request').waitFor();
    // A wait is held until something happens to the request.
    await button(other, 'Withdraw the request').click();
    await titled(phone, 'The agent can no longer call').waitFor();
    await screenshot(phone, 'demo-lost');
  });

  test('is not offered to those who may not make agents and their credentials', async () => {
    const id = await organizationId();
    const reads = ['organization.read', 'agent.read', 'agent.write', 'request.read'];
    const reader = await createPerson(app, id, { policies: [everywhere(...reads)] });
    const page = await browser.open(`${app.url}/demo`, { as: reader });
    await page.getByText('“Issue').waitFor();
    expect(await button(page, 'Run the demo').count()).toBe(0);
    await page.goto(`${app.url}/home`);
    await page.getByRole('heading', { name: 'No request in the last 7 days' }).waitFor();
    expect(await page.getByRole('link', { name: 'Try it with a demo agent' }).count()).toBe(0);
  });
});
