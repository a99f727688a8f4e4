/** Revisions of paths and teams' policies that change, end or return while a request walks: which one it goes by. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask, askUnevaluated, decide, stepAt } from '../../support/scene/approval-requests.ts';
import {
  activatePath,
  activatePipeline,
  activatePolicy,
  createAgent,
  createMember,
  createOrganization,
  createTeam,
  type TestAgent,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { Json } from '../../support/http.ts';
import { codeOf } from '../../support/scene/teams.ts';

const REVIEWER = [
  { scope_kind: 'organization' as const, permissions: ['request.read', 'request.decide'] },
];

let app: TestApp;
let organization: TestOrganization;
let owner: TestMember;
let agent: TestAgent;
let ada: TestMember;
let bob: TestMember;
let cleo: TestMember;

beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
  agent = await createAgent(app, organization);
  const member = (displayName: string) =>
    createMember(app, organization.id, { displayName, policies: REVIEWER });
  [ada, bob, cleo] = [await member('Ada'), await member('Bob'), await member('Cleo')];
});

const PATHS = '/api/v1/escalation-paths';
const user = ({ membershipId }: TestMember) => ({ type: 'user', id: membershipId });
const level = (target: object, escalate_after = '10m') => ({
  id: randomUUID(),
  type: 'level',
  targets: [target],
  escalate_after,
});
const levels = (...targets: readonly object[]) => targets.map((target) => level(target));

/** The path `on-call` with these nodes in force, by a further revision if there is one already. */
async function activateNext(nodes: readonly object[], after: number): Promise<void> {
  const created = await owner.http.post(`${PATHS}/on-call/revisions`, {
    name: `Revision ${after + 1}`,
    nodes,
  });
  expect(created.status).toBe(201);
  const headers = { 'if-match': `"${after}"` };
  expect(
    (
      await owner.http.post(`${PATHS}/on-call/revisions/${after + 1}/activate`, undefined, {
        headers,
      })
    ).status,
  ).toBe(200);
}

const first = async (nodes: readonly object[], more: object = {}) => {
  await activatePath(owner, { path_key: 'on-call', name: 'Revision 1', nodes, ...more });
};
const route = async (path?: string) => {
  await activatePipeline(owner, `agents/${agent.slug}`, {
    blocks: [],
    ...(path !== undefined && { default_escalation_path: path }),
  });
};
const request = () => ask(app, agent, { timeout: '48h' });
const routing = async (id: string): Promise<Json> =>
  (await owner.http.get(`/api/v1/requests/${id}/routing`)).body;
const onwards = async (id: string) => {
  await stepAt(app, id, new Date(String((await routing(id))['next_at'])));
};

/** Names of those told, in the order of the timeline. */
async function told(id: string): Promise<string[]> {
  const { body } = await owner.http.get(`/api/v1/requests/${id}/timeline`);
  const { events } = body as unknown as {
    events: { event_type: string; data: Record<string, unknown> }[];
  };
  return events
    .filter(({ event_type }) => event_type === 'approval_request.level_notified')
    .map(({ data }) => String(data['display_name']));
}

async function decides({ browser }: TestMember): Promise<string[]> {
  const { body } = await browser.get('/api/v1/requests?scope=decidable');
  return ((body['requests'] ?? []) as unknown as { id: string }[]).map((each) => each.id);
}

