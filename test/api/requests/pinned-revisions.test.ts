/**
 * Which revision a request follows when those of its path or its teams' policies change, end or
 * return meanwhile.
 */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { outcome } from '../../support/refusals.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import {
  activatePath,
  activatePolicy,
  createTeam,
  type TestMember,
} from '../../support/scene/factories.ts';
import { level as levelOf, user } from '../../support/scene/nodes.ts';

const people = { ada: REVIEWER, bob: REVIEWER, cleo: REVIEWER };
const { app } = await scene({ people });
/** Each test has an organization of its own. */
const start = () => scene({ on: app, people });

let home: Awaited<ReturnType<typeof start>>;
let owner: TestMember;
let ada: TestMember;
let bob: TestMember;
let cleo: TestMember;

beforeEach(async () => {
  home = await start();
  ({
    owner,
    people: { ada, bob, cleo },
  } = home);
});

const PATHS = '/api/v1/escalation-paths';
const level = (target: object, escalateAfter = '10m') => levelOf([target], escalateAfter);
const levels = (...targets: readonly object[]) => targets.map((target) => level(target));

/**
 * Puts the path `on-call` with these nodes into force, as a further revision if there is one
 * already.
 */
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
/** From now on the agent's requests take this path, or none. */
const route = (path?: string) => home.pipeline('bot', path ?? { blocks: [] });
const request = () => home.ask({ timeout: '48h' });

/** Names of the notified people, in the order of the timeline. */
async function notified(id: string): Promise<string[]> {
  const levels = (await home.timeline(id)).filter(
    (event) => String(event['event_type']) === 'approval_request.level_notified',
  );
  return levels.map((event) => String(event['data']?.['display_name']));
}

async function decides({ browser }: TestMember): Promise<string[]> {
  const { body } = await browser.get('/api/v1/requests?scope=decidable');
  return (body['requests'] ?? []).map((each) => String(each['id']));
}

