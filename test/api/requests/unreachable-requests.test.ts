/**
 * A request that waits for people who lose their rights meanwhile: its walk goes on at once, a claim of theirs ends, and the timeline
 * says so. Temporal is away: the reconciler steps what the changes have made due.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { wakeUnreachable } from '../../../src/data/requests/unreachable.ts';
import { stepRequest } from '../../../src/services/requests/step.ts';
import type { Db, Pool } from '../../../src/platform/postgres.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { ask, askUnevaluated, decide, stepAt } from '../../support/scene/approval-requests.ts';
import { claim, claimed, holdersOf, release, verbsOf } from '../../support/scene/claims.ts';
import {
  activatePath,
  activatePipeline,
  activatePolicy,
  createAgent,
  createMember,
  createOrganization,
  createTeam,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { Answer, Json } from '../../support/http.ts';
import { idsOf, TEAMS } from '../../support/scene/teams.ts';
import { timelineOf } from '../../support/temporal.ts';
import { until, untilBlocked } from '../../support/waiting.ts';

const PERMISSIONS = ['request.read', 'request.decide', 'request.claim'];
const REVIEWER = [{ scope_kind: 'organization' as const, permissions: PERMISSIONS }];

let app: TestApp;
let organization: TestOrganization;
let owner: TestMember;
let ada: TestMember;
let bob: TestMember;

beforeAll(async () => {
  app = await startApp();
  organization = await createOrganization(app);
  owner = organization.owner;
  ada = await reviewer('Ada');
  bob = await reviewer('Bob');
});
afterAll(() => app.close());

const reviewer = (displayName: string) =>
  createMember(app, organization.id, { displayName, policies: REVIEWER });
const user = ({ membershipId }: TestMember) => ({ type: 'user', id: membershipId });
const ofTeam = (id: string) => ({ type: 'team', id });
const level = (targets: readonly object[], escalate_after = '24h') => ({
  id: randomUUID(),
  type: 'level',
  targets,
  escalate_after,
});

async function askOn(nodes: readonly object[], more: object = {}): Promise<string> {
  const path_key = `path-${randomUUID()}`;
  await activatePath(owner, { path_key, name: 'Path', nodes, ...more });
  const agent = await createAgent(app, organization);
  await activatePipeline(owner, `agents/${agent.slug}`, {
    default_escalation_path: path_key,
    blocks: [],
  });
  return await ask(app, agent, { timeout: '168h' });
}

const pathOf = ({ membershipId }: TestMember) => `/api/v1/members/${membershipId}`;
const routing = async (id: string): Promise<Json> =>
  (await owner.http.get(`/api/v1/requests/${id}/routing`)).body;
const statusesOf = (body: Json) => (body['levels'] ?? []).map((each) => String(each['status']));
const roster = (team: string, ...members: readonly TestMember[]) =>
  owner.browser.call('PUT', `${TEAMS}/${team}/members`, {
    body: { membership_ids: idsOf(...members), force: true },
  });

async function policyOf({ membershipId }: TestMember): Promise<string> {
  const [id = ''] = await app
    .db('permission_policies')
    .where({ membership_id: membershipId })
    .pluck<string[]>('id');
  return `/api/v1/members/${membershipId}/permission_policies/${id}`;
}
async function withPermissions(member: TestMember, terms: object): Promise<Answer> {
  const body = {
    scope_kind: 'organization',
    resource_ids: [],
    permissions: PERMISSIONS,
    revision: 1,
    ...terms,
  };
  return await owner.browser.call('PUT', await policyOf(member), { body });
}
const suspend = (member: TestMember) =>
  owner.browser.call('PATCH', pathOf(member), { body: { status: 'suspended', force: true } });
const onlyReading = (member: TestMember) =>
  withPermissions(member, { permissions: ['request.read'] });

const ways: Readonly<Record<string, (member: TestMember) => Promise<Answer>>> = {
  suspended: suspend,
  removed: (member) => owner.browser.delete(`${pathOf(member)}?force=true`),
  'stripped of every permission': async (member) => owner.browser.delete(await policyOf(member)),
  'left with reading': onlyReading,
  'narrowed to another agent': async (member) =>
    withPermissions(member, {
      scope_kind: 'agent',
      resource_ids: [(await createAgent(app, organization)).slug],
    }),
};
const succeeds = async (answer: Promise<Answer> | undefined): Promise<void> => {
  expect((await answer)?.status).toBeLessThan(300);
};

/** What the timeline tells of the walk and of claims; who was told, or why: `level_notified Ada`, `level_skipped nobody_left`. */
async function told(id: string): Promise<string[]> {
  const events = (await timelineOf(app, id)).filter(({ type }) =>
    /level_|path_|policy_|claim/.test(type),
  );
  return events.map(({ type, data }) =>
    [type.replace('approval_request.', ''), data['reason'] ?? data['display_name']]
      .join(' ')
      .trim(),
  );
}
async function untilTold(id: string, expected: readonly string[]): Promise<void> {
  await until(
    'the timeline tells as much',
    async () => (await told(id)).length >= expected.length,
  ).catch(() => undefined);
  expect(await told(id)).toEqual(expected);
}

