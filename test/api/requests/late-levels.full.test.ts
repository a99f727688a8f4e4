/**
 * Due levels of many requests in one statement: as each step alone would write them, and never on the
 * ground of what has changed meanwhile.
 */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { lockAccess } from '../../../src/data/organization/organizations.ts';
import { insertChannel } from '../../../src/data/notifications/notification-channels.ts';
import type { Trx } from '../../../src/platform/postgres.ts';
import { partsOf } from '../../../src/services/engine/drive.ts';
import { stepLateLevels } from '../../../src/services/engine/late-levels.ts';
import { wakeDue } from '../../../src/services/engine/wake-round.ts';
import { stepRequest } from '../../../src/services/engine/step.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { through, type Gate } from '../../support/gates.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { stepAt } from '../../support/scene/approval-requests.ts';
import type { PathSpec } from '../../support/scene/cast.ts';
import { activatePolicy, type TestMember } from '../../support/scene/factories.ts';
import { makeLate, reachNext } from '../../support/scene/late-steps.ts';
import { closedHours, level, team, user } from '../../support/scene/nodes.ts';
import { statementsDuring } from '../../support/sql/statements.ts';
import { storedOf } from '../../support/sql/stored-requests.ts';
import { until } from '../../support/waiting.ts';

const { app, organization, people, teams, ...verbs } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, eve: [] },
  teams: { night: ['bob', 'eve'], ordered: ['ada', 'bob'], none: [] },
  pipelines: { bot: {} },
});
const {
  agent: addAgent,
  ask,
  claimed,
  decide,
  owner,
  path,
  person,
  reachDeadline,
  verbsOf,
  withdraw,
} = verbs;
const { ada, bob, eve } = people;

beforeAll(async () => {
  await insertChannel(app.db, organization.id, {
    id: randomUUID(),
    kind: 'webhook',
    name: 'Incident bot',
  });
  await activatePolicy(owner, teams.ordered, { nodes: [level([user(bob)]), level([user(ada)])] });
});

const WORKING_HOURS = [closedHours('never')];

/** Requests of one agent that have reached people at one instant. */
async function waitingOn(
  spec: PathSpec,
  count: number,
  at = new Date(Date.now() + 60_000),
): Promise<string[]> {
  const key = `path-${randomUUID()}`;
  await path(key, spec);
  const agent = await addAgent(undefined, key);
  const ids: string[] = [];
  for (let each = 0; each < count; each += 1) {
    const id = await ask({ agent, evaluated: false, timeout: '168h' });
    await stepAt(app, id, at);
    ids.push(id);
  }
  return ids;
}

const LEVELS = ['level_notified', 'level_notified'];
const together = (...ids: string[]) => stepLateLevels(app.context, ids);
const alone = (id: string) =>
  stepRequest(app.context, id, { floor: new Date(0), by: 'reconciler' });

/**
 * Steps the first request alone, and the second one together with others, as often as a step is due.
 * Returns how many steps were taken together.
 */
async function compare(spec: PathSpec, steps: number): Promise<number> {
  const ids = await waitingOn(spec, 3);
  // One deadline, so that the waits can be compared.
  const deadline = { deadline_at: new Date(Date.now() + 600_000_000) };
  await app.db('approval_requests').whereIn('id', ids).update(deadline);
  const [one = '', other = '', beside = ''] = ids;
  let taken = 0;
  for (let step = 0; step < steps && (await reachNext(app, ids)); step += 1) {
    const expected = await alone(one);
    const stepped = await together(other, beside);
    const wait = stepped.get(other);
    if (wait) expect(wait).toEqual(expected);
    else await alone(other);
    if (!stepped.has(beside)) await alone(beside);
    taken += wait ? 1 : 0;
    expect(await storedOf(app, other)).toEqual(await storedOf(app, one));
    expect(await storedOf(app, beside)).toEqual(await storedOf(app, one));
  }
  return taken;
}

const branch = (condition: object, then: readonly object[], otherwise: readonly object[]) => ({
  id: randomUUID(),
  type: 'if_else',
  conditions: [condition],
  then,
  else: otherwise,
});
const whenUrgent = { type: 'urgency', urgency: 'interrupt' };
const whenWorking = { type: 'working_hours', working_hours_id: 'never', active: true };
const defer = () => ({ id: randomUUID(), type: 'defer', working_hours_id: 'never' });
const first = () => level([user(ada)]);
const whenTool = (then: readonly object[]) =>
  branch(
    { type: 'request', when: { id: 'c', field: '/request/tool', operator: 'exists' } },
    then,
    [],
  );

