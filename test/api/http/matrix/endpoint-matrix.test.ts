/**
 * Who may call what. The declarations alone determine what to expect, so a new endpoint is covered as soon as it is listed.
 * Here, every caller meets one endpoint of each class, and every endpoint what is its own. The night has every pair.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mayHold, type PermissionHolder } from '../../../../src/domain/people/permissions.ts';
import type { Answer } from '../../../support/http.ts';
import { opens, targetOf } from '../../../support/matrix/admission.ts';
import {
  acquaintances,
  barred,
  strangers,
  withoutCredential,
} from '../../../support/matrix/callers.ts';
import {
  guarded,
  named,
  oneOfEachClass,
  samples,
  withQuery,
} from '../../../support/matrix/endpoints.ts';
import { describeCallers } from '../../../support/matrix/rows.ts';
import { bearer, startEdition, type Headers } from '../../../support/matrix/service.ts';
import { createWorld, paramsIn, type Params, type World } from '../../../support/matrix/world.ts';
import {
  createMember,
  createOrganizationKey,
  type Policy,
} from '../../../support/scene/factories.ts';

const hosted = await startEdition('hosted');
const { app, cookie, rightHeaders, send } = hosted;
/** `home` owns the objects in the paths. */
const [home, foreign] = [await createWorld(app), await createWorld(app)];
afterAll(() => app.close());

test('the samples cover every kind of authentication', () => {
  expect(new Set(samples.map(({ endpoint }) => endpoint.auth))).toEqual(
    new Set(Object.keys(opens)),
  );
});

const callers = await acquaintances(hosted, home);
describeCallers(hosted, home, { callers: withoutCredential, at: named });
describeCallers(hosted, home, { callers, at: oneOfEachClass(home) });
describeCallers(hosted, home, { callers: await strangers(hosted, home), at: samples });
describeCallers(hosted, home, { callers: await barred(hosted, home), at: samples });

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
  test.each(ofObjects)('$name: looks like a missing one', async ({ endpoint: declared }) => {
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
