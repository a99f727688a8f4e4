/** One sitting of someone who never saw the API: an agent, its first requests, a rule and an escalation path. And the files of the web app. */
import { describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { BOOTSTRAP_SECRET } from '../support/app.ts';
import { HttpClient } from '../support/http.ts';
import { appForFile } from '../support/scene.ts';
import { decide } from '../support/scene/approval-requests.ts';
import { until } from '../support/waiting.ts';
import { describeInBrowser, screenshot, startBrowser } from '../support/web/browser.ts';
import { untilSimulated } from '../support/web/presses.ts';

const app = await appForFile({ temporal: true });

const goTo = async (page: Page, place: string) => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place }).click();
  await page.getByRole('heading', { level: 1, name: place }).waitFor();
};

async function saveAndActivate(page: Page, agree?: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Save and activate …' }).click();
  const dialog = page.getByRole('dialog');
  if (agree) await dialog.getByLabel(agree).check();
  await screenshot(page, 'walk-activate');
  await dialog.getByRole('button', { name: 'Activate', exact: true }).click();
  await page
    .getByText(/^Revision \d+ is active/)
    .first()
    .waitFor();
}

async function bootstrap(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Bootstrap secret' }).fill(BOOTSTRAP_SECRET);
  await page.getByRole('textbox', { name: 'Organization name' }).fill('Acme');
  await page.getByRole('textbox', { name: 'Your name' }).fill('Ada Lovelace');
  await page.getByRole('textbox', { name: 'Email' }).fill('ada@example.com');
  await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery staple 9');
  await screenshot(page, 'welcome');
  await page.getByRole('button', { name: 'Create organization' }).click();
}