const inAnHour = () => new Date(Date.now() + 3_600_000);
/** A level that waits, for long. */
const WAITING = JSON.stringify({
  run: 1,
  phase: 'level',
  nodeId: randomUUID(),
  since: new Date().toISOString(),
  nextAt: new Date(Date.now() + 500 * 3_600_000).toISOString(),
});
const change = async (id: string, columns: object) =>
  void (await app.db('approval_requests').where({ id }).update(columns));
const levelsOf = async (id: string) =>
  (await verbsOf(id)).filter((verb) => verb.startsWith('level_'));

describe('a late level', () => {
  test.each<[string, () => PathSpec]>([
    ['a person', () => [first(), level([user(bob)])]],
    ['a person and a team', () => [first(), level([user(ada), team(teams.night)])]],
    ['everyone', () => [first(), level([{ type: 'broadcast' }])]],
    ['an urgent level', () => [first(), level([user(bob)], '5m', { raise_urgency: true })]],
    ['a branch', () => [first(), branch(whenUrgent, [first()], [level([user(bob)])])]],
    ['the end of the path', () => [first()]],
    ['working hours', () => ({ working_hours: WORKING_HOURS, nodes: [first(), defer(), first()] })],
    ['a level without anyone to ask', () => [first(), level([user(eve)]), level([user(bob)])]],
    ['a team with a policy', () => [first(), level([team(teams.ordered)])]],
  ])('is written as by a step of its own: %s', async (_name, spec) => {
    expect(await compare(spec(), 1)).toBe(1);
  });

  test('is left to a step of its own, which reads what the agent sent: a condition about the request', async () => {
    expect(await compare([first(), whenTool([level([user(bob)])])], 1)).toBe(0);
  });

  test('is written as by a step of its own, on any path', async () => {
    const target = fc.constantFrom<object>(
      user(ada),
      user(bob),
      user(eve),
      team(teams.night),
      team(teams.ordered),
      team(teams.none),
      { type: 'broadcast' },
    );
    const levels = fc
      .record({
        targets: fc.uniqueArray(target, { minLength: 1, maxLength: 3, selector: JSON.stringify }),
        after: fc.constantFrom('1m', '10m', '3h'),
        raise: fc.boolean(),
      })
      .map(
        ({ targets, after, raise }) =>
          () =>
            level(targets, after, { raise_urgency: raise }),
      );
    const node = fc.oneof(
      { weight: 5, arbitrary: levels },
      { weight: 1, arbitrary: fc.constant(defer) },
      {
        weight: 1,
        arbitrary: fc
          .tuple(fc.constantFrom(whenUrgent, whenWorking), levels, fc.option(levels))
          .map(
            ([condition, then, otherwise]) =>
              () =>
                branch(condition, [then()], otherwise ? [otherwise()] : []),
          ),
      },
    );
    const document = fc.record({
      nodes: fc.array(node, { minLength: 2, maxLength: 5 }),
      times: fc.nat({ max: 1 }),
    });
    const property = fc.asyncProperty(document, async ({ nodes, times }) => {
      await compare(
        {
          working_hours: WORKING_HOURS,
          nodes: nodes.map((make) => make()),
          ...(times > 0 && { repeat: { times, after: '5m' } }),
        },
        6,
      );
    });
    await fc.assert(property, { numRuns: 2 * ROUNDS, endOnFailure: true });
  });

  test('takes as many statements for thirty requests as for three', async () => {
    const ids = await waitingOn([first(), level([user(bob), team(teams.night)])], 33);
    await reachNext(app, ids);
    const count = async (some: readonly string[]) =>
      (await statementsDuring(app, () => together(...some))).length;
    const three = await count(ids.slice(0, 3));
    expect(await count(ids.slice(3))).toBe(three);
    expect(three).toBe(2);
    const steps = app.db('escalation_steps').whereIn('request_id', ids);
    expect(await steps.pluck('request_id')).toHaveLength(66);
  });
});

