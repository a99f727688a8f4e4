/** Previews of what is not saved: the escalation policy of a team, and a path for one agent. */
import { expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { issuesOf } from '../../support/refusals.ts';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import { activatePolicy, createTeam } from '../../support/scene/factories.ts';
import { level, user } from '../../support/scene/nodes.ts';

const { app, organization, owner, people, person } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, eve: REVIEWER },
});
const { ada, bob, eve } = people;
const teamId = await createTeam(app, organization.id, { name: 'Desk', members: [ada, bob] });
const everyone = { type: 'broadcast' };
const policy = (...nodes: object[]) => ({ nodes });
const preview = (document: object, more: object = {}, member = owner) =>
  member.http.post('/api/v1/escalation-paths/preview', { document, team_id: teamId, ...more });

interface Step {
  readonly kind: string;
  readonly members?: readonly { readonly membership_id: string }[];
}
const asked = (answer: { readonly body: unknown }) =>
  (answer.body as { steps: readonly Step[] }).steps
    .filter(({ kind }) => kind === 'level_notified')
    .map(({ members = [] }) => members.map(({ membership_id: id }) => id).toSorted());

test('asks members of the team only, whatever policy is active', async () => {
  await activatePolicy(owner, teamId, policy(level([user(bob)], '5m')));
  const split = {
    ...{ id: randomUUID(), type: 'if_else' },
    conditions: [{ type: 'urgency', urgency: 'standard' }],
    then: [level([everyone], '10m')],
    else: [],
  };
  const answer = await preview(policy(level([user(ada)], '5m'), split));
  expect(answer.status).toBe(200);
  const all = [ada.membershipId, bob.membershipId].toSorted();
  expect(asked(answer)).toEqual([[ada.membershipId], all]);
});

test('refuses others than members, and teams, each with a pointer into the body', async () => {
  const stranger = await preview(policy(level([user(eve)], '5m')));
  expect(issuesOf(stranger)).toMatchObject([
    { pointer: '/document/nodes/0/targets/0/id', code: 'unknown_target' },
  ]);
  const both = await preview(policy(level([everyone, user(ada)], '5m')));
  expect(issuesOf(both)).toMatchObject([{ code: 'broadcast_not_alone' }]);
  const none = await owner.http.post('/api/v1/escalation-paths/preview', { team_id: teamId });
  expect([none.status, issuesOf(none)]).toMatchObject([400, [{ pointer: '/document' }]]);
});

test('is 404 for a team that is not there, and for callers who may not see it', async () => {
  const document = policy(level([everyone], '5m'));
  expect((await preview(document, { team_id: randomUUID() })).status).toBe(404);
  const aside = await person({ policies: [everywhere('escalation_path.read')] });
  expect((await preview(document, {}, aside)).status).toBe(404);
  const reader = await person({ policies: [everywhere('escalation_path.read', 'team.read')] });
  expect((await preview(document, {}, reader)).status).toBe(200);
});

test('of a path says who cannot decide for the agent, though for others', async () => {
  const ofBot = { scope_kind: 'agent' as const, resource_ids: ['bot'] };
  const some = await person({ policies: [{ ...ofBot, permissions: ['request.decide'] }] });
  const none = await person({ can: [] });
  const nodes = [level([user(ada), user(some), user(none)], '5m')];
  const previewFor = async (slug: string) => {
    const answer = await owner.http.post('/api/v1/escalation-paths/preview', {
      document: { name: 'Refunds', nodes },
      agent: { slug, name: 'Support bot' },
      request: { tool: 'refund', arguments: {} },
    });
    return (
      answer.body as unknown as { warnings: { code: string; membership_id: string }[] }
    ).warnings.filter(({ code }) => code === 'user_cannot_decide');
  };
  expect(await previewFor('bot')).toMatchObject([{ membership_id: none.membershipId }]);
  const other = await previewFor('other');
  expect(other.find((each) => each.membership_id === some.membershipId)).toMatchObject({
    ...{ agent_slug: 'other', agent_name: 'Support bot' },
  });
  expect(other.find((each) => each.membership_id === none.membershipId)).not.toHaveProperty(
    'agent_slug',
  );
  expect(other).toHaveLength(2);
});
