/** Webhook endpoints in the browser: from none to one that rules ask, its tests, its deliveries and its secret. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { freePort } from '../../../src/local/processes.ts';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { scene } from '../../support/scene.ts';
import { activatePipeline } from '../../support/scene/factories.ts';
import { asking } from '../../support/servers/asked-endpoint.ts';
import { LOOPBACK_ALLOWED, startWebhookReceiver } from '../../support/servers/webhook-receiver.ts';
import { until } from '../../support/waiting.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, owner, person, ask } = await scene({
  app: {
    environment: {
      ...LOOPBACK_ALLOWED,
      COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
    },
  },
});
const receiver = await startWebhookReceiver();
afterAll(async () => {
  await receiver.close();
});
const BASE = '/api/v1/webhook_endpoints';
const RESULT = '{"outcome":"approve","reason":"Under the \\u202e limit."}';

const create = async (key: string, name: string, url = receiver.url) =>
  await owner.http.post(`${BASE}/${key}/revisions`, { name, url });
const activate = async (key: string, revision: number, over = 0) =>
  await owner.http.post(`${BASE}/${key}/revisions/${revision}/activate`, undefined, {
    headers: { 'if-match': `"${over}"` },
  });

const panel = (page: Page, name: string) =>
  page
    .locator('section')
    .filter({ has: page.getByRole('heading', { level: 2, name, exact: true }) });
const deliveries = (page: Page) => page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
const dialog = (page: Page) => page.getByRole('dialog');

/** The secret that the page shows, as someone reads it. */
async function shownSecret(page: Page, title: string): Promise<string> {
  const box = page.getByRole('region', { name: title });
  await box.getByRole('button', { name: 'Show' }).click();
  const secret = await box.locator('pre[data-shown=true]').innerText();
  await box.getByRole('button', { name: 'I stored it' }).click();
  return secret;
}

