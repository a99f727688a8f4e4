/** Who loses a permission while he waits for others to be done is refused, as if he had come after them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { Answer } from '../../support/http.ts';
import { untilBlocked } from '../../support/waiting.ts';

let app: TestApp;
let organization: TestOrganization;
let teamId: string;
let keyId: string;

beforeAll(async () => {
  app = await startApp({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
  organization = await createOrganization(app);
  teamId = await createTeam(app, organization.id);
  keyId = (await createOrganizationKey(app, organization)).id;
});

afterAll(() => app.close());

const changes: readonly {
  readonly change: string;
  readonly permission: string;
  readonly make: (caller: TestMember) => Promise<Answer>;
  readonly status: number;
}[] = [
  {
    change: 'creating a team',
    permission: 'team.write',
    make: ({ http }) => http.post('/api/v1/teams', { name: 'On call' }),
    status: 201,
  },
  {
    change: 'renaming a team',
    permission: 'team.write',
    make: ({ http }) =>
      http.call('PATCH', `/api/v1/teams/${teamId}`, { body: { name: 'Night shift' } }),
    status: 200,
  },
  {
    change: 'finishing the guided setup',
    permission: 'organization.settings.write',
    make: ({ http }) => http.post('/api/v1/organization/onboarding/complete'),
    status: 204,
  },
  {
    change: 'revoking a key',
    permission: 'api_key.revoke',
    make: ({ browser }) => browser.delete(`/api/v1/api_keys/${keyId}`),
    status: 204,
  },
];

test.each(changes)(
  '$change: is refused, and succeeds while the permission stays',
  async ({ permission, make, status }) => {
    const policies = [{ scope_kind: 'organization' as const, permissions: [permission] }];
    const caller = await createMember(app, organization.id, { policies });
    const { body } = await app.db
      .transaction(async (gate) => {
        await gate('organizations').where({ id: organization.id }).forUpdate().first('id');
        const answer = make(caller);
        await untilBlocked(app.db);
        await gate('permission_policies').where({ membership_id: caller.membershipId }).delete();
        return { answer };
      })
      .then(async ({ answer }) => await answer);
    expect(body['error']).toMatchObject({ code: 'permission_denied', details: { permission } });
    expect((await make(await createMember(app, organization.id, { policies }))).status).toBe(
      status,
    );
  },
);