/** From the guide of the setup to the credential of an agent. */
async function connectAgent(page: Page): Promise<HttpClient> {
  await page.getByRole('link', { name: 'Go to agents' }).waitFor();
  await screenshot(page, 'walk-setup');
  await page.getByRole('link', { name: 'Go to agents' }).click();
  await page.getByRole('button', { name: 'New agent' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Support bot');
  await page.keyboard.press('Enter');
  await page.getByRole('radio', { name: /A server/ }).check();
  await page.getByLabel('Instance name').fill('worker-1');
  await page.keyboard.press('Enter');
  const box = page.getByRole('region', { name: 'Credential of worker-1' });
  await box.getByRole('button', { name: 'Show' }).click();
  const secret = box.locator('pre[data-shown=true]');
  await secret.waitFor();
  await screenshot(page, 'walk-credential');
  const token = await secret.innerText();
  await page.getByText('Waiting for the first call …').waitFor();
  return new HttpClient(app.url, { authorization: `Bearer ${token}` });
}

async function asks(bot: HttpClient, amount: string, payment: string): Promise<string> {
  const asked = await bot.call('POST', '/api/aap/v1/requests', {
    body: `{"tool":"refund_payment","timeout":"30m","arguments":{"payment_id":"${payment}","amount":${amount},"currency":"EUR"}}`,
    headers: { 'idempotency-key': payment },
  });
  expect(asked.status).toBe(201);
  return String(asked.body['id']);
}

async function approveFirst(page: Page): Promise<void> {
  await page.getByRole('link', { name: /9007199254740993\.10/ }).click();
  await page.getByText('9007199254740993.10').first().waitFor();
  await screenshot(page, 'request');
  const loaded = `[...document.fonts].filter((font) => font.status === 'loaded').map((font) => font.family.replaceAll('"', ''))`;
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  expect(new Set(await page.evaluate<string[]>(loaded))).toEqual(
    new Set(['Inter Variable', 'JetBrains Mono Variable']),
  );
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByRole('button', { name: 'Confirm approval' }).click();
  await page.getByRole('status').getByText('by you').waitFor();
}

async function makeRule(page: Page, id: string): Promise<void> {
  await page.goto(`${app.url}/requests/${id}`);
  await page.getByRole('link', { name: 'Make a rule from this' }).click();
  await page.getByRole('heading', { level: 1, name: 'Rules of Support bot' }).waitFor();
  const rule = page.getByRole('article', { name: 'Rule 1: Like this: refund_payment' });
  await rule.getByRole('textbox', { name: 'Name' }).fill('Small refunds');
  await page.getByText('It does not look at payment_id.').waitFor();
  await untilSimulated(page, '2 would now be approved without a person');
  await page.getByText('2 same').waitFor();
  await page
    .getByRole('button', { name: /^Refund 8 EUR of pay_3/ })
    .getByText('by Small refunds')
    .waitFor();
  await screenshot(page, 'walk-rule');
  await saveAndActivate(page, /^2 requests of last week would have run without a person/);
}

/** A path with working hours, which asks too late on Saturdays until that is mended. */
async function buildPath(page: Page): Promise<void> {
  await goTo(page, 'Rules');
  await page.getByRole('link', { name: 'Escalation paths' }).click();
  await page.getByRole('button', { name: /^Office hours, then on call/ }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Refunds');
  await page.getByRole('list', { name: 'People and teams' }).getByText('Ada Lovelace').click();
  await screenshot(page, 'walk-new-path');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Refunds' }).waitFor();
  const presets = page.getByRole('list', { name: 'At three usual times' });
  const saturday = (then: RegExp) =>
    presets
      .getByRole('button', { name: /^Sat 12:00/ })
      .and(presets.getByRole('button', { name: then }));
  await saturday(/first asked Mon 09:00 \(4[456] h\), after the deadline$/).click();
  await page.getByText('No one is asked before the request expires.').waitFor();
  await screenshot(page, 'walk-path-late');
  const times = page.getByRole('group', { name: 'Exact times of Office hours' });
  await times.getByRole('checkbox', { name: 'Sat' }).check();
  await saturday(/Ada Lovelace asked at once$/).waitFor();
  await page
    .getByText('No one is asked before the request expires.')
    .waitFor({ state: 'detached' });
  await screenshot(page, 'walk-path-mended');
  await saveAndActivate(page);
}

/** The page of the path leads to where rules name it. */
async function usePath(page: Page): Promise<void> {
  await page.getByText('No rule uses it.').waitFor();
  await page.getByRole('link', { name: 'Choose it in the rules' }).click();
  await page
    .getByRole('combobox', { name: 'Default escalation path' })
    .selectOption({ label: 'Refunds (refunds)' });
  await saveAndActivate(page);
}

describeInBrowser('one sitting of a new manager', () => {
  // A new path has no active revision, and its preview is refused until it names someone.
  const browser = startBrowser({ refusals: [400, 404] });

  test('leads from the bootstrap to an agent, a rule and a path that asks in time', async () => {
    const page = await browser.open(`${app.url}/welcome`);
    await bootstrap(page);
    const bot = await connectAgent(page);
    const large = await asks(bot, '9007199254740993.10', 'pay_1');
    await page.getByText(/Called .* from\s+worker-1/).waitFor();
    await page.getByRole('button', { name: 'I stored it' }).click();
    await goTo(page, 'Requests');
    await approveFirst(page);
    const answer = await bot.call('GET', `/api/aap/v1/requests/${large}`);
    expect(answer.body['status']).toBe('approved');

    const [session] = await page.context().cookies();
    const cookie = `${session?.name}=${session?.value}`;
    const ada = new HttpClient(app.url, { cookie, origin: app.url });
    const small = await asks(bot, '12.50', 'pay_2');
    for (const id of [small, await asks(bot, '8', 'pay_3'), await asks(bot, '60.10', 'pay_4')])
      await until('it waits for people', async () => (await decide(ada, id)).status === 200);
    await makeRule(page, small);
    await buildPath(page);
    await usePath(page);

    const [byRule, byPath] = [await asks(bot, '12.49', 'pay_5'), await asks(bot, '70', 'pay_6')];
    const read = async (id: string) => (await ada.get(`/api/v1/requests/${id}`)).body;
    await until('the rule has approved', async () => (await read(byRule))['status'] === 'approved');
    const walkOf = async () => (await ada.get(`/api/v1/requests/${byPath}/routing`)).text;
    await until('the path is walked', async () => (await walkOf()).includes('"refunds"'));
  });
});

describe('files of the web app', () => {
  test('are answered for every page with a nonce of its own and a strict policy', async () => {
    const [one, two] = [
      await app.http.call('GET', '/requests/anything'),
      await app.http.call('GET', '/login'),
    ];
    expect([one.status, two.status]).toEqual([200, 200]);
    const nonceOf = ({ headers }: typeof one) =>
      /'nonce-([^']+)'/.exec(headers['content-security-policy'] ?? '')?.[1];
    expect(nonceOf(one)).not.toBe(nonceOf(two));
    expect(one.text).toContain(`nonce="${nonceOf(one)}"`);
    expect(one.headers).toMatchObject({ 'cache-control': 'no-store', 'x-frame-options': 'DENY' });
  });

  test('are named by the page that shows them, so that the browser loads them at once', async () => {
    const preloaded = async (path: string) =>
      [
        ...(await app.http.call('GET', path)).text.matchAll(
          /rel="modulepreload" crossorigin href="\/assets\/([a-z-]+)-[\w-]{8}\.js"/g,
        ),
      ].map(([, name]) => name);
    const all = ['rolldown-runtime', 'shared'];
    expect(await preloaded('/')).toEqual([...all, 'requests']);
    expect(await preloaded('/requests/anything')).toEqual([...all, 'requests']);
    expect(await preloaded('/login')).toEqual([...all, 'sign-in']);
    expect(await preloaded('/account')).toEqual(all);
  });

  test.each([
    ['/', 'shared'],
    ['/', 'requests'],
    ['/login', 'sign-in'],
  ])('let Chromium compile all functions of what %s loads: %s', async (path, name) => {
    const page = await app.http.call('GET', path);
    const [, file = ''] = new RegExp(`href="(/assets/${name}-[^"]+)"`).exec(page.text) ?? [];
    const { text } = await app.http.call('GET', file);
    // Chromium looks for it only there.
    expect(text.split('\n')[0]).toBe('//# allFunctionsCalledOnLoad');
  });

  test('are kept for a year, and compressed for clients that can read that', async () => {
    const page = await app.http.call('GET', '/');
    const script = /src="(\/assets\/[^"]+)"/.exec(page.text)?.[1] ?? '';
    const sent = await app.http.call('GET', script, { headers: { 'accept-encoding': 'br' } });
    expect(sent.headers).toMatchObject({
      'cache-control': 'max-age=31536000,immutable',
      'content-encoding': 'br',
      vary: 'Accept-Encoding',
    });
  });

  test('have fonts from the same origin, the first of them beside the page', async () => {
    const page = await app.http.call('GET', '/');
    const [, font = ''] = /rel="preload" as="font"[^>]* href="([^"]+)"/.exec(page.text) ?? [];
    expect(font).toMatch(/^\/assets\/inter-latin-/);
    const { status, headers } = await app.http.call('GET', font);
    expect([status, headers['content-type']]).toEqual([200, 'font/woff2']);
    expect(headers['cache-control']).toBe('max-age=31536000,immutable');
  });

  test('unknown paths of the service stay errors of the API, and unknown files are not pages', async () => {
    for (const path of [
      '/api/nope',
      '/auth/nope',
      '/health/nope',
      '/metrics/nope',
      '/assets/nope.js',
      '/assets/nope/nope.js',
      '/assets/',
      '/assets',
      '/assets/%2e%2e%2findex.html',
      '/assets/..%2f..%2fpackage.json',
    ]) {
      const { status, headers, body } = await app.http.call('GET', path);
      expect([path, status, body['error']?.['code']]).toEqual([path, 404, 'not_found']);
      // A file that a newer build has may be there a moment later.
      expect([path, headers['cache-control']]).toEqual([path, 'no-store']);
    }
    expect((await app.http.call('POST', '/requests')).status).toBe(404);
  });
});
