/** What the organization and its people change after a client was let in counts for it: at each use, and at each refresh. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { ApiResponse } from '../../support/http.ts';
import { oauthOf, refusalOf, tokensIn, VERIFY } from './oauth-scene.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
const { register, refresh, letIn, withToken } = oauthOf(app);

let organization: TestOrganization;
let ada: TestMember;
let client: string;

beforeEach(async () => {
  await app.db('sign_in_attempts').delete();
  organization = await createOrganization(app);
  ada = await createMember(app, organization.id, {
    policies: [
      {
        scope_kind: 'organization',
        permissions: ['api_key.issue', 'request.read', 'agent.read', 'agent.write'],
      },
    ],
  });
  client = await register();
});

const INVALID = [400, 'invalid_grant'];
const HOUR_MS = 3_600_000;
const ofOrganization = () => app.db('organizations').where({ id: organization.id });
const limitKeys = async (seconds: number | null) => {
  await ofOrganization().update({ max_api_key_lifetime_seconds: seconds });
};
const allowKeys = async (isAllowed: boolean) => {
  await ofOrganization().update({ personal_api_keys_allowed: isAllowed });
};
const keyOf = async (access: string) =>
  (await withToken(access).get(VERIFY)).body['key'] as unknown as Readonly<Record<string, string>>;
const grants = () => app.db('oauth_grants').where({ organization_id: organization.id });
/** As if the client had been let in `hours` ago. */
const letInBefore = async (hours: number) => {
  await app.db.raw(
    `update api_keys set created_at = created_at - make_interval(hours => :hours)
      where id in (select api_key_id from oauth_grants where organization_id = :organization)`,
    { hours, organization: organization.id },
  );
};
const outcome = ({ status, body }: ApiResponse) => [status, body['error']?.['code']];

describe('the longest life of a key, lowered', () => {
  test('cuts the grant, its key and its refresh token at the next refresh', async () => {
    const first = await letIn(ada, client);
    await limitKeys(7_200);
    const second = tokensIn(await refresh(client, first.refresh));
    const key = await keyOf(second.access);
    const end = Date.parse(key['created_at'] ?? '') + 2 * HOUR_MS;
    expect(Date.parse(key['expires_at'] ?? '')).toBe(end);
    const [grant] = await grants().select<{ ends_at: Date }[]>('ends_at');
    expect(grant?.ends_at.getTime()).toBe(end);
    const ends = await app
      .db('oauth_refresh_tokens')
      .whereIn('grant_id', grants().select('id'))
      .whereNull('used_at')
      .pluck<Date[]>('expires_at');
    expect(ends.map(Number)).toEqual([end]);
    // A limit that is raised again brings nothing back.
    await limitKeys(null);
    const third = tokensIn(await refresh(client, second.refresh));
    expect(Date.parse((await keyOf(third.access))['expires_at'] ?? '')).toBe(end);
  });

  test('ends a grant that has lasted longer, with its access token', async () => {
    const { access, refresh: next } = await letIn(ada, client);
    await limitKeys(7_200);
    await letInBefore(3);
    expect((await withToken(access).get(VERIFY)).status).toBe(200);
    expect(refusalOf(await refresh(client, next))).toEqual(INVALID);
    expect((await withToken(access).get(VERIFY)).status).toBe(401);
    const { body } = await ada.browser.get('/api/v1/me/api_keys');
    const { keys } = body as unknown as { keys: { status: string; oauth_client?: object }[] };
    expect(keys.filter((key) => key.oauth_client).map(({ status }) => status)).toEqual(['revoked']);
    // Once, however often the client tries.
    expect(refusalOf(await refresh(client, next))).toEqual(INVALID);
    const events = app.db('audit_events').where({ organization_id: organization.id });
    expect(await events.where({ event_type: 'api_key.revoked' }).pluck('data')).toEqual([
      '{"reason":"lifetime_limit_lowered"}',
    ]);
  });

  test('shortens the access token that it gives', async () => {
    const { refresh: next } = await letIn(ada, client);
    await limitKeys(7_200);
    await letInBefore(1);
    await app
      .db('api_keys')
      .update({ created_at: app.db.raw(`created_at - interval '30 minutes'`) });
    const { access, expiresIn } = tokensIn(await refresh(client, next));
    expect(expiresIn).toBeGreaterThan(1_700);
    expect(expiresIn).toBeLessThanOrEqual(1_800);
    expect((await withToken(access).get(VERIFY)).status).toBe(200);
    // A client that lost the response learns the same.
    const again = tokensIn(await refresh(client, next));
    expect([again.access, again.expiresIn <= 1_800]).toEqual([access, true]);
  });

  test('leaves keys that people made by hand as they are: they get no new token', async () => {
    const before = await ada.http.get(VERIFY);
    await limitKeys(3_600);
    const after = await ada.http.get(VERIFY);
    expect([after.status, after.body['key']?.['expires_at']]).toEqual([
      200,
      before.body['key']?.['expires_at'],
    ]);
  });
});

test('personal keys that the organization forbids stop at use and at refresh, and work again when it allows them', async () => {
  const { access, refresh: next } = await letIn(ada, client);
  await allowKeys(false);
  expect(outcome(await withToken(access).get(VERIFY))).toEqual([403, 'api_keys_disabled']);
  expect(refusalOf(await refresh(client, next))).toEqual(INVALID);
  await allowKeys(true);
  expect((await withToken(access).get(VERIFY)).status).toBe(200);
  expect((await refresh(client, next)).status).toBe(200);
});

test('a repeated refresh is refused too while personal keys are forbidden, and after a suspension', async () => {
  const { refresh: next } = await letIn(ada, client);
  const second = tokensIn(await refresh(client, next));
  await allowKeys(false);
  expect(refusalOf(await refresh(client, next))).toEqual(INVALID);
  await allowKeys(true);
  const member = app.db('memberships').where({ id: ada.membershipId });
  await member.clone().update({ status: 'suspended' });
  expect(refusalOf(await refresh(client, next))).toEqual(INVALID);
  expect((await withToken(second.access).get(VERIFY)).status).toBe(403);
  await member.clone().update({ status: 'active' });
  expect(tokensIn(await refresh(client, next)).access).toBe(second.access);
});

test.each([
  ['that carries everything', {}],
  ['that was scoped', { permissions: ['request.read', 'agent.read', 'agent.write'] }],
])('a key %s narrows with its member, at use and at refresh', async (_which, chosen) => {
  const resource = `${app.url}/api/v1`;
  const { access, refresh: next, scope } = await letIn(ada, client, { resource, ...chosen });
  expect(scope).toBe('agent.read agent.write request.read');
  await app
    .db('permission_policies')
    .where({ membership_id: ada.membershipId })
    .update({ permissions: ['request.read'] });
  const agents = '/api/v1/agents';
  expect(outcome(await withToken(access).get(agents))).toEqual([403, 'permission_denied']);
  const second = tokensIn(await refresh(client, next));
  expect(second.scope).toBe('request.read');
  const posted = await withToken(second.access).post(agents, { slug: 'wide', name: 'Wide' });
  expect(outcome(posted)).toEqual([403, 'permission_denied']);
  expect((await withToken(second.access).get('/api/v1/requests')).status).toBe(200);
});
