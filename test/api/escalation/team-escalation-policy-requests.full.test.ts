/** How requests meet the escalation policies of teams. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import { ask, askUnevaluated, stepAt } from '../../support/scene/approval-requests.ts';
import {
  activatePath,
  activatePipeline,
  activatePolicy,
  createAgent,
  createTeam,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { codeOf, idsOf, TEAMS } from '../../support/scene/teams.ts';
import { untilBlocked } from '../../support/waiting.ts';
import { lockPathOf } from '../../../src/data/requests/engine/lock.ts';
import { user } from '../../support/scene/nodes.ts';
import { level, asks, createPolicyTeam, policyCalls } from './team-policy-scene.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
let organization: TestOrganization;
let owner: TestMember;
let ada: TestMember;
let bob: TestMember;
let teamId: string;

beforeEach(async () => {
  ({ organization, owner, ada, bob, teamId } = await createPolicyTeam(app));
});

const { deactivate } = policyCalls(app, () => ({
  organization,
  owner,
  teamId,
}));

describe('a request whose path asks a team', () => {
  const MINUTE = 60_000;
  const human = {
    blocks: [
      {
        id: 'ask',
        name: 'Ask',
        type: 'always',
        config: { outcome: 'human', reason: 'Look.', escalation_path: 'on-call' },
      },
    ],
  };

  /** The names of the people notified, in order. */
  async function notified(id: string): Promise<string[]> {
    const rows = await app
      .db('notifications as n')
      .join('memberships as m', 'm.id', 'n.membership_id')
      .join('users as u', 'u.id', 'm.user_id')
      .where({ 'n.request_id': id })
      .orderBy(['n.created_at', 'u.display_name'])
      .pluck<string[]>('u.display_name');
    return rows;
  }

  test('keeps its revisions; a later policy counts from the next level that asks the team', async () => {
    const team = { type: 'team', id: teamId };
    const agent = await createAgent(app, organization);
    await activatePath(owner, {
      path_key: 'on-call',
      name: 'On call',
      nodes: [level([team], randomUUID(), '30m'), level([team], randomUUID(), '30m')],
    });
    await activatePipeline(owner, 'organization', human);
    await activatePolicy(owner, teamId, {
      nodes: [level([user(ada)], randomUUID(), '10m'), level([user(bob)], randomUUID(), '10m')],
    });
    const start = Date.now();
    const id = await ask(app, agent, { timeout: '24h' });
    const after = (minutes: number) => stepAt(app, id, new Date(start + minutes * MINUTE));
    expect(await notified(id)).toEqual(['Ada']);
    // The path and the policy change while the request is inside the team's first level.
    await activatePolicy(owner, teamId, asks(bob));
    const path = '/api/v1/escalation-paths/on-call/revisions';
    await owner.http.post(path, { name: 'Other', nodes: [level([user(owner)])] });
    expect(
      (await owner.http.post(`${path}/2/activate`, undefined, { headers: { 'if-match': '"1"' } }))
        .status,
    ).toBe(200);
    await after(11);
    expect(await notified(id)).toEqual(['Ada', 'Bob']);
    await after(29);
    expect(await notified(id)).toEqual(['Ada', 'Bob']);
    await after(31);
    expect(await notified(id)).toEqual(['Ada', 'Bob', 'Bob']);
    await after(62);
    expect(await notified(id)).toEqual(['Ada', 'Bob', 'Bob']);
  });

  test('asks the whole team at once if its policy is deactivated or was never created', async () => {
    const agent = await createAgent(app, organization);
    const bare = await createTeam(app, organization.id, { members: [ada] });
    const nodes = [level([{ type: 'team', id: teamId }]), level([{ type: 'team', id: bare }])];
    await activatePath(owner, { path_key: 'on-call', name: 'On call', nodes });
    await activatePipeline(owner, 'organization', human);
    await activatePolicy(owner, teamId, asks(bob));
    await deactivate('"1"');
    const id = await ask(app, agent, { timeout: '24h' });
    expect(await notified(id)).toEqual(['Ada', 'Bob']);
    await stepAt(app, id, new Date(Date.now() + 6 * MINUTE));
    expect(await notified(id)).toEqual(['Ada', 'Bob', 'Ada']);
  });

  test('skips people who left the team, and empty teams, at once, and records that', async () => {
    const agent = await createAgent(app, organization);
    const empty = await createTeam(app, organization.id);
    const nodes = [level([{ type: 'team', id: empty }]), level([{ type: 'team', id: teamId }])];
    await activatePath(owner, { path_key: 'on-call', name: 'On call', nodes });
    await activatePipeline(owner, 'organization', human);
    const [first, second] = [level([user(ada)]), level([user(bob)])];
    await activatePolicy(owner, teamId, { nodes: [first, second] });
    const body = { membership_ids: idsOf(bob), force: true };
    expect((await owner.http.call('PUT', `${TEAMS}/${teamId}/members`, { body })).status).toBe(200);
    const id = await ask(app, agent, { timeout: '24h' });
    expect(await notified(id)).toEqual(['Bob']);
    const { body: timeline } = await owner.http.get(`/api/v1/requests/${id}/timeline`);
    const seen = (
      timeline as unknown as { events: { event_type: string; data: Record<string, unknown> }[] }
    ).events.slice(-3);
    expect(seen).toMatchObject([
      { event_type: 'approval_request.level_skipped', data: { node_id: nodes[0]?.id } },
      {
        event_type: 'approval_request.level_skipped',
        data: { node_id: nodes[1]?.id, team_id: teamId, team_node_id: first.id },
      },
      {
        event_type: 'approval_request.level_notified',
        data: { node_id: nodes[1]?.id, team_id: teamId, team_node_id: second.id },
      },
    ]);
  });

  test('prevents archiving the team while it waits, even after the path stopped asking the team', async () => {
    const agent = await createAgent(app, organization);
    await activatePath(owner, {
      path_key: 'on-call',
      name: 'On call',
      nodes: [level([{ type: 'team', id: teamId }])],
    });
    await activatePipeline(owner, 'organization', human);
    const [first, second] = [
      await ask(app, agent, { timeout: '2h' }),
      await ask(app, agent, { timeout: '1h' }),
    ];
    const archive = () => owner.http.delete(`${TEAMS}/${teamId}`);
    const refused = await archive();
    expect(codeOf(refused)).toEqual({ status: 409, code: 'team_in_escalation_path' });
    expect(refused.body['error']?.['details']).toEqual({
      escalation_paths: [{ path_key: 'on-call', name: 'On call', revision: 1 }],
      request_count: 2,
      request_ids: [second, first],
    });
    const path = '/api/v1/escalation-paths/on-call/revisions';
    await owner.http.post(path, { name: 'Other', nodes: [level()] });
    await owner.http.post(`${path}/2/activate`, undefined, { headers: { 'if-match': '"1"' } });
    const decide = (id: string) =>
      owner.http.post(
        `/api/v1/requests/${id}/decision`,
        { status: 'denied' },
        { headers: { 'idempotency-key': randomUUID() } },
      );
    expect((await decide(first)).status).toBe(200);
    expect((await archive()).body['error']?.['details']).toEqual({
      escalation_paths: [],
      request_count: 1,
      request_ids: [second],
    });
    expect((await decide(second)).status).toBe(200);
    expect((await archive()).status).toBe(204);
    const again = await owner.http.post(`${path}/1/activate`, undefined, {
      headers: { 'if-match': '"2"' },
    });
    expect(codeOf(again)).toEqual({ status: 409, code: 'escalation_target_missing' });
    expect(again.body['error']?.['details']).toEqual({ membership_ids: [], team_ids: [teamId] });
  });

  test('prevents archiving the team even if its path changes during the hand-over', async () => {
    const agent = await createAgent(app, organization);
    const pathRevisionId = await activatePath(owner, {
      path_key: 'on-call',
      name: 'On call',
      nodes: [level([{ type: 'team', id: teamId }])],
    });
    await activatePipeline(owner, 'organization', human);
    const id = await askUnevaluated(app, agent);
    const path = '/api/v1/escalation-paths/on-call/revisions';
    await owner.http.post(path, { name: 'Other', nodes: [level()] });
    const routing = await app.db.transaction();
    await lockPathOf(routing, pathRevisionId);
    const movedOn = owner.http.post(`${path}/2/activate`, undefined, {
      headers: { 'if-match': '"1"' },
    });
    await untilBlocked(routing);
    await routing('approval_requests').where({ id }).update({
      state: 'pending',
      routed_at: new Date(),
      route_source: 'block_escalation',
      route_scope: 'organization',
      escalation_path_revision_id: pathRevisionId,
    });
    await routing.commit();
    expect((await movedOn).status).toBe(200);
    const refused = await owner.http.delete(`${TEAMS}/${teamId}`);
    expect(refused.body['error']?.['details']).toEqual({
      escalation_paths: [],
      request_count: 1,
      request_ids: [id],
    });
  });
});