/** Nothing happens at a step that comes now. */
async function staysPut(id: string): Promise<void> {
  const row = () =>
    app
      .db('approval_requests')
      .where({ id })
      .first<Record<string, unknown>>('walk', 'next_at', 'wake_attempts');
  const before = { row: await row(), told: await told(id) };
  await app
    .db('approval_requests')
    .where({ id })
    .update({ wake_at: app.db.raw('clock_timestamp()'), next_at: app.db.raw('clock_timestamp()') });
  await until('it was stepped', async () => (await row())['wake_attempts'] === 1);
  await until(
    'the step is done',
    async () => Number(await nextAt(id)) === Number(before.row['next_at']),
  );
  expect({ row: { ...(await row()), wake_attempts: 0 }, told: await told(id) }).toEqual(before);
}
const nextAt = async (id: string): Promise<Date> =>
  (await app.db('approval_requests').where({ id }).first<{ next_at: Date }>('next_at')).next_at;

describe('a level whose people named by it are lost', () => {
  test('waits for those its team has told, though the team asks nobody further', async () => {
    const gone = await reviewer('Gone');
    const team = await createTeam(app, organization.id, { members: [bob] });
    await activatePolicy(owner, team, { nodes: [level([user(bob)], '1m')] });
    const id = await askOn([level([user(gone), ofTeam(team)]), level([user(ada)])]);
    await stepAt(app, id, new Date((await nextAt(id)).getTime()));
    expect(await told(id)).toEqual([
      'level_notified Gone',
      'level_notified Bob',
      'team_policy_exhausted',
    ]);
    await succeeds(suspend(gone));
    await stepAt(app, id);
    expect(await told(id)).toEqual([
      'level_notified Gone',
      'level_notified Bob',
      'team_policy_exhausted',
    ]);
    expect(statusesOf(await routing(id))).toEqual(['current', 'upcoming']);
  });
});

describe('the level that is entered in place of a lost one', () => {
  test('waits for whom it has just told, though a team of it has nobody to ask', async () => {
    const gone = await reviewer('Gone');
    const team = await createTeam(app, organization.id, { members: [bob] });
    const urgent = { type: 'urgency', urgency: 'interrupt' };
    const nobody = {
      id: randomUUID(),
      type: 'if_else',
      conditions: [urgent],
      then: [level([user(bob)])],
      else: [],
    };
    await activatePolicy(owner, team, { nodes: [nobody] });
    const id = await askOn([
      level([user(gone)]),
      level([user(ada), ofTeam(team)]),
      level([user(owner)]),
    ]);
    await succeeds(suspend(gone));
    await untilTold(id, [
      'level_notified Gone',
      'level_skipped nobody_left',
      'level_notified Ada',
      'team_policy_exhausted',
    ]);
    expect(statusesOf(await routing(id))).toEqual(['done', 'current', 'upcoming']);
  });
});