describe('a path revision', () => {
  test('that is replaced asks on for the requests it was routed by; new ones go by the new one', async () => {
    await first(levels(user(ada), user(bob)));
    await route('on-call');
    const old = await request();
    await activateNext(levels(user(cleo), user(ada)), 1);
    const fresh = await request();
    await onwards(old);
    await onwards(fresh);
    expect(await told(old)).toEqual(['Ada', 'Bob']);
    expect(await told(fresh)).toEqual(['Cleo', 'Ada']);
    expect(await routing(old)).toMatchObject({ path_name: 'Revision 1', revision: 1 });
    expect(await routing(fresh)).toMatchObject({ path_name: 'Revision 2', revision: 2 });
    expect(await decides(bob)).toEqual([old]);
    expect(await decides(cleo)).toEqual([fresh]);
    expect(codeOf(await decide(cleo.http, old))).toEqual({
      status: 403,
      code: 'request_not_routed',
    });
    expect((await decide(bob.http, old)).status).toBe(200);
  });

  test('that is activated before the pipeline hands a request over is the one it goes by', async () => {
    await first(levels(user(ada)));
    await route('on-call');
    const id = await askUnevaluated(app, agent, { timeout: '48h' });
    await activateNext(levels(user(bob)), 1);
    await stepAt(app, id);
    expect(await told(id)).toEqual(['Bob']);
    expect(await routing(id)).toMatchObject({ revision: 2 });
  });

  test('of a path that is archived asks on to its last run; new requests have no such path', async () => {
    await first(levels(user(ada), user(bob)), { repeat: { times: 1, after: '5m' } });
    await route('on-call');
    const [id, evaluating] = [
      await request(),
      await askUnevaluated(app, agent, { timeout: '48h' }),
    ];
    expect(codeOf(await owner.http.delete(`${PATHS}/on-call`))).toEqual({
      status: 409,
      code: 'escalation_path_in_use',
    });
    await route();
    expect((await owner.http.delete(`${PATHS}/on-call`)).status).toBe(204);
    // Its pipeline, of before, names a path that is no more.
    await stepAt(app, evaluating);
    expect(await routing(evaluating)).toMatchObject({ state: 'unrouted', source: 'no_escalation' });
    expect(await routing(await request())).toMatchObject({
      state: 'unrouted',
      source: 'no_escalation',
    });
    for (let step = 0; step < 4; step += 1) await onwards(id);
    expect(await told(id)).toEqual(['Ada', 'Bob', 'Ada', 'Bob']);
    expect(await routing(id)).toMatchObject({ path_key: 'on-call', revision: 1, run: 2 });
    expect(codeOf(await decide(cleo.http, id))).toEqual({
      status: 403,
      code: 'request_not_routed',
    });
    expect((await decide(bob.http, id)).status).toBe(200);
  });

  test('of a path that is archived gives way to the default path of the pipeline', async () => {
    await first(levels(user(ada)));
    await activatePath(owner, {
      path_key: 'fallback',
      name: 'Fallback',
      nodes: levels(user(cleo)),
    });
    const config = { outcome: 'human', reason: 'Look.', escalation_path: 'on-call' };
    const blocks = [{ id: 'ask', name: 'Ask', type: 'always', config }];
    await activatePipeline(owner, `agents/${agent.slug}`, {
      blocks,
      default_escalation_path: 'fallback',
    });
    const id = await askUnevaluated(app, agent);
    await route('fallback');
    expect((await owner.http.delete(`${PATHS}/on-call`)).status).toBe(204);
    await stepAt(app, id);
    expect(await routing(id)).toMatchObject({ path_key: 'fallback', source: 'pipeline_default' });
    expect(await told(id)).toEqual(['Cleo']);
  });
});

describe("a team's policy", () => {
  let team: string;
  const policies = () => `/api/v1/teams/${team}/escalation-policy`;
  const activate = (...members: readonly TestMember[]) =>
    activatePolicy(owner, team, { nodes: members.map((member) => level(user(member), '3m')) });
  const deactivate = async (active: number) => {
    expect(
      (
        await owner.http.call('DELETE', `${policies()}/active`, {
          headers: { 'if-match': `"${active}"` },
        })
      ).status,
    ).toBe(204);
  };

  beforeEach(async () => {
    team = await createTeam(app, organization.id, { members: [ada, bob, cleo] });
  });
  const toTeam = async (more: object = {}) => {
    await first(levels({ type: 'team', id: team }, { type: 'team', id: team }), more);
    await route('on-call');
    return await request();
  };

  test('that is replaced while a request is inside it is walked to its end; the next level goes by the new one', async () => {
    await activate(ada, bob);
    const id = await toTeam();
    await activate(cleo);
    await onwards(id);
    expect(await told(id)).toEqual(['Ada', 'Bob']);
    // Bob's wait, with which the policy ends, and the level's own.
    await onwards(id);
    await onwards(id);
    expect(await told(id)).toEqual(['Ada', 'Bob', 'Cleo']);
  });

  test('that is switched off while a request is inside it is walked to its end; the next level asks the whole team', async () => {
    await activate(ada, bob);
    const id = await toTeam();
    await deactivate(1);
    await onwards(id);
    expect(await told(id)).toEqual(['Ada', 'Bob']);
    await onwards(id);
    await onwards(id);
    expect(await told(id)).toEqual(['Ada', 'Bob', 'Ada', 'Bob', 'Cleo']);
  });

  test('that is switched on while a request is inside a level of the whole team counts from the next level', async () => {
    const id = await toTeam();
    await activate(cleo);
    expect(await told(id)).toEqual(['Ada', 'Bob', 'Cleo']);
    expect(await routing(id)).toMatchObject({ next_step: { kind: 'level' } });
    await onwards(id);
    expect((await told(id)).slice(3)).toEqual(['Cleo']);
  });

  test('is chosen anew at the same level of a further run', async () => {
    await activate(ada);
    await first([level({ type: 'team', id: team })], { repeat: { times: 1, after: '5m' } });
    await route('on-call');
    const id = await request();
    await activate(bob);
    // Ada's wait, with which the policy ends; the level's own; the one before the further run.
    for (let step = 0; step < 3; step += 1) await onwards(id);
    expect(await told(id)).toEqual(['Ada', 'Bob']);
    expect(await routing(id)).toMatchObject({ run: 2 });
  });

  test('narrows who is told and not who may decide: that is everybody in the team', async () => {
    await activate(ada);
    const id = await toTeam();
    expect(await told(id)).toEqual(['Ada']);
    expect(await decides(cleo)).toEqual([id]);
    expect((await decide(cleo.http, id)).status).toBe(200);
  });
});