describe('two processes that step the same levels', () => {
  let other: TestApp;
  beforeAll(async () => {
    other = await startApp({ databaseUrl: app.databaseUrl });
  });
  afterAll(() => other.close());

  const notifiedOf = async (ids: readonly string[], { membershipId }: TestMember) => {
    const asked = app.db('notifications').whereIn('request_id', ids);
    const of = await asked.where({ membership_id: membershipId }).pluck<string[]>('request_id');
    return of.sort();
  };

  test('notify each person once, and miss none', async () => {
    const ids = await waitingOn([first(), level([user(bob)])], 12);
    await reachNext(app, ids);
    const stepped = await Promise.all([
      together(...ids),
      stepLateLevels(other.context, [...ids].reverse()),
    ]);
    const taken = stepped.flatMap((each) => [...each.keys()]);
    expect(taken).toHaveLength(new Set(taken).size);
    await Promise.all(ids.map(alone));
    expect(await notifiedOf(ids, bob)).toEqual([...ids].sort());
  });

  test('in rounds of their reconcilers leave nothing late, whatever the steps need', async () => {
    const specs: readonly PathSpec[] = [
      [first(), level([user(bob)])],
      [first(), level([user(eve)]), level([user(bob)])],
      [first(), level([team(teams.ordered)]), first()],
      [first(), whenTool([level([user(bob)])])],
      [first()],
    ];
    const all: string[] = [];
    for (const spec of specs) {
      const [one = '', ...others] = await waitingOn(spec, 5, new Date());
      await makeLate(app, [one, ...others], { ms: 60_000, wakes: false });
      await alone(one);
      all.push(one, ...others);
    }
    const claimedOnes = await waitingOn(specs[0] ?? [], 3, new Date());
    for (const id of claimedOnes) await claimed(ada, id);
    const late = all.filter((_, nth) => nth % 5 > 0);
    await makeLate(app, [...late, ...claimedOnes], { ms: 60_000, wakes: true });
    await Promise.all([wakeDue(app.context), wakeDue(other.context)]);
    await until('none is late', async () => {
      const due = app.db('approval_requests').whereIn('id', late);
      return (await due.where('next_at', '<', new Date()).pluck('id')).length === 0;
    });
    await Promise.all(claimedOnes.map(alone));
    for (const [nth, id] of all.entries()) {
      const sample = all[nth - (nth % 5)] ?? '';
      expect(await verbsOf(id)).toEqual(await verbsOf(sample));
    }
    const bobs = late.filter((_, nth) => nth < 16);
    expect(await notifiedOf(late, bob)).toEqual([...bobs].sort());
    for (const id of claimedOnes) expect(await levelsOf(id)).toEqual(['level_notified']);
  });
});

describe('left alone are requests', () => {
  test.each<[string, (id: string) => Promise<unknown>]>([
    ['that someone claims', (id) => claimed(ada, id)],
    ['that have their answer', (id) => decide(ada, id)],
    ['whose level waits', (id) => change(id, { next_at: inAnHour(), walk: WAITING })],
    ['that are due for another reason', (id) => change(id, { walk: WAITING })],
    ['whose deadline has come', (id) => reachDeadline(id)],
    ['whose walk cannot be read', (id) => change(id, { walk: '{"broken":true}' })],
  ])('%s, and others are stepped', async (_name, happens) => {
    const [one = '', other = ''] = await waitingOn([first(), level([user(bob)])], 2);
    await reachNext(app, [one, other]);
    await happens(one);
    const before = await storedOf(app, one);
    expect([...(await together(one, other)).keys()]).toEqual([other]);
    expect(await storedOf(app, one)).toEqual(before);
  });

  test('whose walk cannot be read, and the log says which', async () => {
    const [one = ''] = await waitingOn([first(), level([user(bob)])], 1);
    await reachNext(app, [one]);
    await change(one, { walk: '{"broken":true}' });
    await together(one);
    expect(app.log.filter((line) => line.includes(one)).join('')).toContain(
      'a late level could not be planned with others',
    );
  });
});

