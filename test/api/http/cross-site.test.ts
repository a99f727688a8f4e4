/** A page of another site changes nothing here, and a forged Host header changes no link. */
import { afterAll, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../../api/endpoints.ts';
import { scene, appForFile } from '../../support/scene.ts';
import { createOrganization } from '../../support/scene/factories.ts';
import type { ApiResponse } from '../../support/http.ts';
import { identityProviderForFile } from '../../support/servers/identity-provider.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
import { everyColumn } from '../../support/secrets.ts';
import {
  browserWith,
  codeOf,
  createPerson,
  login,
  PASSWORD,
  SECRETS_KEY,
} from '../../support/scene/sign-in.ts';
import { createWorld, filled, paramsIn } from '../../support/matrix/world.ts';

const PUBLIC_URL = 'https://approvals.example.com';
const PUBLIC_HOST = 'approvals.example.com';
const EVIL = 'https://evil.example';
const REFUSED = [403, 'cross_site_request'];

const { app, organization } = await scene({
  app: { environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } },
});
const mail = await startMailServer();
afterAll(() => mail.close());
const provider = await identityProviderForFile();
await provider.register(PUBLIC_URL);
const secure = await appForFile({
  environment: {
    COUNTERSIGN_PUBLIC_URL: PUBLIC_URL,
    COUNTERSIGN_SECRETS_KEY: SECRETS_KEY,
    SMTP_URL: mail.url,
    ...provider.environment,
  },
});

const send = (
  headers: Readonly<Record<string, string>>,
  body: unknown = { slug: 'planted', name: 'Planted' },
  path = '/api/v1/agents',
) => app.http.post(path, body, { headers: { cookie: organization.owner.cookie, ...headers } });
const planted = async () =>
  (await app.db('agents').where({ organization_id: organization.id, slug: 'planted' })).length;

describe('a page of another site', () => {
  const forms = [
    ['text/plain', '{"slug":"planted","name":"Planted"}'],
    ['application/x-www-form-urlencoded', 'slug=planted&name=Planted'],
    [
      'multipart/form-data; boundary=x',
      '--x\r\nContent-Disposition: form-data; name="slug"\r\n\r\nplanted\r\n--x--\r\n',
    ],
    ['application/json', '{"slug":"planted","name":"Planted"}'],
  ] as const;
  const origins: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['says so', { origin: EVIL, 'sec-fetch-site': 'cross-site' }],
    ['sends only its origin', { origin: EVIL }],
    ['sends only its site', { 'sec-fetch-site': 'cross-site' }],
    ['is of a neighboring host', { 'sec-fetch-site': 'same-site' }],
    ['is not a page at all', { 'sec-fetch-site': 'none' }],
    ['hides its origin', { origin: 'null' }],
    ['hides its origin and sends no site', {}],
    ['has an origin that is not a URL', { origin: 'evil' }],
    ['contains our host in its own', { origin: 'http://127.0.0.1.evil.example' }],
  ];
  const attempts = origins.flatMap(([page, headers]) =>
    forms.map(([type, body]) => ({ page, type, headers, body })),
  );

  test.each(attempts)(
    'that $page cannot post $type with the cookie',
    async ({ type, headers, body }) => {
      expect(codeOf(await send({ ...headers, 'content-type': type }, body))).toEqual(REFUSED);
      expect(await planted()).toBe(0);
    },
  );

  test.each(forms.slice(0, 3))(
    'of our own cannot post %s either: only JSON is accepted',
    async (type, body) => {
      const own = { origin: app.url, 'sec-fetch-site': 'same-origin', 'content-type': type };
      expect(codeOf(await send(own, body))).toEqual([415, 'unsupported_media_type']);
      expect(await planted()).toBe(0);
    },
  );

  test('of our own can post by any name of this machine, while no public address is configured', async () => {
    const page = { host: 'approvals.localhost:8080', origin: 'http://approvals.localhost:8080' };
    const agent = { slug: 'by-another-address', name: 'By another address' };
    expect((await send(page, agent)).status).toBe(201);
  });

  test('of our own can post JSON, so the refusals above are about the page', async () => {
    expect((await send({ origin: app.url })).status).toBe(201);
    expect(await planted()).toBe(1);
  });

  test('cannot sign its visitor in or out', async () => {
    const person = await createPerson(app, organization.id);
    const headers = { origin: EVIL, 'sec-fetch-site': 'cross-site' };
    const signedIn = await app.http.post(
      '/auth/login',
      { email: person.email, password: PASSWORD },
      { headers },
    );
    expect([codeOf(signedIn), signedIn.headers['set-cookie']]).toEqual([REFUSED, undefined]);
    const form = { ...headers, 'content-type': 'text/plain' };
    expect(
      codeOf(
        await app.http.post(
          '/auth/login',
          JSON.stringify({ email: person.email, password: PASSWORD }),
          { headers: form },
        ),
      ),
    ).toEqual(REFUSED);
    const signedOut = await app.http.post('/auth/logout', undefined, {
      headers: { ...headers, cookie: person.cookie },
    });
    expect([codeOf(signedOut), signedOut.headers['set-cookie']]).toEqual([REFUSED, undefined]);
    expect((await person.browser.get('/api/v1/me')).status).toBe(200);
  });

  const open = endpoints
    .filter(({ auth, method, anyOrigin }) => auth === 'none' && method !== 'get' && !anyOrigin)
    .map(({ method, path, requestExample }) => ({ method, path, requestExample }));
  test.each(open)(
    'cannot call $method $path, which asks for no credential',
    async ({ method, path, requestExample }) => {
      const headers = { origin: EVIL, 'sec-fetch-site': 'cross-site' };
      const filledIn = path.replaceAll(/\{\w+\}/g, 'x');
      const answer = await app.http.call(method.toUpperCase(), filledIn, {
        body: requestExample,
        headers,
      });
      expect(codeOf(answer)).toEqual(REFUSED);
    },
  );

  test('may read nothing', async () => {
    const headers = {
      cookie: organization.owner.cookie,
      origin: EVIL,
      'access-control-request-method': 'POST',
    };
    for (const method of ['GET', 'OPTIONS']) {
      const answer = await app.http.call(method, '/api/v1/me', { headers });
      expect(
        Object.keys(answer.headers).filter((name) => name.startsWith('access-control-')),
      ).toEqual([]);
      expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin');
    }
  });
});

