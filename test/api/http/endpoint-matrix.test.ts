/**
 * Every endpoint against every kind of caller. The declaration alone determines what to expect, so
 * a new endpoint is covered as soon as it is listed.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../../api/http/endpoint.ts';
import { endpoints } from '../../../api/endpoints.ts';
import { errorsOf } from '../../../api/http/implied-errors.ts';
import { errorSchema } from '../../../api/http/problem-schema.ts';
import { envelopeTypeOf, statusOf } from '../../../api/http/problem.ts';
import {
  isValidScope,
  mayHold,
  permissions,
  type PermissionHolder,
} from '../../../src/domain/people/permissions.ts';
import { packageRoot } from '../../../src/platform/package-root.ts';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import {
  elsewhereOnly,
  known,
  outsideKeyScope,
  nothing,
  opens,
  targetOf,
  withoutGrants,
  type Refusal,
} from '../../support/admission.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createAgent,
  createInstance,
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
  type Policy,
  type TestMember,
} from '../../support/scene/factories.ts';
import type { Answer } from '../../support/http.ts';
import { createWorld, filled, paramsIn, type Params, type World } from '../../support/world.ts';

type Headers = Readonly<Record<string, string>>;
type Edition = 'open' | 'hosted';

interface Caller {
  readonly caller: string;
  readonly headers: () => Headers | Promise<Headers>;
  readonly refusal: (endpoint: Endpoint, world: World) => Refusal | undefined;
}

/**
 * `hosted` serves everything; `open` is asked where the editions differ. Each has a database of its
 * own.
 */
const apps: Partial<Record<Edition, TestApp>> = {};
let app: TestApp;
/** The owner of the objects in the paths. */
let home: World;
let foreign: World;
let bare: TestMember;
let suspended: TestMember;
/** Everything that a member or a key can hold at agent or team scope, for another agent or team. */
const elsewhere: Partial<
  Record<'agent' | 'team', { readonly member: TestMember; readonly key: string }>
> = {};
const keys = { full: '', bare: '' };

const environment = (edition: Edition) => ({
  COUNTERSIGN_CREATE_BUDGET: '1s',
  COUNTERSIGN_EDITION: edition,
  COUNTERSIGN_SECRETS_KEY: randomBytes(32).toString('base64'),
});

beforeAll(async () => {
  app = apps.hosted = await startApp({ environment: environment('hosted') });
  apps.open = await startApp({ environment: environment('open') });
  [home, foreign] = [await createWorld(app), await createWorld(app)];
  bare = await createMember(app, home.organization.id);
  suspended = await createMember(app, home.organization.id, { status: 'suspended' });
  keys.full = (
    await createOrganizationKey(app, home.organization, [
      everything('organization', [], 'organization_api_key'),
    ])
  ).token;
  keys.bare = (await createOrganizationKey(app, home.organization)).token;
  await holdElsewhere('agent', (await createAgent(app, home.organization)).slug);
  await holdElsewhere('team', await createTeam(app, home.organization.id));
});

afterAll(async () => {
  await Promise.all(Object.values(apps).map((each) => each.close()));
});

/** Every permission that this kind of holder can get at that scope. */
function everything(
  scope: Policy['scope_kind'],
  resourceIds: readonly string[],
  holder: PermissionHolder,
): Policy {
  const held = permissions
    .filter(({ key }) => isValidScope(key, scope) && mayHold(holder, key))
    .map(({ key }) => key);
  return { scope_kind: scope, resource_ids: resourceIds, permissions: held };
}

async function holdElsewhere(scope: 'agent' | 'team', id: string): Promise<void> {
  const member = await createMember(app, home.organization.id, {
    policies: [everything(scope, [id], 'human')],
  });
  const key = await createOrganizationKey(app, home.organization, [
    everything(scope, [id], 'organization_api_key'),
  ]);
  elsewhere[scope] = { member, key: key.token };
}

function at(scope: 'agent' | 'team'): { readonly member: TestMember; readonly key: string } {
  const holders = elsewhere[scope];
  if (!holders) throw new Error('not prepared');
  return holders;
}