describe.each(['before', 'within'] as const)('%s the statement', (at) => {
  const during = async (ids: readonly string[], happens: () => Promise<unknown>) => {
    const gate: Gate = { of: 'from organizations o', at, happens };
    return [...(await through(app, gate, () => together(...ids))).keys()];
  };
  const two = async (spec: PathSpec = [first(), level([user(bob)])]) => {
    const [one = '', other = ''] = await waitingOn(spec, 2);
    await reachNext(app, [one, other]);
    return [one, other] as const;
  };

  test('nothing happens: both are stepped', async () => {
    const ids = await two();
    expect((await during(ids, () => Promise.resolve())).sort()).toEqual([...ids].sort());
    expect(await levelsOf(ids[0])).toEqual(LEVELS);
  });

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['decided', (id) => decide(ada, id)],
    ['claimed', (id) => claimed(ada, id)],
    ['withdrawn', (id) => withdraw(id)],
    ['stepped by its workflow', (id) => stepAt(app, id)],
    ['leased', (id) => change(id, { wake_at: inAnHour() })],
  ])('one request is %s: only the other one is stepped', async (_name, happens) => {
    const [one, other] = await two();
    const seen: string[][] = [];
    const stepped = await during([one, other], async () => {
      await happens(one);
      seen.push(await verbsOf(one));
    });
    expect(stepped).toEqual([other]);
    expect([await verbsOf(one)]).toEqual(seen);
    expect(await levelsOf(other)).toEqual(LEVELS);
  });

  test('the only person of the level loses the right to decide: none is stepped', async () => {
    const gone = await person(REVIEWER);
    const ids = await two([first(), level([user(gone)]), level([user(bob)])]);
    const policies = app.db('permission_policies').where({ membership_id: gone.membershipId });
    const [policy = ''] = await policies.pluck<string[]>('id');
    const stepped = await during(ids, () =>
      owner.browser.delete(`/api/v1/members/${gone.membershipId}/permission_policies/${policy}`),
    );
    expect(stepped).toEqual([]);
    await alone(ids[0]);
    expect(await levelsOf(ids[0])).toEqual(['level_notified', 'level_skipped', 'level_notified']);
  });
});

describe('the statement waits for nothing', () => {
  const waiting = () => waitingOn([first(), level([user(bob)])], 2);
  const held = async (lock: (trx: Trx) => Promise<unknown>, ids: readonly string[]) =>
    await app.db.transaction(async (trx) => {
      await lock(trx);
      return [...(await together(...ids)).keys()];
    });

  test('a request that another process changes is left out', async () => {
    const [one = '', other = ''] = await waiting();
    await reachNext(app, [one, other]);
    const lock = (trx: Trx) => trx('approval_requests').where({ id: one }).forUpdate().select('id');
    expect(await held(lock, [one, other])).toEqual([other]);
  });

  test('during a change of access, all are left out', async () => {
    const ids = await waiting();
    await reachNext(app, ids);
    expect(await held((trx) => lockAccess(trx, organization.id), ids)).toEqual([]);
    expect((await together(...ids)).size).toBe(2);
  });

  test('a step that was planned too long ago is left out', async () => {
    const ids = await waitingOn([first(), level([user(bob)])], 2, new Date());
    await makeLate(app, ids, { ms: 60_000, wakes: false });
    const late = Date.now() + 2_500;
    const happens = () => until('the plan is old', () => Date.now() > late);
    const gate: Gate = { of: 'from organizations o', at: 'before', happens };
    expect((await through(app, gate, () => together(...ids))).size).toBe(0);
    await Promise.all(ids.map(alone));
    for (const id of ids) expect(await levelsOf(id)).toEqual(LEVELS);
  });
});

test('a statement that is ended midway leaves every level due', async () => {
  const ids = await waitingOn([first(), level([user(bob)])], 3);
  await reachNext(app, ids);
  const end = () =>
    app.db.raw(
      `select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`,
    );
  const gate: Gate = { of: 'from organizations o', at: 'within', happens: end };
  const failed = await through(app, gate, () =>
    together(...ids).then(
      () => false,
      () => true,
    ),
  );
  expect(failed).toBe(true);
  const steps = app.db('escalation_steps').whereIn('request_id', ids);
  expect(await steps.clone().pluck('request_id')).toHaveLength(3);
  expect([...(await together(...ids)).keys()].sort()).toEqual([...ids].sort());
  expect(await steps.clone().pluck('request_id')).toHaveLength(6);
});

describe('the people of a set', () => {
  const parts = (...weights: number[]) => partsOf(weights, (weight) => weight, 10);

  test.each([
    [[], []],
    [[4, 6], [[4, 6]]],
    [
      [4, 7, 3, 1],
      [[4], [7, 3], [1]],
    ],
    [
      [10, 0, 10],
      [[10, 0], [10]],
    ],
    [[3, 11, 3], [[3, 3]]],
  ])('%j, at most ten a statement, are written as %j', (weights, expected) => {
    expect(parts(...weights)).toEqual(expected);
  });
});