describe.each(Object.keys(ways))('the only person of a level who is %s', (way) => {
  test('is waited for no longer: the next level is told within seconds, and the timeline says why', async () => {
    const gone = await reviewer('Gone');
    const id = await askOn([level([user(gone)]), level([user(bob)])]);
    expect(await told(id)).toEqual(['level_notified Gone']);
    await succeeds(ways[way]?.(gone));
    await untilTold(id, ['level_notified Gone', 'level_skipped nobody_left', 'level_notified Bob']);
    const body = await routing(id);
    expect(statusesOf(body)).toEqual(['done', 'current']);
    const [first, second] = body['levels'] ?? [];
    expect(first?.['escalate_at']).toBe(second?.['notified_at']);
    expect(first).toMatchObject({
      targets: [{ members: [{ can_decide: false, notified_at: expect.any(String) }] }],
    });
    expect((await decide(bob.http, id)).status).toBe(200);
  });

  test('holds the request no longer either, though somebody else of the level is waited for', async () => {
    const gone = await reviewer('Gone');
    const id = await askOn([level([user(gone), user(ada)], '1h'), level([user(bob)])]);
    await claimed(gone.http, id);
    await succeeds(ways[way]?.(gone));
    await until('the claim has ended', async () => (await holdersOf(app, id)).length === 0);
    const [last] = (await timelineOf(app, id)).slice(-1);
    expect(last?.type).toBe('approval_request.claim_released');
    expect(last?.data).toMatchObject({
      membership_id: gone.membershipId,
      display_name: 'Gone',
      reason: expect.any(String),
    });
    expect(await routing(id)).toMatchObject({ state: 'waiting' });
    expect(statusesOf(await routing(id))).toEqual(['current', 'upcoming']);
    expect((await claim(ada.http, id)).status).toBe(200);
  });
});

describe('a level goes on', () => {
  test('only when the last of those it told is lost; one who is left is waited for', async () => {
    const [one, two] = [await reviewer('One'), await reviewer('Two')];
    const id = await askOn([level([user(one), user(two)]), level([user(bob)])]);
    const planned = await nextAt(id);
    await succeeds(suspend(one));
    expect(await nextAt(id)).toEqual(planned);
    await staysPut(id);
    await succeeds(onlyReading(two));
    await untilTold(id, [
      'level_notified One',
      'level_notified Two',
      'level_skipped nobody_left',
      'level_notified Bob',
    ]);
  });

  test('when those it told through a team have left it, are stripped with it, or the team is emptied', async () => {
    const losses: readonly ((team: string) => Promise<Answer>)[] = [
      (team) => roster(team),
      async (team) => {
        const [policy] = await app
          .db('permission_policies')
          .where({ team_id: team })
          .pluck<string[]>('id');
        return await owner.browser.delete(`${TEAMS}/${team}/permission_policies/${policy}`);
      },
    ];
    for (const loses of losses) {
      const member = await createMember(app, organization.id, { displayName: 'Member' });
      const team = await createTeam(app, organization.id, {
        members: [member],
        policies: REVIEWER,
      });
      const id = await askOn([level([ofTeam(team)]), level([user(bob)])]);
      await succeeds(loses(team));
      await untilTold(id, [
        'level_notified Member',
        'level_skipped nobody_left',
        'level_notified Bob',
      ]);
    }
  });

  test('when a team that granted the right is archived, which no path names', async () => {
    const member = await createMember(app, organization.id, { displayName: 'Member' });
    const team = await createTeam(app, organization.id, { members: [member], policies: REVIEWER });
    const id = await askOn([level([user(member)]), level([user(bob)])]);
    await succeeds(owner.http.delete(`${TEAMS}/${team}`));
    await untilTold(id, [
      'level_notified Member',
      'level_skipped nobody_left',
      'level_notified Bob',
    ]);
  });

  test('not when somebody who left the team may decide what is routed to others', async () => {
    const policies = [
      {
        scope_kind: 'organization' as const,
        permissions: [...PERMISSIONS, 'request.decide.unrouted'],
      },
    ];
    const member = await createMember(app, organization.id, { displayName: 'Member', policies });
    const team = await createTeam(app, organization.id, { members: [member] });
    const id = await askOn([level([ofTeam(team)]), level([user(bob)])]);
    await succeeds(roster(team));
    await staysPut(id);
    expect((await decide(member.http, id)).status).toBe(200);
  });

  test('though a reviewer whom somebody added could still answer: he is asked beside the path', async () => {
    const gone = await reviewer('Gone');
    const id = await askOn([level([user(gone)]), level([user(bob)])]);
    expect(
      (
        await gone.http.post(`/api/v1/requests/${id}/reviewers`, {
          membership_ids: [ada.membershipId],
        })
      ).status,
    ).toBe(200);
    await succeeds(suspend(gone));
    await untilTold(id, ['level_notified Gone', 'level_skipped nobody_left', 'level_notified Bob']);
  });

  test('inside a team too: its policy goes on to whom it asks next, and the level ends when nobody told inside it is left', async () => {
    const [one, two] = [await reviewer('One'), await reviewer('Two')];
    const team = await createTeam(app, organization.id, { members: [one, two] });
    await activatePolicy(owner, team, {
      nodes: [level([user(one)], '6h'), level([user(two)], '6h')],
    });
    const id = await askOn([level([ofTeam(team)]), level([user(bob)])]);
    expect(await told(id)).toEqual(['level_notified One']);
    await succeeds(suspend(one));
    await untilTold(id, ['level_notified One', 'level_skipped nobody_left', 'level_notified Two']);
    expect(statusesOf(await routing(id))).toEqual(['current', 'upcoming']);
    await succeeds(roster(team, one));
    const inside = [
      'level_notified One',
      'level_skipped nobody_left',
      'level_notified Two',
      'level_skipped nobody_left',
    ];
    await untilTold(id, [
      ...inside,
      'team_policy_exhausted',
      'level_skipped nobody_left',
      'level_notified Bob',
    ]);
    expect(statusesOf(await routing(id))).toEqual(['done', 'current']);
  });

  test('to the wait before its next run, which counts in full, and to the end of a path without one', async () => {
    const [gone, other] = [await reviewer('Gone'), await reviewer('Other')];
    const repeated = await askOn([level([user(gone)])], { repeat: { times: 1, after: '2h' } });
    const once = await askOn([level([user(other)])]);
    for (const member of [gone, other]) await succeeds(suspend(member));
    await untilTold(repeated, ['level_notified Gone', 'level_skipped nobody_left']);
    expect(await routing(repeated)).toMatchObject({
      state: 'waiting',
      next_step: { kind: 'repeat' },
    });
    const skipped = (await timelineOf(app, repeated)).at(-1)?.at.getTime() ?? 0;
    expect((await nextAt(repeated)).getTime() - skipped).toBe(2 * 3_600_000);
    await untilTold(once, ['level_notified Other', 'level_skipped nobody_left', 'path_exhausted']);
    expect(await routing(once)).toMatchObject({ state: 'exhausted' });
  });

  test('when the claim of somebody who stays has ended, and not before', async () => {
    const gone = await reviewer('Gone');
    const id = await askOn([level([user(gone)]), level([user(bob)])]);
    await claimed(bob.http, id);
    await succeeds(suspend(gone));
    await staysPut(id);
    expect(await routing(id)).toMatchObject({ state: 'paused' });
    expect((await release(bob.http, id)).status).toBe(204);
    await untilTold(id, [
      'level_notified Gone',
      'claimed Bob',
      'claim_released Bob',
      'level_skipped nobody_left',
      'level_notified Bob',
    ]);
  });
});

