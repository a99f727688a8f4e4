import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, expect, test } from '@jest/globals';
import { AUTHORIZATIONS, newVerifier, oauthOf, REDIRECT } from '../api/oauth/oauth-scene.ts';
import { scene } from '../support/scene.ts';
import { createMember, type TestMember } from '../support/scene/factories.ts';
import { cheapHashOf, PASSWORD } from '../support/scene/sign-in.ts';
import { violationsOf } from '../support/web/accessibility.ts';
import {
  DESK,
  describeInBrowser,
  PHONE,
  screenshot,
  startBrowser,
} from '../support/web/browser.ts';

const hosted = await scene({ app: { environment: { COUNTERSIGN_EDITION: 'hosted' } } });
const { app, organization } = hosted;
const open = await scene({ people: { bob: ['api_key.issue', 'request.read'] } });
const { register, asking, exchange } = oauthOf(app);

let ada: TestMember;
let client: string;

beforeEach(async () => {
  await app.db('sign_in_attempts').delete();
  ada = await createMember(app, organization.id, {
    displayName: 'Ada Pike',
    policies: [
      {
        scope_kind: 'organization',
        permissions: ['api_key.issue', 'request.read', 'request.decide', 'agent.credential.issue'],
      },
    ],
  });
  client = await register();
});

interface Init {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly credentials?: 'include';
}

const consentPage = (asked: Record<string, string>) =>
  `${app.url}/oauth/authorize?${new URLSearchParams(asked).toString()}`;

