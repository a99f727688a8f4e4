import { describe, expect, test } from '@jest/globals';
import { BOOTSTRAP_SECRET } from '../support/app.ts';
import { describeInBrowser, screenshot, startBrowser } from '../support/web/browser.ts';
import { HttpClient } from '../support/http.ts';
import { appForFile } from '../support/scene.ts';

const app = await appForFile({ temporal: true });

describeInBrowser('the first day of an owner', () => {
  const browser = startBrowser();

  test('leads from the bootstrap to the first approved request', async () => {
    const page = await browser.open(`${app.url}/welcome`);
    await page.getByRole('textbox', { name: 'Bootstrap secret' }).fill(BOOTSTRAP_SECRET);
    await page.getByRole('textbox', { name: 'Organization name' }).fill('Acme');
    await page.getByRole('textbox', { name: 'Your name' }).fill('Ada Lovelace');
    await page.getByRole('textbox', { name: 'Email' }).fill('ada@example.com');
    await page.getByRole('textbox', { name: 'Password' }).fill('correct horse battery staple 9');
    await screenshot(page, 'welcome');
    await page.getByRole('button', { name: 'Create organization' }).click();
    await page.getByRole('button', { name: 'Skip setup' }).click();
    await page.getByText('You’re all caught up').waitFor();

    const [session] = await page.context().cookies();
    const ada = new HttpClient(app.url, {
      cookie: `${session?.name}=${session?.value}`,
      origin: app.url,
    });
    await ada.call('POST', '/api/v1/agents', { body: { slug: 'bot', name: 'Support bot' } });
    const instance = await ada.call('POST', '/api/v1/agents/bot/instances', {
      body: { name: 'worker-1' },
    });
    const bot = new HttpClient(app.url, {
      authorization: `Bearer ${String(instance.body['credential']?.['token'])}`,
    });
    const asked = await bot.call('POST', '/api/aap/v1/requests', {
      body: '{"tool":"refund","timeout":"30m","arguments":{"amount":9007199254740993.10}}',
      headers: { 'idempotency-key': 'refund-1' },
    });

    await page.goto(app.url);
    await page.getByRole('link', { name: 'refund' }).click();
    await page.getByText('9007199254740993.10').first().waitFor();
    await screenshot(page, 'request');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('button', { name: 'Confirm approval' }).click();
    await page.getByText('by you').waitFor();

    const answer = await bot.call('GET', `/api/aap/v1/requests/${String(asked.body['id'])}`);
    expect(answer.body['status']).toBe('approved');
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
    expect(await preloaded('/')).toContain('requests');
    expect(await preloaded('/requests/anything')).toContain('requests');
    expect(await preloaded('/login')).toContain('sign-in');
    expect(await preloaded('/account')).toEqual(['rolldown-runtime', 'shared']);
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