describe('a claim', () => {
  test('whose holder was taken off the team the path names ends, says why, and the walk goes on', async () => {
    const member = await reviewer('Member');
    const team = await createTeam(app, organization.id, { members: [member, ada] });
    const id = await askOn([level([ofTeam(team)]), level([user(bob)])]);
    await claimed(member.http, id);
    await succeeds(roster(team, ada));
    await until('the claim has ended', async () => (await holdersOf(app, id)).length === 0);
    const [last] = (await timelineOf(app, id)).slice(-1);
    expect(last?.data).toMatchObject({ display_name: 'Member', reason: 'holder_cannot_decide' });
    expect(await routing(id)).toMatchObject({ state: 'waiting', next_at: expect.any(String) });
  });

  test('of a request without a path ends with the right to decide for its agent', async () => {
    const member = await reviewer('Member');
    const id = await ask(app, await createAgent(app, organization));
    await claimed(member.http, id);
    await succeeds(onlyReading(member));
    await until('the claim has ended', async () => (await holdersOf(app, id)).length === 0);
    expect(await routing(id)).toMatchObject({ state: 'unrouted' });
  });

  test('stays with somebody whose other rights change', async () => {
    const member = await reviewer('Member');
    const id = await askOn([level([user(member)])]);
    await claimed(member.http, id);
    const planned = await nextAt(id);
    await succeeds(withPermissions(member, { permissions: [...PERMISSIONS, 'agent.read'] }));
    expect(await nextAt(id)).toEqual(planned);
    await staysPut(id);
    expect(await holdersOf(app, id)).toEqual([member.membershipId]);
  });
});

