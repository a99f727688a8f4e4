/**
 * The hand-over of a request to people: in few statements, with or without locks, and never on the
 * ground of what has changed meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { insertChannel } from '../../../src/data/notifications/notification-channels.ts';
import { commit } from '../../../src/data/requests/engine/commit.ts';
import { readView } from '../../../src/data/requests/engine/view.ts';
import { planStep } from '../../../src/domain/requests/engine/step.ts';
import { through, type Gate } from '../../support/gates.ts';
import { REVIEWER, scene, appForFile } from '../../support/scene.ts';
import { stepAt } from '../../support/scene/approval-requests.ts';
import type { PathSpec, SceneAgent } from '../../support/scene/cast.ts';
import { activatePolicy, type TestMember } from '../../support/scene/factories.ts';
import { closedHours, level, user } from '../../support/scene/nodes.ts';
import { setMembers } from '../../support/scene/teams.ts';
import { statementsDuring } from '../../support/sql/statements.ts';
import { storedOf } from '../../support/sql/stored-requests.ts';

const { app, organization, people, teams, ...verbs } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, eve: [] },
  teams: { night: ['bob', 'eve'], ordered: ['ada', 'bob'] },
  pipelines: { bot: {} },
});
const { agent: addAgent, ask, owner, path, person, pipeline, verbsOf, withdraw } = verbs;
const { ada, bob } = people;

const whenUrgent = (branches: object) => ({
  type: 'if_else',
  conditions: [{ type: 'urgency', urgency: 'interrupt' }],
  ...branches,
});

const paths = {
  'one level': [['ada'], ['bob']],
  'a level for a person and a team': [['ada', 'night']],
  'a level for all': [['everyone']],
  'an urgent level': [{ ...level([user(ada)]), raise_urgency: true }],
  'a branch before the level': [
    { id: randomUUID(), ...whenUrgent({ then: [level([user(bob)])], else: [level([user(ada)])] }) },
  ],
  'working hours before the level': {
    working_hours: [closedHours('never')],
    nodes: [{ id: randomUUID(), type: 'defer', working_hours_id: 'never' }, ['ada']],
  },
  'no level to enter': [
    { id: randomUUID(), ...whenUrgent({ then: [level([user(ada)])], else: [] }) },
  ],
  'a level without anyone to ask': [['eve'], ['ada']],
  'a team that has a policy': [['ordered']],
} satisfies Readonly<Record<string, PathSpec>>;

const cases = ['no path', ...Object.keys(paths)];
const agents = new Map<string, SceneAgent>();

/** Takes the steps of a deployment that is always close to its cap, so inside a transaction. */
const careful = await appForFile({
  databaseUrl: app.databaseUrl,
  environment: { COUNTERSIGN_MAX_PENDING_REQUESTS: '256' },
});

beforeAll(async () => {
  await insertChannel(app.db, organization.id, {
    id: randomUUID(),
    kind: 'webhook',
    name: 'Incident bot',
  });
  await activatePolicy(owner, teams.ordered, { nodes: [level([user(bob)]), level([user(ada)])] });
  agents.set('no path', await addAgent());
  for (const [index, [name, spec]] of Object.entries<PathSpec>(paths).entries()) {
    await path(`path-${index}`, spec);
    agents.set(name, await addAgent(undefined, `path-${index}`));
  }
});

const agentOf = (name: string): SceneAgent => {
  const agent = agents.get(name);
  if (!agent) throw new Error(`no agent has the path ${name}`);
  return agent;
};
/** Never too old for the statement, however slow the machine is. */
const soon = () => new Date(Date.now() + 60_000);
const unevaluated = (name: string) =>
  ask({ agent: agentOf(name), evaluated: false, timeout: '48h' });

describe('the first step of a request that goes to people', () => {
  test.each([
    ['one level', 3],
    ['a level for all', 3],
    ['no path', 3],
    ['a level for a person and a team', 3],
  ])('takes few statements and no transaction: %s', async (name, expected) => {
    // Once before, so that the documents are in memory.
    await stepAt(app, await unevaluated(name));
    const id = await unevaluated(name);
    const statements = await statementsDuring(app, () => stepAt(app, id, soon()));
    expect(await verbsOf(id)).toContain('routed');
    expect(statements).toHaveLength(expected);
  });
});

describe('a hand-over', () => {
  test.each(cases)('writes the same under locks: %s', async (name) => {
    const [unlocked, locked] = [await unevaluated(name), await unevaluated(name)];
    const at = soon();
    await stepAt(app, unlocked, at);
    await stepAt(careful, locked, at);
    expect(await storedOf(app, unlocked)).toEqual(await storedOf(app, locked));
  });
});

const places = ['before', 'within'] as const;

