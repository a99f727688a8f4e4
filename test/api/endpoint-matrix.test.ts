/**
 * Every endpoint against every kind of caller. What to expect follows from the declaration alone, so that a new endpoint
 * is covered the moment it is listed.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../api/endpoint.ts';
import { endpoints } from '../../api/endpoints.ts';
import { errorsOf } from '../../api/implied-errors.ts';
import { errorShape } from '../../api/problem-schema.ts';
import { envelopeTypeOf, statusOf } from '../../api/problem.ts';
import type { ErrorCode } from '../../src/domain/errors.ts';
import { isValidScope, mayHold, permissions } from '../../src/domain/permissions.ts';
import { packageRoot } from '../../src/platform/package-root.ts';
import { issueToken } from '../../src/platform/tokens.ts';
import { stepRequest } from '../../src/services/approval-requests/step.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { createAgent, createInstance, createMember, createOrganization } from '../support/factories.ts';
import { activatePath, type TestAgent, type TestMember, type TestOrganization } from '../support/factories.ts';
import type { Answer } from '../support/http.ts';

type Headers = Readonly<Record<string, string>>;
type Params = Readonly<Record<string, string>>;

/** What a caller must get; only that the answer is declared when there is nothing more to say. */
interface Refusal {
  readonly code: ErrorCode;
  /** A 403 from a permission check names the permission, the scope and the reason. */
  readonly reason?: string;
}

interface Caller {
  readonly caller: string;
  readonly headers: () => Headers | Promise<Headers>;
  readonly refusal: (endpoint: Endpoint) => Refusal | undefined;
}

interface World {
  readonly organization: TestOrganization;
  readonly agent: TestAgent;
  readonly spareCredentialId: string;
  readonly requestId: string;
}

let app: TestApp;
/** Whose objects the paths name. */
let home: World;
let foreign: World;
let bare: TestMember;
let elsewhere: TestMember;
let suspended: TestMember;

beforeAll(async () => {
  app = await startApp({ environment: { COUNTERSIGN_CREATE_BUDGET: '1s' } });
  [home, foreign] = [await createWorld(), await createWorld()];
  bare = await createMember(app, home.organization.id);
  const agentScoped = permissions.filter(({ key }) => isValidScope(key, 'agent')).map(({ key }) => key);
  const other = await createAgent(app, home.organization);
  const policies = [{ scope_kind: 'agent' as const, resource_ids: [other.slug], permissions: agentScoped }];
  elsewhere = await createMember(app, home.organization.id, { policies });
  suspended = await createMember(app, home.organization.id, { status: 'suspended' });
});

afterAll(async () => {
  await app.close();
});

async function createWorld(): Promise<World> {
  const organization = await createOrganization(app);
  const agent = await createAgent(app, organization);
  const { credentialId: spareCredentialId } = await createInstance(app, organization, agent.slug);
  const level = { id: randomUUID(), type: 'level', targets: [{ type: 'broadcast' }], escalate_after: '15m' };
  await activatePath(organization.owner, { path_key: `path-${agent.slug}`, name: 'On call', nodes: [level] });
  const created = await app.http.post(
    '/api/aap/v1/requests',
    { tool: 'refund', arguments: { amount: 1 }, timeout: '1h' },
    { headers: { authorization: `Bearer ${agent.credential}`, 'idempotency-key': randomUUID() } },
  );
  const requestId = String(created.body['id']);
  await stepRequest(app.context, requestId, { floor: new Date(0), by: 'workflow' });
  return { organization, agent, spareCredentialId, requestId };
}

/** Placeholders of the path, filled with objects of `world`. An id nobody knows stands for a noun without a factory here. */
function paramsIn(world: World, { path }: Endpoint): Params {
  const ids: readonly (readonly [RegExp, string])[] = [
    [/\/requests\//, world.requestId],
    [/\/agent-credentials\//, world.spareCredentialId],
    [/\/me\/api_keys\//, world.organization.owner.apiKey.split('_')[1] ?? ''],
    [/\/members\//, world.organization.owner.membershipId],
    [/./, randomUUID()],
  ];
  const known: Readonly<Record<string, string>> = {
    id: ids.find(([pattern]) => pattern.test(path))?.[1] ?? '',
    slug: world.agent.slug,
    agent_slug: world.agent.slug,
    path_key: `path-${world.agent.slug}`,
    revision: '1',
  };
  return Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, known[name] ?? randomUUID()]));
}

const filled = (path: string, params: Params) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));

interface Send {
  readonly params: Params;
  readonly headers: Headers;
  readonly body?: unknown;
}