describeInBrowser('webhook endpoints', () => {
  const browser = startBrowser({ refusals: [400, 404, 409, 412] });

  test('go from none to an active one, whose secret is shown once and signs what is posted', async () => {
    const page = await browser.open(`${app.url}/endpoints`, { as: owner });
    await page.getByRole('heading', { name: 'No rule asks one of your systems.' }).waitFor();
    await screenshot(page, 'endpoints-empty');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'New endpoint' }).first().click();
    await page.getByLabel('Name', { exact: true }).fill('Refund rules');
    await page.getByLabel('URL', { exact: true }).fill('https://10.0.0.1/rules');
    await page.keyboard.press('Enter');
    await page.getByText('allow others with COUNTERSIGN_EGRESS_ALLOW').waitFor();
    await screenshot(page, 'endpoint-new');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('URL', { exact: true }).fill(receiver.url);
    await page.keyboard.press('Enter');
    const title = 'Signing secret of Refund rules';
    await page.getByRole('region', { name: title }).waitFor();
    await screenshot(page, 'endpoint-secret');
    expect(await violationsOf(page)).toEqual([]);
    const secret = await shownSecret(page, title);
    await page.getByRole('heading', { level: 1, name: 'Refund rules' }).waitFor();
    expect(page.url()).toBe(`${app.url}/endpoints/refund-rules`);

    receiver.respondWith((response) => response.end(RESULT));
    await page.getByRole('button', { name: 'Send a test request' }).click();
    const tested = panel(page, 'Test');
    await tested.getByText('The endpoint works.').waitFor();
    // What came is data: a character that turns the text around is marked.
    await tested.getByText('\\u202e', { exact: false }).first().waitFor();
    const sent = receiver.received.at(-1);
    new Webhook(secret).verify(sent?.body ?? '', sent?.headers as Record<string, string>);

    await page.getByRole('button', { name: 'Activate revision 1 …' }).click();
    await dialog(page).getByText('URL: nothing becomes', { exact: false }).waitFor();
    await dialog(page).getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText('Revision 1 is active', { exact: true }).waitFor();
    await screenshot(page, 'endpoint');
    expect(await violationsOf(page)).toEqual([]);

    // A key that is taken leads to its endpoint, and makes no revision of it.
    await page.goto(`${app.url}/endpoints`);
    await page.getByRole('button', { name: 'New endpoint' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Refund rules');
    await page.getByLabel('URL', { exact: true }).fill(receiver.url);
    await page.keyboard.press('Enter');
    await page.getByText('An endpoint has this key.').waitFor();
    await page.getByRole('link', { name: 'Open that endpoint' }).click();
    await page.getByRole('heading', { level: 1, name: 'Refund rules' }).waitFor();
    const { body } = await owner.http.get(`${BASE}/refund-rules/summary`);
    expect(body).toMatchObject({ active_revision: 1, latest_revision: 1 });
  });

  test('are listed with their host, state and last delivery, and searched in the address', async () => {
    await create('broken', 'Broken rules', 'http://127.0.0.1:1/a-secret-part');
    await activate('broken', 1);
    await owner.http.post(`${BASE}/broken/revisions/1/test`);
    await create('retired', 'Retired rules');
    await owner.http.delete(`${BASE}/retired/active`, { headers: { 'if-match': '"0"' } });
    const page = await browser.open(`${app.url}/endpoints?q=broken`, { as: owner });
    const row = page.getByRole('row', { name: /^Broken rules broken/ });
    await row.getByText('Nothing listens at this address.', { exact: false }).waitFor();
    await row.getByText('1 of the last 20 attempts failed').waitFor();
    expect(await row.innerText()).not.toContain('a-secret-part');
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByRole('button', { name: 'Archived', exact: true }).click();
    await page.getByText('No endpoint matches.').waitFor();
    await page.getByRole('searchbox', { name: 'Search keys and names' }).fill('RETIRED');
    await page.getByRole('row', { name: /^Retired rules/ }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=RETIRED&show=archived');
    await screenshot(page, 'endpoints');
    expect(await violationsOf(page)).toEqual([]);
    const look = { as: owner, viewport: PHONE, dark: true };
    const phone = await browser.open(`${app.url}/endpoints`, look);
    await phone.getByText('1 of the last 20 attempts failed').waitFor();
    await screenshot(phone, 'endpoints-phone');
    expect(await violationsOf(phone)).toEqual([]);
    await phone.getByRole('link', { name: 'Broken rules' }).click();
    await deliveries(phone).nth(1).waitFor();
    await screenshot(phone, 'endpoint-phone');
    expect(await violationsOf(phone)).toEqual([]);
  });

  test('show a test of any revision and each delivery with what to do, failed ones alone on demand', async () => {
    await create('watched', 'Watched');
    await activate('watched', 1);
    await create('watched', 'Watched', `${receiver.url}/newer`);
    receiver.respondWith((response) => response.end('{"outcome":"next"}'));
    const page = await browser.open(`${app.url}/endpoints/watched`, { as: owner });
    await page.getByText('Nothing was posted in the last 30 days.', { exact: false }).waitFor();
    await page.getByLabel('Revision', { exact: true }).selectOption({ label: 'Revision 2' });
    await page.getByRole('button', { name: 'Send a test request' }).click();
    await deliveries(page).filter({ hasText: 'Next rule' }).waitFor();
    receiver.respondWith((response) => response.writeHead(503).end('<b>Down</b>'));
    await page
      .getByLabel('Revision', { exact: true })
      .selectOption({ label: 'Revision 1 (active)' });
    await page.getByRole('button', { name: 'Send a test request' }).click();
    const failure = 'It responded with 503. Only 2xx counts';
    await panel(page, 'Test').getByText(failure, { exact: false }).waitFor();
    const failed = deliveries(page).filter({ hasText: failure });
    await failed.waitFor();
    expect((await owner.http.get(`${BASE}/watched/deliveries`)).body).toMatchObject({
      deliveries: [{ revision: 1 }, { revision: 2 }],
    });
    await page.getByRole('radio', { name: 'Failed' }).check();
    await deliveries(page).filter({ hasText: 'Next rule' }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?deliveries=failed');
    // A call of a rule leads to its request.
    const request = await ask({ tool: 'refund_payment' });
    await app
      .db('webhook_deliveries')
      .where({ status_code: 503 })
      .update({ type: 'approval_request.evaluate', request_id: request });
    await page.reload();
    expect(await failed.getByRole('link').getAttribute('href')).toBe(`/requests/${request}`);
    await failed.getByRole('button', { name: 'Show the response' }).click();
    await failed.getByText('<b>Down</b>').waitFor();
    await screenshot(page, 'endpoint-deliveries');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('replace their secret with an overlap or at once, and say what that does', async () => {
    const first = await create('rotated', 'Rotated');
    const page = await browser.open(`${app.url}/endpoints/rotated`, { as: owner });
    await page.getByRole('button', { name: 'Replace secret …' }).click();
    await dialog(page).getByText('Until then, both secrets sign.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog(page).getByRole('button', { name: 'Replace secret', exact: true }).click();
    const second = await shownSecret(page, 'New signing secret');
    await page.getByText('The previous secret also signs calls until', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Send a test request' }).click();
    await deliveries(page).nth(1).waitFor();
    const both = receiver.received.at(-1);
    for (const secret of [String(first.body['signing_secret']), second])
      new Webhook(secret).verify(both?.body ?? '', both?.headers as Record<string, string>);

    await page.getByRole('button', { name: 'Replace secret …' }).click();
    await dialog(page).getByText('It stops at once.', { exact: false }).waitFor();
    await dialog(page).getByLabel('The old secret stops').selectOption('At once');
    await dialog(page).getByText('Calls fail at your receiver', { exact: false }).waitFor();
    await dialog(page).getByRole('button', { name: 'Replace secret', exact: true }).click();
    const third = await shownSecret(page, 'New signing secret');
    await page
      .getByText('The previous secret also signs calls until', { exact: false })
      .waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Send a test request' }).click();
    await deliveries(page).nth(2).waitFor();
    const one = receiver.received.at(-1);
    const headers = one?.headers as Record<string, string>;
    new Webhook(third).verify(one?.body ?? '', headers);
    expect(() => new Webhook(second).verify(one?.body ?? '', headers)).toThrow();
    expect(await page.content()).not.toContain(third);
  });

  test('are answered by the code that their page shows, which checks the signature', async () => {
    const port = await freePort();
    const { body } = await create('sample', 'Sample', `http://127.0.0.1:${port}/`);
    const page = await browser.open(`${app.url}/endpoints/sample`, { as: owner });
    const code = await page.getByRole('group', { name: 'Node.js' }).innerText();
    const receiving = spawn(process.execPath, ['--input-type=module', '-e', code], {
      cwd: packageRoot(),
      env: { SIGNING_SECRET: String(body['signing_secret']), PORT: String(port) },
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    try {
      const post = async () =>
        (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{}' })).status;
      await until('the receiver listens', async () => (await post().catch(() => 0)) === 401);
      await page.getByRole('button', { name: 'Send a test request' }).click();
      await panel(page, 'Test').getByText('refund_payment needs a person.').first().waitFor();
    } finally {
      const exited = once(receiving, 'exit');
      receiving.kill();
      await exited;
    }
    await page.getByRole('radio', { name: 'Python' }).check();
    const python = await page.getByRole('group', { name: 'Python' }).innerText();
    const example = await readFile(join(packageRoot(), 'examples/webhook-receiver/receiver.py'));
    expect(`${python}\n`).toBe(example.toString());
  });

  test('change by revisions that do not write over each other, and are not archived while a rule asks them', async () => {
    await create('idle', 'Idle');
    await create('shared', 'Shared');
    await activate('shared', 1);
    const block = asking('limits', {}, { endpoint_key: 'shared' });
    await activatePipeline(owner, 'organization', { blocks: [block] });
    const page = await browser.open(`${app.url}/endpoints/shared`, { as: owner });
    // A rule leads to its endpoint, and back.
    await page.getByRole('link', { name: 'limits' }).click();
    await page.getByRole('button', { name: /^Edit/ }).first().click();
    await page.getByLabel('Endpoint', { exact: true }).selectOption('idle');
    const activateIt = page.getByRole('link', { name: 'Activate it there' });
    await activateIt.waitFor();
    expect(await activateIt.getAttribute('href')).toBe('/endpoints/idle');
    await page.getByRole('button', { name: 'Undo', exact: true }).click();
    await activateIt.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Test it, and see its deliveries' }).click();
    await page.getByRole('link', { name: 'limits' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Mine');
    await page.getByText('1 change').waitFor();
    await create('shared', 'Shared', `${receiver.url}/theirs`);
    await activate('shared', 2, 1);
    await page.getByRole('button', { name: 'Save and activate …' }).click();
    await dialog(page).getByText('1 active rule asks this endpoint', { exact: false }).waitFor();
    await dialog(page).getByRole('button', { name: 'Activate', exact: true }).click();
    await dialog(page).getByText('Nothing was overwritten', { exact: false }).waitFor();
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Put my changes on top' }).click();
    await page.getByRole('button', { name: 'Save and activate …' }).click();
    await dialog(page).getByRole('button', { name: 'Activate', exact: true }).click();
    await page
      .getByText(/^Revision \d is active$/)
      .first()
      .waitFor();
    await page.getByRole('heading', { level: 1, name: 'Mine' }).waitFor();
    expect((await owner.http.get(`${BASE}/shared`)).body).toMatchObject({
      name: 'Mine',
      url: `${receiver.url}/theirs`,
    });

    await page.getByRole('button', { name: 'Archive …' }).click();
    await dialog(page).getByText('1 active rule asks this endpoint.', { exact: false }).waitFor();
    await dialog(page).getByRole('link', { name: 'limits' }).waitFor();
    await screenshot(page, 'endpoint-in-use');
    expect(await violationsOf(page)).toEqual([]);
    await activatePipeline(owner, 'organization', { blocks: [] });
    await page.reload();
    await page.getByText('No rule asks it.', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Archive …' }).click();
    await dialog(page).getByText('Activate a revision to restore it.', { exact: false }).waitFor();
    await dialog(page).getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByText('Archived', { exact: true }).waitFor();
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await page.getByText(/is active again\.$/).waitFor();
    const { body } = await owner.http.get(`${BASE}/shared/summary`);
    expect(body).toMatchObject({ active_revision: Number(body['latest_revision']) });
  });

  test('are read only for those who may not change them, and nothing without the permission to read', async () => {
    await create('read', 'Read only');
    const reader = await person({ can: ['webhook.read'] });
    const page = await browser.open(`${app.url}/endpoints/read`, { as: reader });
    await page.getByText('Nothing was posted in the last 30 days.', { exact: false }).waitFor();
    await page
      .getByText('You can view this, but you cannot change it.', { exact: false })
      .waitFor();
    expect(await page.getByLabel('URL', { exact: true }).getAttribute('readonly')).not.toBeNull();
    for (const name of ['Replace secret …', 'Archive …', 'Send a test request'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    const stranger = await person({ can: ['request.read'] });
    const other = await browser.open(`${app.url}/endpoints`, { as: stranger });
    await other.getByText('See webhook endpoints and their revisions', { exact: false }).waitFor();
  });
});