interface Send {
  readonly params: Params;
  readonly headers: Headers;
  readonly body?: unknown;
  readonly edition?: Edition;
}

async function send(
  endpoint: Endpoint,
  { body = endpoint.requestExample, ...call }: Send,
): Promise<Answer> {
  return await sendAnyhow(endpoint, { ...call, ...(endpoint.body && { body }) });
}

/** Sends this body, even to an endpoint that declares none. */
async function sendAnyhow(
  endpoint: Endpoint,
  { params, headers, body, edition = 'hosted' }: Send,
): Promise<Answer> {
  const requestId = `matrix-${randomUUID()}`;
  const { http } = apps[edition] ?? app;
  const answer = await http.call(endpoint.method.toUpperCase(), filled(endpoint.path, params), {
    body,
    headers: {
      'x-request-id': requestId,
      ...(endpoint.headers?.idempotencyKey && { 'idempotency-key': randomUUID() }),
      ...(endpoint.headers?.ifMatch && { 'if-match': '"1"' }),
      ...headers,
    },
  });
  expect(answer.headers['x-request-id']).toBe(requestId);
  expectDeclared(endpoint, answer);
  return answer;
}

/**
 * A success that the endpoint declares, or an error of its list in the envelope. Never an internal
 * failure.
 */
function expectDeclared(endpoint: Endpoint, answer: Answer): void {
  if (answer.status < 400) {
    expect([endpoint.success.status].flat()).toContain(answer.status);
    return;
  }
  const { error } = errorSchema.parse(answer.body);
  expect({ code: error.code, declared: errorsOf(endpoint).includes(error.code) }).toEqual({
    code: error.code,
    declared: true,
  });
  expect(error.code).not.toBe('internal_error');
  expect(error.code).not.toBe('dependency_unavailable');
  expect({ status: answer.status, type: error.type }).toEqual({
    status: statusOf(error.code),
    type: envelopeTypeOf(error.code),
  });
  expect(error.request_id).toBe(answer.headers['x-request-id']);
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const cookie = (member: TestMember, { url } = app): Headers => ({
  cookie: member.cookie,
  origin: url,
  'sec-fetch-site': 'same-origin',
});

/** Some calls sign out or revoke keys. This renews the credentials they ended. */
async function liveSession(member: TestMember): Promise<Headers> {
  await app
    .db('sessions')
    .where({ membership_id: member.membershipId })
    .update({ revoked_at: null });
  return cookie(member);
}

async function liveKey(member: TestMember): Promise<Headers> {
  await app
    .db('api_keys')
    .where({ membership_id: member.membershipId })
    .update({ revoked_at: null, revocation_reason: null });
  return bearer(member.apiKey);
}

const owning: Policy = { scope_kind: 'organization', is_owner: true };

/** A credential of the home organization, changed before use. */
async function spoiled(
  kind: 'key' | 'session' | 'credential' | 'organization key',
  change: Readonly<Record<string, unknown>>,
): Promise<Headers> {
  if (kind === 'credential') {
    const { credential, credentialId } = await createInstance(
      app,
      home.organization,
      home.agent.slug,
    );
    await app.db('agent_credentials').where({ id: credentialId }).update(change);
    return bearer(credential);
  }
  if (kind === 'organization key') {
    const { id, token } = await createOrganizationKey(app, home.organization, [
      everything('organization', [], 'organization_api_key'),
    ]);
    await app.db('api_keys').where({ id }).update(change);
    return bearer(token);
  }
  const member = await createMember(app, home.organization.id, { policies: [owning] });
  const table = kind === 'key' ? 'api_keys' : 'sessions';
  await app.db(table).where({ membership_id: member.membershipId }).update(change);
  return kind === 'key' ? bearer(member.apiKey) : cookie(member);
}

/**
 * The headers of a caller who is always refused. No call changes what the next one finds, so they
 * are prepared once.
 */
function once(prepare: Caller['headers']): Caller['headers'] {
  let prepared: ReturnType<Caller['headers']> | undefined;
  return () => (prepared ??= prepare());
}

const past = new Date(Date.now() - 1_000);
const unauthenticated = ({ auth }: Endpoint): Refusal | undefined =>
  auth === 'none' ? undefined : { code: 'authentication_required' };

const strangers: readonly Caller[] = [
  { caller: 'no credential', headers: () => ({}) },
  { caller: 'an invalid token', headers: () => bearer('whk_nonsense') },
  { caller: 'another scheme', headers: () => ({ authorization: 'Basic YWRhOnNlY3JldA==' }) },
  { caller: 'an invented key', headers: () => bearer(issueToken('whk').token) },
  { caller: 'an invented organization key', headers: () => bearer(issueToken('who').token) },
  { caller: 'an invented agent credential', headers: () => bearer(issueToken('whc').token) },
  {
    caller: "a session's token as a bearer",
    headers: () => bearer(bare.cookie.split('=')[1] ?? ''),
  },
  {
    caller: 'a key as a cookie',
    headers: () => ({ ...cookie(bare), cookie: `service_session=${bare.apiKey}` }),
  },
  {
    caller: "an organization key by a personal key's prefix",
    headers: () => bearer(keys.full.replace('who_', 'whk_')),
  },
  {
    caller: "a personal key by an organization key's prefix",
    headers: () => bearer(bare.apiKey.replace('whk_', 'who_')),
  },
  {
    caller: 'a revoked key',
    headers: () => spoiled('key', { revoked_at: past, revocation_reason: 'manual' }),
  },
  { caller: 'an expired key', headers: () => spoiled('key', { expires_at: past }) },
  {
    caller: 'a revoked organization key',
    headers: () => spoiled('organization key', { revoked_at: past, revocation_reason: 'manual' }),
  },
  {
    caller: 'an expired organization key',
    headers: () => spoiled('organization key', { expires_at: past }),
  },
  { caller: 'a revoked session', headers: () => spoiled('session', { revoked_at: past }) },
  { caller: 'an expired session', headers: () => spoiled('session', { expires_at: past }) },
  {
    caller: 'an idle session',
    headers: () => spoiled('session', { last_seen_at: new Date(Date.now() - 86_401_000) }),
  },
  {
    caller: 'a revoked agent credential',
    headers: () => spoiled('credential', { revoked_at: past }),
  },
  {
    caller: 'an expired agent credential',
    headers: () => spoiled('credential', { expires_at: past }),
  },
].map((stranger) => ({ ...stranger, headers: once(stranger.headers), refusal: unauthenticated }));

const acquaintances: readonly Caller[] = [
  {
    caller: 'an agent',
    headers: () => bearer(home.agent.credential),
    refusal: known('agent', nothing),
  },
  {
    caller: "an owner's key",
    headers: () => liveKey(home.organization.owner),
    refusal: known('api_key', nothing),
  },
  {
    caller: "an owner's session",
    headers: () => liveSession(home.organization.owner),
    refusal: known('human', nothing),
  },
  {
    caller: 'an organization key with everything',
    headers: () => bearer(keys.full),
    refusal: known('organization_api_key', nothing),
  },
  {
    caller: 'a key without grants',
    headers: () => bearer(bare.apiKey),
    refusal: known('api_key', withoutGrants),
  },
  {
    caller: 'a session without grants',
    headers: () => liveSession(bare),
    refusal: known('human', withoutGrants),
  },
  {
    caller: 'an organization key without grants',
    headers: () => bearer(keys.bare),
    refusal: known('organization_api_key', withoutGrants),
  },
  {
    caller: 'a key scoped to nothing',
    headers: () => spoiled('key', { permissions: [] }),
    refusal: known('api_key', outsideKeyScope),
  },
  ...(['agent', 'team'] as const).flatMap((scope) => [
    {
      caller: `a key for another ${scope}`,
      headers: () => bearer(at(scope).member.apiKey),
      refusal: known('api_key', elsewhereOnly(scope)),
    },
    {
      caller: `a session for another ${scope}`,
      headers: () => liveSession(at(scope).member),
      refusal: known('human', elsewhereOnly(scope)),
    },
    {
      caller: `an organization key for another ${scope}`,
      headers: () => bearer(at(scope).key),
      refusal: known('organization_api_key', elsewhereOnly(scope)),
    },
  ]),
];

/** Checks that come before permissions: each row with its endpoints. */
const barred: readonly (Caller & { readonly at: (endpoint: Endpoint) => boolean })[] = [
  {
    caller: 'a suspended member',
    at: ({ auth }) => opens[auth].includes('human'),
    headers: () => cookie(suspended),
    refusal: () => ({ code: 'membership_inactive' }),
  },
  {
    caller: "a suspended member's key",
    at: ({ auth }) => opens[auth].includes('api_key'),
    headers: () => bearer(suspended.apiKey),
    refusal: () => ({ code: 'membership_inactive' }),
  },
  {
    caller: 'a key where the organization allows none',
    at: ({ auth }) => opens[auth].includes('api_key'),
    headers: once(async () => {
      const { id, owner } = await createOrganization(app);
      await app.db('organizations').where({ id }).update({ personal_api_keys_allowed: false });
      return bearer(owner.apiKey);
    }),
    refusal: () => ({ code: 'api_keys_disabled' }),
  },
  {
    caller: 'a session of a deleted organization',
    at: ({ auth }) => opens[auth].includes('human'),
    headers: once(async () => {
      const { id, owner } = await createOrganization(app);
      await app.db('organizations').where({ id }).update({ deleted_at: past });
      return cookie(owner);
    }),
    refusal: () => ({ code: 'authentication_required' }),
  },
  {
    caller: 'an instance of a disabled agent',
    at: ({ auth }) => auth === 'agent',
    headers: once(async () => {
      const { slug, credential } = await createAgent(app, home.organization);
      await app.db('agents').where({ slug }).update({ status: 'disabled' });
      return bearer(credential);
    }),
    refusal: () => ({ code: 'agent_disabled' }),
  },
  {
    caller: 'a disabled instance',
    at: ({ auth }) => auth === 'agent',
    headers: once(async () => {
      const { instanceId, credential } = await createInstance(
        app,
        home.organization,
        home.agent.slug,
      );
      await app.db('agent_instances').where({ id: instanceId }).update({ status: 'disabled' });
      return bearer(credential);
    }),
    refusal: () => ({ code: 'instance_disabled' }),
  },
  {
    caller: 'a session on a foreign page',
    at: ({ auth, method }) => auth !== 'agent' && method !== 'get',
    headers: async () => ({
      ...(await liveSession(home.organization.owner)),
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    }),
    refusal: () => ({ code: 'cross_site_request' }),
  },
  {
    caller: 'a session that sends no page',
    at: ({ auth, method }) => auth !== 'agent' && auth !== 'none' && method !== 'get',
    headers: () => ({ cookie: home.organization.owner.cookie }),
    refusal: () => ({ code: 'cross_site_request' }),
  },
];

const named = endpoints.map((endpoint) => ({
  name: `${endpoint.method.toUpperCase()} ${endpoint.path}`,
  endpoint,
}));
const guarded = named.filter(({ endpoint }) => endpoint.auth !== 'none');
const hostedOnly = named.filter(({ endpoint }) => endpoint.edition === 'hosted');

/** The credential that opens the endpoint, of the owner or the agent of `world`. */
async function rightHeaders({ auth }: Endpoint, { organization, agent }: World): Promise<Headers> {
  if (auth === 'agent') return bearer(agent.credential);
  return auth === 'session'
    ? await liveSession(organization.owner)
    : await liveKey(organization.owner);
}

async function expectRefusal(endpoint: Endpoint, { headers, refusal }: Caller): Promise<void> {
  const params = paramsIn(home, endpoint);
  const answer = await send(endpoint, { params, headers: await headers() });
  const expected = refusal(endpoint, home);
  if (!expected) return expectAdmitted(answer);
  expect({ status: answer.status, code: answer.body['error']?.['code'] }).toEqual({
    status: statusOf(expected.code),
    code: expected.code,
  });
  if (expected.code === 'permission_denied')
    expect(answer.body['error']?.['details']).toEqual(expected.details);
}

/**
 * The answer may say anything about the call, except that the credential is of the wrong kind or
 * lacks the permission.
 */
function expectAdmitted({ body }: Answer): void {
  const code: unknown = body?.['error']?.['code'];
  expect([
    'authentication_required',
    'permission_denied',
    'session_required',
    'membership_inactive',
    'cross_site_request',
  ]).not.toContain(code);
}

describe("another organization's objects", () => {
  const unknown: Params = {
    id: randomUUID(),
    policy_id: randomUUID(),
    slug: 'no-such-agent',
    agent_slug: 'no-such-agent',
    path_key: 'no-such-path',
    revision: '1',
  };

  const outcome = ({ status, body }: Answer, params: Params) => ({
    status,
    code: body['error']?.['code'] as unknown,
    message: Object.entries(params).reduce(
      (text, [name, value]) => text.replaceAll(value, name),
      String(body['error']?.['message']),
    ),
  });

  // A revision number alone names a document of the caller's own organization.
  const ofObjects = guarded.filter(({ endpoint }) =>
    endpoint.path.replace('{revision}', '').includes('{'),
  );
  test.each(ofObjects)('$name: answers not found', async ({ endpoint }) => {
    const headers = await rightHeaders(endpoint, foreign);
    const params = paramsIn(home, endpoint);
    const found = await send(endpoint, { params, headers });
    const missing = await send(endpoint, { params: { ...params, ...unknown }, headers });
    expect(outcome(found, params)).toEqual(outcome(missing, unknown));
    expect(found.body['error']?.['code']).toBe(
      endpoint.body && found.status === 400 ? 'validation_failed' : 'not_found',
    );
  });

  const lists = guarded.filter(
    ({ endpoint }) => endpoint.method === 'get' && !endpoint.path.includes('{'),
  );
  test.each(lists)('$name: lists none', async ({ endpoint }) => {
    const answer = await send(endpoint, {
      params: {},
      headers: await rightHeaders(endpoint, foreign),
    });
    expect(answer.status).toBe(200);
    const { organization, agent, member, teamId, invitation, organizationKeyId } = home;
    for (const theirs of [
      organization.id,
      agent.slug,
      member.membershipId,
      member.email,
      teamId,
      invitation.id,
      organizationKeyId,
    ]) {
      expect(answer.text).not.toContain(theirs);
    }
  });
});

describe('the right caller', () => {
  test.each(guarded)('$name: accepts the caller', async ({ endpoint }) => {
    expectAdmitted(
      await send(endpoint, {
        params: paramsIn(home, endpoint),
        headers: await rightHeaders(endpoint, home),
      }),
    );
  });

  const reads = named.filter(
    ({ endpoint }) => endpoint.method === 'get' && endpoint.path.includes('{'),
  );
  test.each(reads)('$name: finds what the path names', async ({ endpoint }) => {
    const world = await createWorld(app);
    const answer = await send(endpoint, {
      params: paramsIn(world, endpoint),
      headers: await rightHeaders(endpoint, world),
    });
    expect(answer.status).toBe(200);
  });

  /** The kinds that can hold the permission and open the endpoint. */
  const permitted = guarded.flatMap(({ name, endpoint }) =>
    opens[endpoint.auth]
      .filter(
        (holder) =>
          endpoint.permission !== undefined &&
          mayHold(holder, endpoint.permission) &&
          holder !== 'agent',
      )
      .map((holder) => ({ name, endpoint, holder })),
  );
  test.each(permitted)(
    '$name: needs only its permission at its scope ($holder)',
    async ({ endpoint, holder }) => {
      const { permission } = endpoint;
      if (!permission) throw new Error('not among these');
      const params = paramsIn(home, endpoint);
      const target = targetOf(endpoint, params);
      const [scope_kind, resource_ids] =
        target.kind === 'agent'
          ? (['agent', [target.slug]] as const)
          : target.kind === 'team'
            ? (['team', [target.id]] as const)
            : (['organization', []] as const);
      const policies = [{ scope_kind, resource_ids, permissions: [permission] }];
      const headers = await headersOfHolder(holder, policies);
      const { body } = await send(endpoint, { params, headers });
      const { code, details } = (body?.['error'] ?? {}) as {
        code?: string;
        details?: { permission?: string };
      };
      expect(code === 'permission_denied' ? details?.permission : undefined).not.toBe(permission);
      expect(['authentication_required', 'session_required']).not.toContain(code);
    },
  );

  async function headersOfHolder(
    holder: PermissionHolder,
    policies: readonly Policy[],
  ): Promise<Headers> {
    if (holder === 'organization_api_key')
      return bearer((await createOrganizationKey(app, home.organization, policies)).token);
    const member = await createMember(app, home.organization.id, { policies });
    return holder === 'human' ? cookie(member) : bearer(member.apiKey);
  }
});

describe.each([...strangers, ...acquaintances])('$caller', (caller) => {
  test.each(named)('$name: is answered as declared', async ({ endpoint }) => {
    await expectRefusal(endpoint, caller);
  });
});

describe.each(barred)('$caller', (caller) => {
  test.each(named.filter(({ endpoint }) => caller.at(endpoint)))(
    '$name: is refused',
    async ({ endpoint }) => {
      await expectRefusal(endpoint, caller);
    },
  );
});

describe('ids in capitals', () => {
  /**
   * Two organizations with the same names. One caller uses ids in small letters, the other in
   * capitals.
   */
  let worlds: readonly [small: World, capital: World];

  beforeAll(async () => {
    worlds = [await createWorld(app), await createWorld(app)];
  });

  const isId = (value: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value);
  const inCapitals = (params: Params): Params =>
    Object.fromEntries(
      Object.entries(params).map(([name, value]) => [
        name,
        isId(value) ? value.toUpperCase() : value,
      ]),
    );

  const byId = guarded.filter(({ endpoint }) => endpoint.path.includes('id}'));
  test.each(byId)('$name: are the same ids', async ({ endpoint }) => {
    const [small, capital] = worlds;
    const params = inCapitals(paramsIn(capital, endpoint));
    const expected = await send(endpoint, {
      params: paramsIn(small, endpoint),
      headers: await rightHeaders(endpoint, small),
    });
    const answer = await send(endpoint, { params, headers: await rightHeaders(endpoint, capital) });
    expect([answer.status, answer.body?.['error']?.['code']]).toEqual([
      expected.status,
      expected.body?.['error']?.['code'],
    ]);
    for (const id of Object.values(params).filter((value) => value !== value.toLowerCase()))
      expect(answer.text).not.toContain(id);
    expect(
      await app.db('audit_events').whereRaw('subject_id <> lower(subject_id)').pluck('subject_id'),
    ).toEqual([]);
  });
});

describe('an undeclared query parameter', () => {
  // An identity provider may add parameters of its own to the redirect.
  const strict = named.filter(({ endpoint }) => endpoint.operationId !== 'finishSingleSignOn');
  test.each(strict)('$name: is refused by name', async ({ endpoint }) => {
    // This file makes more sign-in attempts a minute than one network may.
    if (endpoint.signInAttempt) await app.db('sign_in_attempts').delete();
    const unknown = { ...endpoint, path: `${endpoint.path}?surprise=1` };
    const headers = endpoint.auth === 'none' ? {} : await rightHeaders(endpoint, home);
    const answer = await send(unknown, { params: paramsIn(home, endpoint), headers });
    expect([answer.status, answer.body['error']?.['code']]).toEqual([400, 'validation_failed']);
    expect(answer.body['error']?.['details']?.['issues']).toContainEqual(
      expect.objectContaining({ pointer: '/query/surprise', code: 'unknown_field' }),
    );
  });
});

describe('an undeclared body', () => {
  const bodiless = named.filter(
    ({ endpoint: { method, body, signedForm } }) =>
      !['get', 'delete'].includes(method) && !body && !signedForm,
  );
  test.each(bodiless)('$name: is refused, with the field', async ({ endpoint }) => {
    const headers = endpoint.auth === 'none' ? {} : await rightHeaders(endpoint, home);
    const answer = await sendAnyhow(endpoint, {
      params: paramsIn(home, endpoint),
      headers,
      body: { surprise: 1 },
    });
    expect([answer.status, answer.body['error']?.['code']]).toEqual([400, 'validation_failed']);
    expect(answer.body['error']?.['details']?.['issues']).toEqual([
      { pointer: '/surprise', code: 'unknown_field', message: 'is not a known field' },
    ]);
  });
});

describe('the open edition', () => {
  let world: World;

  beforeAll(async () => {
    world = await createWorld(apps.open ?? app);
  });

  test.each(hostedOnly)('$name: does not exist for authenticated callers', async ({ endpoint }) => {
    const { owner } = world.organization;
    for (const headers of [
      cookie(owner, apps.open),
      bearer(owner.apiKey),
      bearer(world.agent.credential),
    ]) {
      const answer = await send(endpoint, {
        params: paramsIn(world, endpoint),
        headers,
        edition: 'open',
      });
      expect([answer.status, answer.body['error']?.['code']]).toEqual([404, 'not_found']);
    }
    expect(
      (await send(endpoint, { params: paramsIn(world, endpoint), headers: {}, edition: 'open' }))
        .status,
    ).toBe(401);
  });

  test.each(guarded)('$name: accepts no organization key', async ({ endpoint }) => {
    const policies = [everything('organization', [], 'organization_api_key')];
    const { token } = await createOrganizationKey(apps.open ?? app, world.organization, policies);
    const answer = await send(endpoint, {
      params: paramsIn(world, endpoint),
      headers: bearer(token),
      edition: 'open',
    });
    expect([answer.status, answer.body['error']?.['code']]).toEqual([
      401,
      'authentication_required',
    ]);
  });

  test.each(guarded.filter(({ endpoint }) => endpoint.edition !== 'hosted'))(
    '$name: serves everything that is not hosted',
    async ({ endpoint }) => {
      const { owner } = world.organization;
      await apps.open
        ?.db('sessions')
        .where({ membership_id: owner.membershipId })
        .update({ revoked_at: null });
      await apps.open
        ?.db('api_keys')
        .where({ membership_id: owner.membershipId })
        .update({ revoked_at: null, revocation_reason: null });
      const headers =
        endpoint.auth === 'agent'
          ? bearer(world.agent.credential)
          : endpoint.auth === 'session'
            ? cookie(owner, apps.open)
            : bearer(owner.apiKey);
      expectAdmitted(
        await send(endpoint, { params: paramsIn(world, endpoint), headers, edition: 'open' }),
      );
    },
  );
});

describe('the routes for operators', () => {
  test('serve the committed description of the API', async () => {
    const answer = await fetch(`${app.url}/api/openapi.yaml`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/yaml']);
    expect(await answer.text()).toBe(readFileSync(join(packageRoot(), 'api/openapi.yaml'), 'utf8'));
  });

  test('answer that the process is alive, and name what is not ready while Temporal is away', async () => {
    expect((await app.http.get('/health/live')).body).toEqual({ status: 'ok' });
    const ready = await app.http.get('/health/ready');
    expect(ready.status).toBe(503);
    expect(Number(ready.headers['retry-after'])).toBeGreaterThan(0);
    const parts = Object.values(
      ready.body['checks'] as unknown as Record<string, { status: string }>,
    );
    expect(new Set(parts.map(({ status }) => status))).toEqual(new Set(['ok', 'unavailable']));
  });
});