describeInBrowser('the consent page', () => {
  const browser = startBrowser({ refusals: [400, 401, 403, 404] });

  test.each([
    ['desk', 'light', DESK],
    ['phone', 'dark', PHONE],
  ] as const)(
    'says who asks and what for, and lets the app in with what its person leaves: %s, %s',
    async (device, scheme, viewport) => {
      const verifier = newVerifier();
      const state = '{"n": 1.0}';
      const scope = 'request.read request.decide agent.write';
      const page = await browser.open(consentPage(asking(client, verifier, { state, scope })), {
        as: ada,
        viewport,
        dark: scheme === 'dark',
      });
      await page.getByRole('heading', { name: 'Let an app act for you?' }).waitFor();
      const text = await page.locator('main').innerText();
      expect(text).toContain('Desk assistant');
      expect(text).toContain('Anyone can register an app under any name');
      expect(text).toContain('127.0.0.1:51004');
      expect(text).toContain('Ada Pike');
      expect(text).toContain('Create, change, disable and archive agents');
      const decides = page.getByRole('checkbox', { name: 'Approve or deny requests' });
      expect(await page.getByRole('checkbox').count()).toBe(3);
      expect([
        await decides.isChecked(),
        await page.getByRole('checkbox').nth(0).isChecked(),
      ]).toEqual([true, false]);
      await screenshot(page, `consent-${device}-${scheme}`);
      expect(await violationsOf(page)).toEqual([]);
      await decides.uncheck();
      let returned = '';
      await page.route(`${REDIRECT}*`, async (route) => {
        returned = route.request().url();
        await route.fulfill({ contentType: 'text/plain', body: 'back in the app' });
      });
      await page.getByRole('button', { name: 'Allow access' }).click();
      await page.getByText('back in the app').waitFor();
      const back = new URL(returned);
      expect(back.searchParams.get('state')).toBe(state);
      const answer = await exchange(client, back.searchParams.get('code') ?? '', verifier);
      expect(answer.body).toMatchObject({ scope: 'request.read' });
    },
  );

  test('begins with reading alone for an app that does not say what it needs', async () => {
    const page = await browser.open(consentPage(asking(client, newVerifier())), { as: ada });
    await page.getByRole('heading', { name: 'Let an app act for you?' }).waitFor();
    const main = await page.locator('main').innerText();
    expect(main).toContain('did not say what it needs');
    expect(main).toContain('Only the MCP endpoint of this service');
    const boxes = await page.getByRole('checkbox').all();
    const checked = await Promise.all(boxes.map(async (box) => await box.isChecked()));
    expect([checked.length, checked.filter((isChecked) => isChecked).length]).toEqual([3, 1]);
    const reads = page.getByRole('checkbox', { name: 'See requests routed to you' });
    expect(await reads.isChecked()).toBe(true);
  });

  test('says that an app could do everything, where that cannot be narrowed', async () => {
    const { app: other, people } = open;
    const otherOauth = oauthOf(other);
    const asked = otherOauth.asking(await otherOauth.register(), newVerifier(), {
      resource: `${other.url}/api/v1`,
    });
    const url = `${other.url}/oauth/authorize?${new URLSearchParams(asked).toString()}`;
    const page = await browser.open(url, { as: people.bob });
    await page.getByRole('heading', { name: 'It can do everything you can' }).waitFor();
    expect(await page.getByRole('listitem').allInnerTexts()).toEqual([
      'See requests routed to you or without a path, and their history',
    ]);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    expect(await page.locator('main').innerText()).toContain('The whole API of this service');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('asks the person to authenticate again before an app can decide for them', async () => {
    await app
      .db('users')
      .where({ id: ada.userId })
      .update({ password_hash: await cheapHashOf(PASSWORD) });
    await app.db.raw(
      `update sessions set authenticated_at = clock_timestamp() - interval '1 hour' where membership_id = :id`,
      { id: ada.membershipId },
    );
    const asked = asking(client, newVerifier(), { scope: 'request.decide' });
    const page = await browser.open(consentPage(asked), { as: ada });
    let returned = '';
    await page.route(`${REDIRECT}*`, async (route) => {
      returned = route.request().url();
      await route.fulfill({ contentType: 'text/plain', body: 'back in the app' });
    });
    await page.getByRole('button', { name: 'Allow access' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('back in the app').waitFor();
    expect(new URL(returned).searchParams.get('code')).toMatch(/^wha_/);
  });

  test('tells the app that its person declined', async () => {
    const page = await browser.open(consentPage(asking(client, newVerifier(), { state: '007' })), {
      as: ada,
    });
    let returned = '';
    await page.route(`${REDIRECT}*`, async (route) => {
      returned = route.request().url();
      await route.fulfill({ contentType: 'text/plain', body: 'back in the app' });
    });
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('back in the app').waitFor();
    const { searchParams } = new URL(returned);
    expect([searchParams.get('error'), searchParams.get('state')]).toEqual([
      'access_denied',
      '007',
    ]);
  });

  test('leads nowhere when the app is unknown, or names an address that is not its own', async () => {
    const foreign = { ...asking(client, newVerifier()), redirect_uri: 'https://evil.example/cb' };
    const page = await browser.open(consentPage(foreign), { as: ada });
    await page.getByRole('heading', { name: 'This link is not safe' }).waitFor();
    expect(await page.content()).not.toContain('href="https://evil.example');
    expect(await violationsOf(page)).toEqual([]);
    const nowhere = asking('0199a3f7-51d2-7c44-9a8b-2d1e0f3c4b5a', newVerifier());
    await page.goto(consentPage(nowhere));
    await page.getByRole('heading', { name: 'We do not know this app' }).waitFor();
    expect(await page.getByRole('button', { name: 'Allow access' }).count()).toBe(0);
  });

  test('names the host to which a wrong request of an app that no one has let in would lead', async () => {
    const uri = 'https://app.example/cb';
    const wrong = { ...asking(client, newVerifier()), redirect_uri: uri, response_type: 'token' };
    const page = await browser.open(
      consentPage({ ...wrong, client_id: await register({ redirect_uris: [uri] }) }),
      { as: ada },
    );
    await page.getByRole('heading', { name: 'This request is not valid' }).waitFor();
    expect(await page.locator('main').innerText()).toContain('would send you to app.example.');
    expect(await page.content()).not.toContain('href="https://app.example');
  });

  test('says which known name the name of an app looks like', async () => {
    const page = await browser.open(
      consentPage(asking(await register({ client_name: 'C1aude desktop' }), newVerifier())),
      { as: ada },
    );
    await page.getByText('The name looks like Claude.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  test('cannot be shown inside the page of another site, which cannot approve by itself either', async () => {
    const response = await app.http.get('/oauth/consent', { headers: { accept: 'text/html' } });
    expect(response.headers['x-frame-options']).toBe('DENY');
    expect(response.headers['content-security-policy']).toContain("frame-ancestors 'none'");
    const page = await browser.open(app.url, { as: ada });
    await page.route('https://evil.example/', async (route) => {
      await route.fulfill({ contentType: 'text/html', body: '<h1>evil</h1>' });
    });
    await page.goto('https://evil.example/');
    const sent = { ...asking(client, newVerifier()), approve: true };
    await page.evaluate(
      async ([url, body]) =>
        await fetch(url ?? '', {
          method: 'POST',
          mode: 'no-cors',
          credentials: 'include',
          headers: { 'content-type': 'text/plain' },
          body: body ?? '',
        }).catch(() => undefined),
      [`${app.url}${AUTHORIZATIONS}`, JSON.stringify(sent)],
    );
    expect(await app.db('oauth_grants').where({ client_id: client })).toEqual([]);
    browser.problems.length = 0;
  });

  test('leaves a client in the page of another site what it needs, and nothing of its visitor', async () => {
    const page = await browser.open(app.url, { as: ada });
    // Of this machine, because browsers themselves keep public pages from it.
    const site = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html').end('<h1>inspector</h1>');
    }).listen(0, '127.0.0.1');
    await once(site, 'listening');
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    const read = async (path: string, init: Init = {}) =>
      await page.evaluate(
        async ([url, given]) => {
          const headers = { 'mcp-protocol-version': '2025-11-25', ...given?.headers };
          const response = await fetch(url, { ...given, headers }).catch(() => undefined);
          return response ? ((await response.json()) as Record<string, unknown>) : 'refused';
        },
        [`${app.url}${path}`, init] as const,
      );
    expect(await read('/.well-known/oauth-authorization-server')).toMatchObject({
      issuer: app.url,
    });
    const json = { 'content-type': 'application/json' };
    const body = JSON.stringify({ redirect_uris: [REDIRECT] });
    expect(await read('/oauth/register', { method: 'POST', headers: json, body })).toMatchObject({
      redirect_uris: [REDIRECT],
    });
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const wrong = `grant_type=authorization_code&code=x&client_id=${client}`;
    expect(
      await read('/oauth/token', { method: 'POST', headers: form, body: wrong }),
    ).toMatchObject({ error: 'invalid_grant' });
    for (const path of ['/api/v1/me', '/api/openapi.yaml'])
      expect(await read(path, { credentials: 'include' })).toBe('refused');
    expect(await read('/oauth/token', { method: 'POST', credentials: 'include' })).toBe('refused');
    site.closeAllConnections();
    site.close();
    browser.problems.length = 0;
  });
});
