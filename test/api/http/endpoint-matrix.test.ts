/**
 * Every endpoint against every kind of caller. The declaration alone determines what to expect, so
 * a new endpoint is covered as soon as it is listed. `hosted` serves everything; `open` is called
 * where the editions differ.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../../api/http/endpoint.ts';
import { endpoints } from '../../../api/endpoints.ts';
import { statusOf } from '../../../api/http/problems/problem.ts';
import { mayHold, type PermissionHolder } from '../../../src/domain/people/permissions.ts';
import { packageRoot } from '../../../src/platform/package-root.ts';
import type { Answer } from '../../support/http.ts';
import { opens, targetOf } from '../../support/matrix/admission.ts';
import {
  acquaintances,
  barred,
  strangers,
  withoutCredential,
  type Caller,
} from '../../support/matrix/callers.ts';
import {
  bearer,
  everything,
  expectOpened,
  startEdition,
  type Headers,
} from '../../support/matrix/service.ts';
import { createWorld, paramsIn, type Params, type World } from '../../support/matrix/world.ts';
import { createMember, createOrganizationKey, type Policy } from '../../support/scene/factories.ts';
import { until } from '../../support/waiting.ts';

const hosted = await startEdition('hosted');
const open = await startEdition('open');
const { app, cookie, rightHeaders, send, sendAnyhow } = hosted;
/** `home` owns the objects in the paths. */
const [home, foreign] = [await createWorld(app), await createWorld(app)];

afterAll(async () => {
  await Promise.all([hosted.app.close(), open.app.close()]);
});

const named = endpoints.map((endpoint) => ({
  name: `${endpoint.method.toUpperCase()} ${endpoint.path}`,
  endpoint,
}));
const guarded = named.filter(({ endpoint }) => endpoint.auth !== 'none');
const hostedOnly = named.filter(({ endpoint }) => endpoint.edition === 'hosted');

/** With what its query must have. */
const withQuery = (endpoint: Endpoint): Endpoint =>
  endpoint.operationId === 'listSeenArguments'
    ? { ...endpoint, path: `${endpoint.path}?tool=deploy` }
    : endpoint;

/** One endpoint that reads and one that changes, of each kind of authentication. */
const samples = ['get', 'post'].flatMap((method) =>
  Object.keys(opens).flatMap((auth) =>
    named
      .filter(({ endpoint }) => endpoint.auth === auth && endpoint.method === method)
      .slice(0, 1),
  ),
);
const guardedSamples = samples.filter(({ endpoint }) => endpoint.auth !== 'none');

test('the samples cover every kind of authentication', () => {
  expect(new Set(samples.map(({ endpoint }) => endpoint.auth))).toEqual(
    new Set(Object.keys(opens)),
  );
});

async function expectRefusal(endpoint: Endpoint, { headers, refusal }: Caller): Promise<void> {
  const params = paramsIn(home, endpoint);
  const answer = await send(endpoint, { params, headers: await headers(endpoint) });
  const expected = refusal(endpoint, home);
  if (!expected) return expectOpened(answer);
  expect({ status: answer.status, code: answer.body['error']?.['code'] }).toEqual({
    status: statusOf(expected.code, endpoint.dialect),
    code: expected.code,
  });
  if (expected.code === 'permission_denied' && endpoint.dialect !== 'aap')
    expect(answer.body['error']?.['details']).toEqual(expected.details);
}