describe.each(places)('%s the statement that hands a request over', (at) => {
  const during = async (id: string, happens: () => Promise<unknown>) => {
    const gate: Gate = { of: 'from organizations o', at, happens };
    await through(app, gate, () => stepAt(app, id, soon()));
  };
  const succeeds = async (answer: Promise<{ readonly status: number }>) => {
    expect([200, 204]).toContain((await answer).status);
  };
  const askOn = async (spec: PathSpec) => {
    const key = `path-${randomUUID()}`;
    await path(key, spec);
    return { key, id: await ask({ agent: await addAgent(undefined, key), evaluated: false }) };
  };
  const forbid = async ({ membershipId }: TestMember) => {
    const policies = app.db('permission_policies').where({ membership_id: membershipId });
    const [policy = ''] = await policies.pluck<string[]>('id');
    return await owner.browser.delete(
      `/api/v1/members/${membershipId}/permission_policies/${policy}`,
    );
  };
  const levelOf = (member: TestMember) => level([user(member)]);

  test('nothing happens: the statement writes', async () => {
    const { id } = await askOn([levelOf(ada)]);
    const statements = await statementsDuring(app, () => during(id, () => Promise.resolve()));
    expect(statements.filter((sql) => sql.includes('insert into notifications'))).toHaveLength(1);
  });

  test('the only person of the level loses the right to decide: the next level is asked', async () => {
    const gone = await person(REVIEWER);
    const { id } = await askOn([levelOf(gone), levelOf(ada)]);
    await during(id, () => succeeds(forbid(gone)));
    expect((await verbsOf(id)).slice(1)).toEqual([
      'pipeline_concluded',
      'routed',
      'level_skipped',
      'level_notified',
    ]);
  });

  test('a member joins the team of the level, and is asked too', async () => {
    const joining = await person(REVIEWER);
    const { id } = await askOn([['night']]);
    await during(id, () =>
      succeeds(setMembers(owner.browser, teams.night, [bob.membershipId, joining.membershipId])),
    );
    const asked = app.db('notifications').where({ request_id: id });
    expect((await asked.pluck<string[]>('membership_id')).sort()).toEqual(
      [bob.membershipId, joining.membershipId].sort(),
    );
  });

  test('the path is archived: the request goes without it', async () => {
    const { key, id } = await askOn([levelOf(ada)]);
    const [{ agent_slug: slug }] = await app.db('approval_requests').where({ id });
    await pipeline(String(slug), { blocks: [], default_escalation_path: 'path-0' });
    await during(id, () => succeeds(owner.http.delete(`/api/v1/escalation-paths/${key}`)));
    const [request] = await app.db('approval_requests').where({ id });
    expect(request).toMatchObject({ state: 'pending', escalation_path_revision_id: null });
  });

  test('the clock of the row advances: the hand-over is not behind it', async () => {
    const { id } = await askOn([levelOf(ada)]);
    const later = new Date(Date.now() + 300_000);
    const rows = () => app.db('approval_requests').where({ id });
    await during(id, () => rows().update({ last_at: later }));
    expect(await rows().select('state', 'routed_at')).toEqual([
      { state: 'pending', routed_at: later },
    ]);
  });

  test('the request is withdrawn: no one is asked', async () => {
    const { id } = await askOn([levelOf(ada)]);
    await during(id, () => withdraw(id));
    expect((await verbsOf(id)).slice(1)).toEqual(['cancelled']);
  });
});

describe('the statement that hands a request over writes nothing', () => {
  const evaluated = {
    verdict: {
      outcome: 'human',
      scope: 'organization',
      reason_code: 'end_of_pipeline',
      escalation_path_source: 'no_escalation',
    },
    paths: [],
  } as const;
  interface HandOver {
    readonly cap?: number;
    /** When it was read. Default: in a minute, so that a slow machine makes no view too old. */
    readonly secondsAgo?: number;
    /** The deadline, and the clock when it was read. */
    readonly times?: { readonly deadlineAt: Date; readonly now: Date };
  }

  /** Whether it hands over a request without a path, as read just now but for `but`. */
  const handsOver = async (id: string, but: HandOver = {}) => {
    const { cap = 1_000_000, secondsAgo = -60, times } = but;
    const people = { pathKeys: [], cap };
    const read = await readView(app.db, id, { texts: true, people });
    if (!read) throw new Error('the request is not there');
    const { deadlineAt, now } = times ?? { deadlineAt: read.request.deadlineAt, now: read.now };
    const view = {
      ...read,
      now,
      readAt: new Date(read.readAt.getTime() - secondsAgo * 1_000),
      request: { ...read.request, deadlineAt },
    };
    const documents = {
      path: undefined,
      matches: () => false,
      policy: () => {
        throw new Error('there is no policy');
      },
    };
    const { effects } = planStep(
      { ...view, isAdmitted: true },
      { by: 'workflow', decisionId: randomUUID(), evaluated, documents, isExactCount: false },
    );
    if (!effects) throw new Error('nothing was planned');
    return (await commit(app.db, [effects], { depends: 'access', byEmail: false, cap })).size > 0;
  };
  const change = async (id: string, columns: object) => {
    await app.db('approval_requests').where({ id }).update(columns);
  };

  test('when its view is too old for a wait that counts from the notification', async () => {
    const id = await unevaluated('no path');
    expect(await handsOver(id, { secondsAgo: 2 })).toBe(false);
    expect(await handsOver(id)).toBe(true);
  });

  test('when the deadline passes before it writes', async () => {
    const id = await unevaluated('no path');
    const ago = (ms: number) => new Date(Date.now() - ms);
    // The plan was made a second before the deadline, which has passed by now.
    expect(await handsOver(id, { times: { deadlineAt: ago(1_000), now: ago(2_000) } })).toBe(false);
    expect(await handsOver(id, { times: { deadlineAt: soon(), now: ago(2_000) } })).toBe(true);
  });

  test('when so many wait that the count must be exact, unless the agent has its answer', async () => {
    await stepAt(app, await unevaluated('no path'));
    const id = await unevaluated('no path');
    await change(id, { admitted: false });
    expect(await handsOver(id, { cap: 257 })).toBe(false);
    await change(id, { admitted: true });
    expect(await handsOver(id, { cap: 257 })).toBe(true);
  });
});
