/** Warnings about a team's policy that goes on longer than the level of a path that asks the team. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../support/scene.ts';
import { level, team as ofTeam, user } from '../../support/scene/nodes.ts';

const { owner, people, teams } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER },
  teams: { desk: ['ada', 'bob'] },
});
const { ada, bob } = people;
const PATHS = '/api/v1/escalation-paths';
const POLICY = `/api/v1/teams/${teams.desk}/escalation-policy/revisions`;

const activate = (at: string, revision: number, active: number) =>
  owner.http.post(`${at}/${revision}/activate`, undefined, {
    headers: { 'if-match': `"${active}"` },
  });
const policy = (first: string) => ({
  nodes: [level([user(ada)], first), level([user(bob)], '10m')],
});
const codes = (body: object) =>
  ((body as { warnings: { code: string }[] }).warnings ?? []).map(({ code }) => code);

test('they come when a path or a policy is saved, activated or previewed, and name the level', async () => {
  const [short, enough] = [level([ofTeam(teams.desk)], '15m'), level([ofTeam(teams.desk)], '1h')];
  const document = { name: 'On call', nodes: [short, enough] };
  const key = `path-${randomUUID()}`;
  const created = await owner.http.post(PATHS, { path_key: key, ...document });
  expect(created.body['warnings']).toEqual([]);
  expect((await activate(`${PATHS}/${key}/revisions`, 1, 0)).status).toBe(200);

  const about = {
    code: 'team_policy_longer_than_level',
    node_id: short.id,
    team_id: teams.desk,
    team_name: expect.any(String),
  };
  // The second person would be asked when the level is over.
  const saved = await owner.http.post(POLICY, policy('15m'));
  expect(saved.body['warnings']).toEqual([{ ...about, path_key: key }]);
  const active = await activate(POLICY, 1, 0);
  expect(active.body['warnings']).toEqual([{ ...about, path_key: key }]);

  const previewed = await owner.http.post(`${PATHS}/preview`, { path_key: key });
  expect(previewed.body['warnings']).toEqual([about]);
  const again = await owner.http.post(`${PATHS}/${key}/revisions`, document);
  expect(again.body['warnings']).toEqual([about]);
  expect((await activate(`${PATHS}/${key}/revisions`, 2, 1)).body['warnings']).toEqual([about]);
  expect(codes((await owner.http.get(`${PATHS}/${key}`)).body)).toEqual([]);

  expect(codes((await owner.http.post(POLICY, policy('14m'))).body)).toEqual([]);
});