describe('20 times at the same moment', () => {
  /** Every round at its moment; what each has to come to is waited for in the end. */
  async function rounds(round: (n: number) => Promise<() => Promise<void>>): Promise<void> {
    const ends: (() => Promise<void>)[] = [];
    for (let n = 0; n < 20; n += 1) ends.push(await round(n));
    for (const end of ends) await end();
  }
  const asked = ['level_notified Gone', 'level_skipped nobody_left', 'level_notified Bob'];

  test.each(['suspended', 'left with reading'])(
    'the only one decides and is %s: it is decided, or the next one is asked',
    async (way) => {
      await rounds(async () => {
        const gone = await reviewer('Gone');
        const id = await askOn([level([user(gone)]), level([user(bob)])]);
        const [decided, lost] = await Promise.all([decide(gone.http, id), ways[way]?.(gone)]);
        expect(lost?.status).toBe(200);
        expect([200, 403]).toContain(decided.status);
        if (decided.status === 403) return () => untilTold(id, asked);
        return async () => {
          expect((await verbsOf(app, id)).at(-1)).toBe('approved');
          expect(await told(id)).toEqual(['level_notified Gone']);
        };
      });
    },
  );

  test('somebody claims and is stripped: no claim of his outlives it', async () => {
    await rounds(async () => {
      const gone = await reviewer('Gone');
      const id = await askOn([level([user(gone), user(bob)])]);
      const [claiming, lost] = await Promise.all([claim(gone.http, id), onlyReading(gone)]);
      expect(lost.status).toBe(200);
      expect([200, 403]).toContain(claiming.status);
      const ends =
        claiming.status === 200 ? ['claimed Gone', 'claim_released holder_cannot_decide'] : [];
      return async () => {
        await untilTold(id, ['level_notified Gone', 'level_notified Bob', ...ends]);
        expect(await holdersOf(app, id)).toEqual([]);
      };
    });
  });

  test('a level is told and its only one is suspended: it is never waited out', async () => {
    const agent = await createAgent(app, organization);
    await rounds(async (n) => {
      const gone = await reviewer('Gone');
      await activatePath(owner, {
        path_key: `race-${n}`,
        name: 'Race',
        nodes: [level([user(gone)]), level([user(bob)])],
      });
      await activatePipeline(owner, `agents/${agent.slug}`, {
        default_escalation_path: `race-${n}`,
        blocks: [],
      });
      const id = await askUnevaluated(app, agent, { timeout: '168h' });
      const [, lost] = await Promise.all([stepAt(app, id), suspend(gone)]);
      expect(lost.status).toBe(200);
      return async () => {
        await until('Bob is asked', async () => (await told(id)).at(-1) === 'level_notified Bob');
        expect([asked, ['level_skipped nobody_to_ask', 'level_notified Bob']]).toContainEqual(
          await told(id),
        );
      };
    });
  });
});

describe('a step that reads who may decide while somebody takes rights away', () => {
  test('looks again once that is over, and goes on from a level it told in vain', async () => {
    const gone = await reviewer('Gone');
    const agent = await createAgent(app, organization);
    await activatePath(owner, {
      path_key: 'unseen',
      name: 'Unseen',
      nodes: [level([user(gone)]), level([user(bob)])],
    });
    await activatePipeline(owner, `agents/${agent.slug}`, {
      default_escalation_path: 'unseen',
      blocks: [],
    });
    const id = await askUnevaluated(app, agent, { timeout: '168h' });
    await app.db.transaction(async (trx) => {
      await trx('memberships').where({ id: gone.membershipId }).update({ status: 'suspended' });
      expect(await wakeUnreachable(trx, organization.id, [gone.membershipId])).toEqual([]);
      await stepAt(app, id);
      expect(await told(id)).toEqual(['level_notified Gone']);
    });
    await untilTold(id, ['level_notified Gone', 'level_skipped nobody_left', 'level_notified Bob']);
  });

  test('is waited for by whoever comes after it, who finds whom it told', async () => {
    const gone = await reviewer('Gone');
    const id = await askOn([level([user(ada)]), level([user(gone)]), level([user(bob)])]);
    const due = await nextAt(id);
    const { suspending } = await app.db.transaction(async (step) => {
      await stepRequest({ ...app.context, db: step as Db as Pool }, id, {
        floor: due,
        by: 'workflow',
      });
      const begun = suspend(gone);
      await untilBlocked(app.db);
      return { suspending: begun };
    });
    await succeeds(suspending);
    await untilTold(id, [
      'level_notified Ada',
      'level_notified Gone',
      'level_skipped nobody_left',
      'level_notified Bob',
    ]);
  });
});