describe("another organization's objects", () => {
  const unknown: Params = {
    id: randomUUID(),
    policy_id: randomUUID(),
    slug: 'no-such-agent',
    agent_slug: 'no-such-agent',
    path_key: 'no-such-path',
    endpoint_key: 'no-such-endpoint',
    revision: '1',
    user_code: 'ABC-2345',
  };

  const outcome = ({ status, body }: Answer, params: Params) => ({
    status,
    code: body['error']?.['code'] as unknown,
    message: Object.entries(params).reduce(
      (text, [name, value]) => text.replaceAll(value, name),
      String(body['error']?.['message']),
    ),
  });

  // A revision number alone names a document of the caller's own organization. So does a key whose
  // first revision makes its endpoint.
  const ofObjects = guarded.filter(
    ({ endpoint: { operationId, path } }) =>
      path.replace('{revision}', '').includes('{') &&
      operationId !== 'createWebhookEndpointRevision',
  );
  test.each(ofObjects)('$name: answers not found', async ({ endpoint: declared }) => {
    const endpoint = withQuery(declared);
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
    const { organization, agent, member, teamId, invitation, organizationKeyId } = home;
    const ids = [member.membershipId, teamId, agent.slug, organizationKeyId];
    const query = endpoint.operationId === 'listNames' ? `?ids=${ids.join(',')}` : '';
    const answer = await send(
      { ...endpoint, path: `${endpoint.path}${query}` },
      { params: {}, headers: await rightHeaders(endpoint, foreign) },
    );
    expect(answer.status).toBe(200);
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
  let unchanged: World;

  beforeAll(async () => {
    unchanged = await createWorld(app);
  });

  const reads = named.filter(
    ({ endpoint }) => endpoint.method === 'get' && endpoint.path.includes('{'),
  );
  test.each(reads)('$name: finds what the path names', async ({ endpoint }) => {
    const answer = await send(withQuery(endpoint), {
      params: paramsIn(unchanged, endpoint),
      headers: await rightHeaders(endpoint, unchanged),
    });
    expect(answer.status).toBe(200);
  });

  /** The kinds that can hold the permission and open the endpoint. */
  const permitted = guarded.flatMap(({ name, endpoint }) =>
    opens[endpoint.auth]
      .filter((kind) => kind !== 'agent' && kind !== 'provisioner')
      .filter((holder) => endpoint.permission !== undefined && mayHold(holder, endpoint.permission))
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

  const holders = new Map<string, Promise<Headers>>();
  function headersOfHolder(holder: PermissionHolder, policies: readonly Policy[]) {
    const key = JSON.stringify([holder, policies]);
    const headers = holders.get(key) ?? createHolder(holder, policies);
    holders.set(key, headers);
    return headers;
  }

  async function createHolder(
    holder: PermissionHolder,
    policies: readonly Policy[],
  ): Promise<Headers> {
    if (holder === 'organization_api_key')
      return bearer((await createOrganizationKey(app, home.organization, policies)).token);
    const member = await createMember(app, home.organization.id, { policies });
    return holder === 'human' ? cookie(member) : bearer(member.apiKey);
  }
});

/** The rows of these callers, each with the endpoints that it calls. */
function describeCallers(callers: readonly Caller[], at: readonly (typeof named)[number][]): void {
  describe.each(callers)('$caller', (caller) => {
    test.each(at.filter(({ endpoint }) => caller.at?.(endpoint) ?? true))(
      '$name: is answered as declared',
      async ({ endpoint }) => {
        await expectRefusal(endpoint, caller);
      },
    );
  });
}

describeCallers(withoutCredential, named);
describeCallers(await acquaintances(hosted, home), named);
describeCallers(await strangers(hosted, home), samples);
describeCallers(await barred(hosted, home), samples);

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
  // An identity provider may add parameters of its own to the redirect, and so may a client of OAuth.
  const lenient = ['finishSingleSignOn', 'beginOAuthAuthorization'];
  const strict = named.filter(({ endpoint }) => !lenient.includes(endpoint.operationId));
  test.each(strict)('$name: is refused by name', async ({ endpoint }) => {
    // This file makes more sign-in attempts a minute than one network may.
    if (endpoint.attempt) await app.db('sign_in_attempts').delete();
    const unknown = { ...endpoint, path: `${endpoint.path}?surprise=1` };
    const headers = endpoint.auth === 'none' ? {} : await rightHeaders(endpoint, home);
    const answer = await send(unknown, { params: paramsIn(home, endpoint), headers });
    if (endpoint.dialect === 'oauth')
      return expect(answer.body).toEqual({
        error: 'invalid_request',
        error_description: expect.stringContaining('surprise'),
      });
    expect([answer.status, answer.body['error']?.['code']]).toEqual([400, 'validation_failed']);
    if (endpoint.dialect === 'aap') return expect(answer.body['error']?.['param']).toBe('surprise');
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
  let organizationKey: string;

  beforeAll(async () => {
    world = await createWorld(open.app);
    const policies = [everything('organization', [], 'organization_api_key')];
    ({ token: organizationKey } = await createOrganizationKey(
      open.app,
      world.organization,
      policies,
    ));
  });

  const outcome = async (endpoint: Endpoint, headers: Headers) => {
    const { status, body } = await open.send(endpoint, {
      params: paramsIn(world, endpoint),
      headers,
    });
    return [status, body['error']?.['code']];
  };

  test.each(hostedOnly)('$name: does not exist for authenticated callers', async ({ endpoint }) => {
    const { owner } = world.organization;
    for (const headers of [
      open.cookie(owner),
      bearer(owner.apiKey),
      bearer(world.agent.credential),
    ])
      expect(await outcome(endpoint, headers)).toEqual([404, 'not_found']);
    expect(await outcome(endpoint, {})).toEqual([401, 'authentication_required']);
  });

  test.each(guardedSamples)('$name: accepts no organization key', async ({ endpoint }) => {
    expect(await outcome(endpoint, bearer(organizationKey))).toEqual([
      401,
      'authentication_required',
    ]);
  });

  test.each(guarded.filter(({ endpoint }) => endpoint.edition !== 'hosted'))(
    '$name: serves everything that is not hosted',
    async ({ endpoint }) => {
      expectOpened(
        await open.send(endpoint, {
          params: paramsIn(world, endpoint),
          headers: await open.rightHeaders(endpoint, world),
        }),
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
    // Each part has two seconds, which a busy machine may need for itself.
    await until('the database answers in time, and Temporal does not', async () => {
      const ready = await app.http.get('/health/ready');
      expect(ready.status).toBe(503);
      expect(Number(ready.headers['retry-after'])).toBeGreaterThan(0);
      const parts = Object.values(
        ready.body['checks'] as unknown as Record<string, { status: string }>,
      );
      return new Set(parts.map(({ status }) => status)).size === 2;
    });
  });
});
