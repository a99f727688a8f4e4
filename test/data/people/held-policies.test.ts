/** What a member holds through live teams. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createMember,
  createOrganization,
  createTeam,
  type TestOrganization,
} from '../../support/scene/factories.ts';

let app: TestApp;
let organization: TestOrganization;

beforeAll(async () => {
  app = await startApp();
  organization = await createOrganization(app);
});
afterAll(() => app.close());

test('a member holds what their teams hold, until the team is archived or they leave it', async () => {
  const member = await createMember(app, organization.id);
  const policies = [{ scope_kind: 'organization', permissions: ['agent.read'] }] as const;
  const [first, second] = [
    await createTeam(app, organization.id, { members: [member], policies }),
    await createTeam(app, organization.id, { members: [member], policies }),
  ];
  const listing = async () => (await member.http.get('/api/v1/agents')).status;
  expect(await listing()).toBe(200);
  const me = await member.browser.get('/api/v1/me');
  expect(me.body['principal']?.['team_ids']).toEqual([first, second].sort());
  expect(me.body['assignments']).toHaveLength(2);
  expect(me.body['assignments']?.[0]).toMatchObject({
    principal_id: member.membershipId,
    permissions: ['agent.read'],
  });
  await app.db('team_members').where({ team_id: first }).delete();
  expect(await listing()).toBe(200);
  await app.db('teams').where({ id: second }).update({ archived_at: new Date() });
  expect(await listing()).toBe(403);
  expect((await member.browser.get('/api/v1/me')).body['principal']?.['team_ids']).toEqual([]);
});

test('a member who is in a team twice holds its policies once, and other members hold none of them', async () => {
  const [inside, outside] = [
    await createMember(app, organization.id),
    await createMember(app, organization.id),
  ];
  const team = await createTeam(app, organization.id, {
    members: [inside],
    policies: [{ scope_kind: 'organization', permissions: ['agent.read'] }],
  });
  await app.db('team_members').insert({
    team_id: team,
    membership_id: inside.membershipId,
    source: 'directory',
    created_at: new Date(),
  });
  expect((await inside.browser.get('/api/v1/me')).body['assignments']).toHaveLength(1);
  expect((await outside.http.get('/api/v1/agents')).status).toBe(403);
});
