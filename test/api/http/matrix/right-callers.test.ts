/** The right caller finds what the path names, and needs only the permission that the endpoint declares, at its scope. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mayHold, type PermissionHolder } from '../../../../src/domain/people/permissions.ts';
import { opens, targetOf } from '../../../support/matrix/admission.ts';
import { guarded, named, withQuery } from '../../../support/matrix/endpoints.ts';
import { bearer, startEdition, type Headers } from '../../../support/matrix/service.ts';
import { createWorld, paramsIn, type World } from '../../../support/matrix/world.ts';
import {
  createMember,
  createOrganizationKey,
  type Policy,
} from '../../../support/scene/factories.ts';

const hosted = await startEdition('hosted');
const { app, cookie, rightHeaders, send } = hosted;
/** `home` owns the objects in the paths. */
const home = await createWorld(app);
afterAll(() => app.close());

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