describe('a link', () => {
  test('changes nothing when followed: no GET does', async () => {
    const world = await createWorld(app);
    const { owner } = world.organization;
    // The first use of each is recorded, and no other for a minute.
    await Promise.all([
      owner.http.get('/api/v1/me'),
      // The keys of the deployment are made when first asked for.
      owner.browser.get('/api/v1/push/key'),
      app.http.get('/api/aap/v1/requests/x', {
        headers: { authorization: `Bearer ${world.agent.credential}` },
      }),
    ]);
    // Reading an enrollment by its code counts as a guess, which is taken back when the code is right.
    // The service itself counts the requests of each day and seals the audit log, with or without a call.
    const counted =
      /^(sign_in_attempts|agent(_instance)?_request_days|request_count_mark|audit_(?!events)\w+)\.|\.last_(seen|used)_at$/;
    const kept = async () => (await everyColumn(app.db)).filter(({ name }) => !counted.test(name));
    const before = await kept();
    const statuses = new Map<string, number>();
    for (const endpoint of endpoints.filter(({ method }) => method === 'get')) {
      const { auth } = endpoint;
      const headers =
        auth === 'agent'
          ? { authorization: `Bearer ${world.agent.credential}` }
          : { cookie: owner.cookie, origin: EVIL };
      const { status } = await app.http.get(filled(endpoint.path, paramsIn(world, endpoint)), {
        headers,
      });
      statuses.set(endpoint.operationId, status);
    }
    expect(await kept()).toEqual(before);
    expect([...statuses.values()].filter((status) => status === 200).length).toBeGreaterThan(20);
  });
});

