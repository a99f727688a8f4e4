/** GET /names: the names of ids, for members who may not read what the ids belong to. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { scene } from '../../support/scene.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
} from '../../support/scene/factories.ts';

const { app, organization, owner, people } = await scene({
  app: { environment: { COUNTERSIGN_EDITION: 'hosted' } },
  people: { ada: [] },
});
const member = people.ada;

const namesOf = async (ids: readonly string[]) => {
  const { status, body } = await member.browser.get(`/api/v1/names?ids=${ids.join(',')}`);
  expect(status).toBe(200);
  return body['names'];
};

test('names members, teams, agents, instances and keys in the order of the ids', async () => {
  const team = await createTeam(app, organization.id, { name: 'Night shift' });
  const agent = await createAgent(app, organization);
  const key = await createOrganizationKey(app, organization);
  await app.db('agent_instances').where({ id: agent.instanceId }).update({ name: 'laptop' });
  const ids = [agent.slug, key.id, owner.membershipId, team, agent.instanceId];
  expect(await namesOf(ids)).toEqual([
    { id: agent.slug, kind: 'agent', display_name: `Agent ${agent.slug}` },
    { id: key.id, kind: 'api_key', display_name: 'test integration' },
    { id: owner.membershipId, kind: 'member', display_name: owner.displayName },
    { id: team, kind: 'team', display_name: 'Night shift' },
    { id: agent.instanceId, kind: 'agent_instance', display_name: 'laptop' },
  ]);
});

test('keeps the names of removed members and archived teams', async () => {
  const gone = await createMember(app, organization.id);
  const team = await createTeam(app, organization.id);
  await app.db('memberships').where({ id: gone.membershipId }).update({ status: 'deprovisioned' });
  await app.db('teams').where({ id: team }).update({ archived_at: new Date() });
  expect(await namesOf([gone.membershipId, team])).toMatchObject([
    { id: gone.membershipId, display_name: gone.displayName },
    { id: team, kind: 'team' },
  ]);
});

test('leaves out ids of nothing, of other organizations and of personal keys', async () => {
  const elsewhere = await createOrganization(app);
  const agent = await createAgent(app, elsewhere, 'elsewhere-only');
  const { id: personal } = (await app
    .db('api_keys')
    .where({ membership_id: member.membershipId })
    .first('id')) as { id: string };
  const foreign = [
    elsewhere.owner.membershipId,
    agent.slug,
    agent.instanceId,
    personal,
    randomUUID(),
    'no-such-agent',
  ];
  expect(await namesOf(foreign)).toEqual([]);
});

test('answers each id once, in small letters', async () => {
  const { membershipId: id, displayName } = member;
  expect(await namesOf([id, id.toUpperCase(), id])).toEqual([
    { id, kind: 'member', display_name: displayName },
  ]);
});

test('takes 200 ids and no more', async () => {
  const ids = Array.from({ length: 201 }, () => randomUUID());
  expect(await namesOf(ids.slice(1))).toEqual([]);
  const { status, body } = await member.browser.get(`/api/v1/names?ids=${ids.join(',')}`);
  expect([status, body['error']?.['details']?.['issues']]).toMatchObject([
    400,
    [{ pointer: '/query/ids' }],
  ]);
});

test.each([
  ['?ids=', '/query/ids/0'],
  ['', '/query/ids'],
  ['?ids=bot,', '/query/ids/1'],
  ['?ids=Bot', '/query/ids/0'],
  ['?ids=a%2Fb', '/query/ids/0'],
  ['?ids=a&ids=b', '/query/ids'],
])('refuses %p', async (query, pointer) => {
  const { status, body } = await member.browser.get(`/api/v1/names${query}`);
  expect([status, body['error']?.['details']?.['issues']]).toMatchObject([400, [{ pointer }]]);
});