async function send(endpoint: Endpoint, { params, headers, body = endpoint.requestExample }: Send): Promise<Answer> {
  const requestId = `matrix-${randomUUID()}`;
  const answer = await app.http.call(endpoint.method.toUpperCase(), filled(endpoint.path, params), {
    ...(endpoint.body && { body }),
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

/** A success the endpoint declares, or an error of its list in the envelope; so never a failure of ours. */
function expectDeclared(endpoint: Endpoint, answer: Answer): void {
  if (answer.status < 400) {
    expect([endpoint.success.status].flat()).toContain(answer.status);
    return;
  }
  const { error } = errorShape.parse(answer.body);
  expect({ code: error.code, declared: errorsOf(endpoint).includes(error.code) }).toEqual({ code: error.code, declared: true });
  expect(error.code).not.toBe('internal_error');
  expect(error.code).not.toBe('dependency_unavailable');
  expect({ status: answer.status, type: error.type }).toEqual({ status: statusOf(error.code), type: envelopeTypeOf(error.code) });
  expect(error.request_id).toBe(answer.headers['x-request-id']);
}

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
const cookie = (member: TestMember): Headers => ({ cookie: member.cookie, origin: app.url, 'sec-fetch-site': 'same-origin' });

/** Signing out and revoking keys are among the calls: what they ended begins anew. */
async function liveSession(member: TestMember): Promise<Headers> {
  await app.db('sessions').where({ membership_id: member.membershipId }).update({ revoked_at: null });
  return cookie(member);
}

async function liveKey(member: TestMember): Promise<Headers> {
  await app.db('api_keys').where({ membership_id: member.membershipId }).update({ revoked_at: null, revocation_reason: null });
  return bearer(member.apiKey);
}

/** A key, session or credential of the home organization, changed before it is presented. */
async function spoiled(kind: 'key' | 'session' | 'credential', change: Readonly<Record<string, unknown>>): Promise<Headers> {
  if (kind === 'credential') {
    const { credential, credentialId } = await createInstance(app, home.organization, home.agent.slug);
    await app.db('agent_credentials').where({ id: credentialId }).update(change);
    return bearer(credential);
  }
  const member = await createMember(app, home.organization.id, { policies: [{ scope_kind: 'organization', is_owner: true }] });
  const table = kind === 'key' ? 'api_keys' : 'sessions';
  await app.db(table).where({ membership_id: member.membershipId }).update(change);
  return kind === 'key' ? bearer(member.apiKey) : cookie(member);
}

const past = new Date(Date.now() - 1_000);
const unauthenticated = ({ auth }: Endpoint): Refusal | undefined => (auth === 'none' ? undefined : { code: 'authentication_required' });

/** Refused for its kind; the permission is named unless this kind of holder could have it. */
function wrongKind({ permission }: Endpoint, holds: boolean): Refusal {
  return permission === undefined || holds ? { code: 'permission_denied' } : { code: 'permission_denied', reason: 'credential_kind' };
}

/** A person by session or key, whose permissions are lacking for `reason`. */
const lacking =
  (via: 'human' | 'api_key', reason: string) =>
  (endpoint: Endpoint): Refusal | undefined => {
    const { auth, permission } = endpoint;
    if (auth === 'none') return undefined;
    if (auth === 'agent') return wrongKind(endpoint, false);
    if (auth === 'session' && via === 'api_key') return { code: 'session_required' };
    return permission === undefined
      ? undefined
      : { code: 'permission_denied', reason: mayHold(via, permission) ? reason : 'credential_kind' };
  };

const full =
  (via: 'human' | 'api_key') =>
  (endpoint: Endpoint): Refusal | undefined => {
    const { auth, permission } = endpoint;
    if (auth === 'agent') return wrongKind(endpoint, permission !== undefined && mayHold(via, permission));
    if (auth === 'session' && via === 'api_key') return { code: 'session_required' };
    return undefined;
  };

/** Granted for another agent only. A list or a search asks for any scope and goes on. */
function outsideScope(endpoint: Endpoint): Refusal | undefined {
  const { auth, permission, permissionAt } = endpoint;
  if (auth === 'agent') return wrongKind(endpoint, permission !== undefined && mayHold('api_key', permission));
  if (auth !== 'member' || permission === undefined) return auth === 'session' ? { code: 'session_required' } : undefined;
  if (!mayHold('api_key', permission)) return { code: 'permission_denied', reason: 'credential_kind' };
  const target = permissionAt?.(paramsIn(home, endpoint) as never) ?? { kind: 'organization' };
  if (target.kind === 'any' && isValidScope(permission, 'agent')) return undefined;
  return { code: 'permission_denied', reason: isValidScope(permission, 'agent') ? 'outside_scope' : 'missing_permission' };
}

const callers: readonly Caller[] = [
  { caller: 'nobody', headers: () => ({}), refusal: unauthenticated },
  { caller: 'a token that is none', headers: () => bearer('whk_nonsense'), refusal: unauthenticated },
  { caller: 'another scheme', headers: () => ({ authorization: 'Basic YWRhOnNlY3JldA==' }), refusal: unauthenticated },
  { caller: 'a key nobody issued', headers: () => bearer(issueToken('whk').token), refusal: unauthenticated },
  { caller: 'an agent credential nobody issued', headers: () => bearer(issueToken('whc').token), refusal: unauthenticated },
  { caller: "a session's token as a bearer", headers: () => bearer(bare.cookie.split('=')[1] ?? ''), refusal: unauthenticated },
  { caller: 'a key as a cookie', headers: () => ({ ...cookie(bare), cookie: `service_session=${bare.apiKey}` }), refusal: unauthenticated },
  { caller: 'a revoked key', headers: () => spoiled('key', { revoked_at: past, revocation_reason: 'manual' }), refusal: unauthenticated },
  { caller: 'an expired key', headers: () => spoiled('key', { expires_at: past }), refusal: unauthenticated },
  { caller: 'a revoked session', headers: () => spoiled('session', { revoked_at: past }), refusal: unauthenticated },
  { caller: 'an expired session', headers: () => spoiled('session', { expires_at: past }), refusal: unauthenticated },
  { caller: 'a revoked agent credential', headers: () => spoiled('credential', { revoked_at: past }), refusal: unauthenticated },
  { caller: 'an expired agent credential', headers: () => spoiled('credential', { expires_at: past }), refusal: unauthenticated },
  {
    caller: 'an agent',
    headers: () => bearer(home.agent.credential),
    refusal: (endpoint) => {
      if (endpoint.auth === 'none' || endpoint.auth === 'agent') return undefined;
      return wrongKind(endpoint, endpoint.permission !== undefined && mayHold('agent', endpoint.permission));
    },
  },
  { caller: "an owner's key", headers: () => liveKey(home.organization.owner), refusal: full('api_key') },
  { caller: "an owner's session", headers: () => liveSession(home.organization.owner), refusal: full('human') },
  { caller: 'a key of a member without grants', headers: () => bearer(bare.apiKey), refusal: lacking('api_key', 'missing_permission') },
  { caller: 'a session of a member without grants', headers: () => liveSession(bare), refusal: lacking('human', 'missing_permission') },
  { caller: 'a key of a member with grants for another agent', headers: () => bearer(elsewhere.apiKey), refusal: outsideScope },
];

/** What stands before the permissions: each row with the endpoints it is about. */
const barred: readonly (Caller & { readonly at: (endpoint: Endpoint) => boolean })[] = [
  {
    caller: 'a suspended member',
    at: ({ auth }) => auth === 'member' || auth === 'session',
    headers: () => cookie(suspended),
    refusal: () => ({ code: 'membership_inactive' }),
  },
  {
    caller: 'a key where the organization allows none',
    at: ({ auth }) => auth === 'member',
    headers: async () => {
      const { id, owner } = await createOrganization(app);
      await app.db('organizations').where({ id }).update({ personal_api_keys_allowed: false });
      return bearer(owner.apiKey);
    },
    refusal: () => ({ code: 'api_keys_disabled' }),
  },
  {
    caller: 'a key narrowed to nothing',
    at: ({ auth }) => auth === 'member',
    headers: () => spoiled('key', { permissions: [] }),
    refusal: lacking('api_key', 'key_narrowed'),
  },
  {
    caller: 'an instance of a disabled agent',
    at: ({ auth }) => auth === 'agent',
    headers: async () => {
      const { slug, credential } = await createAgent(app, home.organization);
      await app.db('agents').where({ slug }).update({ status: 'disabled' });
      return bearer(credential);
    },
    refusal: () => ({ code: 'agent_disabled' }),
  },
  {
    caller: 'a disabled instance',
    at: ({ auth }) => auth === 'agent',
    headers: async () => {
      const { instanceId, credential } = await createInstance(app, home.organization, home.agent.slug);
      await app.db('agent_instances').where({ id: instanceId }).update({ status: 'disabled' });
      return bearer(credential);
    },
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
    caller: 'a session that does not say from which page',
    at: ({ auth, method }) => auth !== 'agent' && auth !== 'none' && method !== 'get',
    headers: () => ({ cookie: home.organization.owner.cookie }),
    refusal: () => ({ code: 'cross_site_request' }),
  },
];

const named = endpoints.map((endpoint) => ({ name: `${endpoint.method.toUpperCase()} ${endpoint.path}`, endpoint }));

/** The credential that opens the endpoint, of the owner or the agent of `world`. */
async function rightHeaders({ auth }: Endpoint, { organization, agent }: World): Promise<Headers> {
  if (auth === 'agent') return bearer(agent.credential);
  return auth === 'session' ? await liveSession(organization.owner) : await liveKey(organization.owner);
}

async function expectRefusal(endpoint: Endpoint, { headers, refusal }: Caller): Promise<void> {
  const params = paramsIn(home, endpoint);
  const answer = await send(endpoint, { params, headers: await headers() });
  const expected = refusal(endpoint);
  if (!expected) return;
  expect({ status: answer.status, code: answer.body['error']?.['code'] }).toEqual({ status: statusOf(expected.code), code: expected.code });
  if (expected.code !== 'permission_denied') return;
  expect(answer.body['error']?.['details']).toEqual(expected.reason && forbiddenDetails(endpoint, { params, reason: expected.reason }));
}

function forbiddenDetails({ permission, permissionAt }: Endpoint, { params, reason }: { params: Params; reason: string }) {
  const target = permissionAt?.(params as never) ?? { kind: 'organization' };
  if (target.kind === 'agent') return { permission, scope_kind: 'agent', scope_id: target.slug, reason };
  return { permission, scope_kind: 'organization', reason };
}

describe("another organization's objects", () => {
  const unknown: Params = { id: randomUUID(), slug: 'no-such-agent', agent_slug: 'no-such-agent', path_key: 'no-such-path', revision: '1' };

  const outcome = ({ status, body }: Answer, params: Params) => ({
    status,
    code: body['error']?.['code'] as unknown,
    message: Object.entries(params).reduce((text, [name, value]) => text.replaceAll(value, name), String(body['error']?.['message'])),
  });

  // A revision number alone names a document of the caller's own organization.
  const ofObjects = named.filter(({ endpoint }) => endpoint.path.replace('{revision}', '').includes('{'));
  test.each(ofObjects)('$name: are not there', async ({ endpoint }) => {
    const headers = await rightHeaders(endpoint, foreign);
    const params = paramsIn(home, endpoint);
    const found = await send(endpoint, { params, headers });
    const missing = await send(endpoint, { params: { ...params, ...unknown }, headers });
    expect(outcome(found, params)).toEqual(outcome(missing, unknown));
    expect(found.body['error']?.['code']).toBe(endpoint.body && found.status === 400 ? 'validation_failed' : 'not_found');
  });

  const lists = named.filter(({ endpoint }) => endpoint.auth !== 'none' && endpoint.method === 'get' && !endpoint.path.includes('{'));
  test.each(lists)('$name: are not listed', async ({ endpoint }) => {
    const answer = await send(endpoint, { params: {}, headers: await rightHeaders(endpoint, foreign) });
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain(home.organization.id);
    expect(answer.text).not.toContain(home.agent.slug);
  });
});

describe.each(callers)('$caller', (caller) => {
  test.each(named)('$name: is answered as declared', async ({ endpoint }) => {
    await expectRefusal(endpoint, caller);
  });
});

describe.each(barred)('$caller', (caller) => {
  test.each(named.filter(({ endpoint }) => caller.at(endpoint)))('$name: is refused', async ({ endpoint }) => {
    await expectRefusal(endpoint, caller);
  });
});

describe('the right caller', () => {
  test.each(named.filter(({ endpoint }) => endpoint.auth !== 'none'))('$name: is let in', async ({ endpoint }) => {
    const answer = await send(endpoint, { params: paramsIn(home, endpoint), headers: await rightHeaders(endpoint, home) });
    expect([401, 403]).not.toContain(answer.status);
  });
});

describe('a query parameter nobody declared', () => {
  test.each(named)('$name: is refused by its name', async ({ endpoint }) => {
    const unknown = { ...endpoint, path: `${endpoint.path}?surprise=1` };
    const headers = endpoint.auth === 'none' ? {} : await rightHeaders(endpoint, home);
    const answer = await send(unknown, { params: paramsIn(home, endpoint), headers });
    const issue = { pointer: '/query/surprise', code: 'unknown_field' };
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'validation_failed', details: { issues: [issue] } } } });
  });
});

describe('the routes of operators', () => {
  test('serve the committed description of the interface', async () => {
    const answer = await fetch(`${app.url}/api/openapi.yaml`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/yaml']);
    expect(await answer.text()).toBe(readFileSync(join(packageRoot(), 'api/openapi.yaml'), 'utf8'));
  });

  test('answer the process is alive and, where Temporal is away, what is not ready', async () => {
    expect((await app.http.get('/health/live')).body).toEqual({ status: 'ok' });
    const ready = await app.http.get('/health/ready');
    expect(ready.status).toBe(503);
    expect(Number(ready.headers['retry-after'])).toBeGreaterThan(0);
    const parts = Object.values(ready.body['checks'] as unknown as Record<string, { status: string }>);
    expect(new Set(parts.map(({ status }) => status))).toEqual(new Set(['ok', 'unavailable']));
  });
});