describe('a service that people reach by https through a proxy', () => {
  const flagsOf = ({ headers }: ApiResponse) =>
    (headers['set-cookie'] ?? '').split(', ').at(-1)?.split('; ').slice(1).sort();
  const forged = {
    host: 'evil.example',
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
    'x-forwarded-proto': 'http',
  };

  test('hides its cookie from scripts, other sites and plain http', async () => {
    const { id } = await createOrganization(secure);
    const person = await createPerson(secure, id);
    const signedIn = await login(secure, person);
    expect(flagsOf(signedIn)).toEqual([
      'HttpOnly',
      'Max-Age=604800',
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ]);
    const [cookie = ''] =
      /__Host-service_session=[^;]+/.exec(signedIn.headers['set-cookie'] ?? '') ?? [];
    const headers = { cookie, origin: PUBLIC_URL };
    const proven = await secure.http.post(
      '/auth/reauthenticate',
      { password: PASSWORD },
      { headers },
    );
    expect(flagsOf(proven)).toEqual(flagsOf(signedIn));
    const out = await secure.http.post('/auth/logout', undefined, { headers });
    expect(flagsOf(out)).toEqual(['HttpOnly', 'Max-Age=0', 'Path=/', 'SameSite=Lax', 'Secure']);
  });

  test('sets the cookie without Secure on plain http, because otherwise no one could sign in', async () => {
    const person = await createPerson(app, (await createOrganization(app)).id);
    expect(flagsOf(await login(app, person))).toEqual([
      'HttpOnly',
      'Max-Age=604800',
      'Path=/',
      'SameSite=Lax',
    ]);
  });

  test('treats its own address over plain http as a foreign one', async () => {
    const { owner } = await createOrganization(secure);
    const call = (origin: string) =>
      secure.http.post(
        '/api/v1/agents',
        { slug: 'a', name: 'A' },
        { headers: { cookie: owner.cookie, host: PUBLIC_HOST, origin } },
      );
    expect(codeOf(await call(`http://${PUBLIC_HOST}`))).toEqual(REFUSED);
    expect((await call(PUBLIC_URL)).status).toBe(201);
  });

  test('treats a page of another address as foreign, also where Host names that address', async () => {
    const { owner } = await createOrganization(secure);
    const page = { cookie: owner.cookie, host: 'evil.example', origin: EVIL };
    const posted = await secure.http.post(
      '/api/v1/agents',
      { slug: 'b', name: 'B' },
      { headers: page },
    );
    expect(codeOf(posted)).toEqual(REFUSED);
    const credentials = { email: 'ada@example.com', password: PASSWORD };
    const signIn = await secure.http.post('/auth/login', credentials, { headers: page });
    expect(codeOf(signIn)).toEqual(REFUSED);
  });

  test('builds the links in emails from its configuration, whatever Host says', async () => {
    const { id, owner } = await createOrganization(secure);
    const headers = { ...forged, cookie: owner.cookie, origin: PUBLIC_URL };
    const invited = await secure.http.post(
      '/api/v1/invitations',
      { email: 'grace@example.com', permission_policies: [] },
      { headers },
    );
    expect(invited.status).toBe(201);
    const person = await createPerson(secure, id);
    expect(
      (
        await secure.http.post(
          '/auth/password/forgot',
          { email: person.email },
          { headers: forged },
        )
      ).status,
    ).toBe(202);
    const mails = [await mail.mailTo('grace@example.com'), await mail.mailTo(person.email)];
    const links = mails.map(({ text }) =>
      text.match(/https?:\/\/\S+/g)?.map((link) => new URL(link).origin),
    );
    expect(links).toEqual([[PUBLIC_URL], [PUBLIC_URL]]);
    expect(JSON.stringify(mails)).not.toContain('evil.example');
  });

  test('sends people to the identity provider with its own return address', async () => {
    const answer = await secure.http.get('/auth/oidc/login', { headers: forged });
    const location = new URL(answer.headers['location'] ?? '');
    expect([location.origin, location.searchParams.get('redirect_uri')]).toEqual([
      provider.issuer,
      `${PUBLIC_URL}/auth/oidc/callback`,
    ]);
    expect(JSON.stringify(answer.headers)).not.toContain('evil.example');
  });

  test('never redirects from the callback to the address in Host', async () => {
    const answer = await secure.http.get('/auth/oidc/callback?error=access_denied&state=x', {
      headers: forged,
    });
    expect(new URL(answer.headers['location'] ?? '', PUBLIC_URL).origin).toBe(PUBLIC_URL);
  });
});

describe('a deployment without email', () => {
  test('builds an invitation link from its configuration, whatever Host says', async () => {
    const headers = { host: 'other.localhost', 'x-forwarded-host': 'evil.example' };
    const client = browserWith(app, organization.owner.cookie);
    const { body } = await client.post(
      '/api/v1/invitations',
      { email: 'grace@example.com', permission_policies: [] },
      { headers },
    );
    expect(new URL(String(body['invite_url'])).origin).toBe(app.url);
  });
});