describe('a path revision', () => {
  test('that is replaced still serves the requests pinned to it; new requests follow the new revision', async () => {
    await first(levels(user(ada), user(bob)));
    await route('on-call');
    const old = await request();
    await activateNext(levels(user(cleo), user(ada)), 1);
    const fresh = await request();
    await home.later(old);
    await home.later(fresh);
    expect(await notified(old)).toEqual(['Ada', 'Bob']);
    expect(await notified(fresh)).toEqual(['Cleo', 'Ada']);
    expect(await home.routing(old)).toMatchObject({ path_name: 'Revision 1', revision: 1 });
    expect(await home.routing(fresh)).toMatchObject({ path_name: 'Revision 2', revision: 2 });
    expect(await decides(bob)).toEqual([old]);
    expect(await decides(cleo)).toEqual([fresh]);
    expect(outcome(await home.decide(cleo, old))).toBe('403 request_not_routed');
    expect((await home.decide(bob, old)).status).toBe(200);
  });

  test('that is activated before the hand-over is the one that the request follows', async () => {
    await first(levels(user(ada)));
    await route('on-call');
    const id = await home.ask({ evaluated: false, timeout: '48h' });
    await activateNext(levels(user(bob)), 1);
    await home.later(id, new Date(0));
    expect(await notified(id)).toEqual(['Bob']);
    expect(await home.routing(id)).toMatchObject({ revision: 2 });
  });

  test('of an archived path still serves until its last run; new requests have no such path', async () => {
    await first(levels(user(ada), user(bob)), { repeat: { times: 1, after: '5m' } });
    await route('on-call');
    const [id, evaluating] = [
      await request(),
      await home.ask({ evaluated: false, timeout: '48h' }),
    ];
    expect(outcome(await owner.http.delete(`${PATHS}/on-call`))).toBe('409 escalation_path_in_use');
    await route();
    expect((await owner.http.delete(`${PATHS}/on-call`)).status).toBe(204);
    // Its pipeline names a path that no longer exists.
    await home.later(evaluating, new Date(0));
    expect(await home.routing(evaluating)).toMatchObject({
      state: 'unrouted',
      source: 'no_escalation',
    });
    expect(await home.routing(await request())).toMatchObject({
      state: 'unrouted',
      source: 'no_escalation',
    });
    for (let step = 0; step < 4; step += 1) await home.later(id);
    expect(await notified(id)).toEqual(['Ada', 'Bob', 'Ada', 'Bob']);
    expect(await home.routing(id)).toMatchObject({ path_key: 'on-call', revision: 1, run: 2 });
    expect(outcome(await home.decide(cleo, id))).toBe('403 request_not_routed');
    expect((await home.decide(bob, id)).status).toBe(200);
  });

  test('of an archived path gives way to the default path of the pipeline', async () => {
    await first(levels(user(ada)));
    await activatePath(owner, {
      path_key: 'fallback',
      name: 'Fallback',
      nodes: levels(user(cleo)),
    });
    const config = { outcome: 'human', reason: 'Look.', escalation_path: 'on-call' };
    const blocks = [{ id: 'ask', name: 'Ask', type: 'always', config }];
    await home.pipeline('bot', { blocks, default_escalation_path: 'fallback' });
    const id = await home.ask({ evaluated: false });
    await route('fallback');
    expect((await owner.http.delete(`${PATHS}/on-call`)).status).toBe(204);
    await home.later(id, new Date(0));
    expect(await home.routing(id)).toMatchObject({
      path_key: 'fallback',
      source: 'pipeline_default',
    });
    expect(await notified(id)).toEqual(['Cleo']);
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
    team = await createTeam(app, home.organization.id, { members: [ada, bob, cleo] });
  });
  const toTeam = async (more: object = {}) => {
    await first(levels({ type: 'team', id: team }, { type: 'team', id: team }), more);
    await route('on-call');
    return await request();
  };

  test('that is replaced while a request is inside it is followed to its end; the next level follows the new one', async () => {
    await activate(ada, bob);
    const id = await toTeam();
    await activate(cleo);
    await home.later(id);
    expect(await notified(id)).toEqual(['Ada', 'Bob']);
    // Bob's wait, which ends the policy, and then the wait of the level.
    await home.later(id);
    await home.later(id);
    expect(await notified(id)).toEqual(['Ada', 'Bob', 'Cleo']);
  });

  test('that is deactivated while a request is inside it is followed to its end; the next level asks the whole team', async () => {
    await activate(ada, bob);
    const id = await toTeam();
    await deactivate(1);
    await home.later(id);
    expect(await notified(id)).toEqual(['Ada', 'Bob']);
    await home.later(id);
    await home.later(id);
    expect(await notified(id)).toEqual(['Ada', 'Bob', 'Ada', 'Bob', 'Cleo']);
  });

  test('that is activated while a request is inside a level of the whole team counts from the next level', async () => {
    const id = await toTeam();
    await activate(cleo);
    expect(await notified(id)).toEqual(['Ada', 'Bob', 'Cleo']);
    expect(await home.routing(id)).toMatchObject({ next_step: { kind: 'level' } });
    await home.later(id);
    expect((await notified(id)).slice(3)).toEqual(['Cleo']);
  });

  test('is chosen again at the same level of a further run', async () => {
    await activate(ada);
    await first([level({ type: 'team', id: team })], { repeat: { times: 1, after: '5m' } });
    await route('on-call');
    const id = await request();
    await activate(bob);
    // Ada's wait, which ends the policy; the wait of the level; the wait before the further run.
    for (let step = 0; step < 3; step += 1) await home.later(id);
    expect(await notified(id)).toEqual(['Ada', 'Bob']);
    expect(await home.routing(id)).toMatchObject({ run: 2 });
  });

  test('limits who is notified, not who may decide: every member of the team may', async () => {
    await activate(ada);
    const id = await toTeam();
    expect(await notified(id)).toEqual(['Ada']);
    expect(await decides(cleo)).toEqual([id]);
    expect((await home.decide(cleo, id)).status).toBe(200);
  });
});
