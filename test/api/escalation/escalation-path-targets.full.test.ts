/** Escalation paths with teams, branches and deferrals. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ROUNDS } from '../../support/rounds.ts';
import { appForFile } from '../../support/scene.ts';
import { createMember, createOrganization, createTeam } from '../../support/scene/factories.ts';
import type { TestMember, TestOrganization } from '../../support/scene/factories.ts';
import { issuesOf } from '../../support/refusals.ts';
import { document, level, PATHS, pathCalls } from './path-scene.ts';

const app = await appForFile();
let organization: TestOrganization;
let owner: TestMember;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const { create, activate } = pathCalls(() => owner);
const user = (id: string) => ({ type: 'user', id });

describe('a path with teams, branches and deferrals', () => {
  const team = (id: string) => ({ type: 'team', id });

  test('comes back whole, with defaults filled in', async () => {
    const id = await createTeam(app, organization.id, { members: [owner] });
    const ids = Array.from({ length: 5 }, () => randomUUID());
    const working_hours = [
      {
        id: 'office',
        name: 'Office',
        timezone: 'Asia/Kolkata',
        intervals: [{ weekdays: ['mon', 'sun'], start: '22:00', end: '24:00' }],
      },
    ];
    const nodes = [
      {
        id: ids[0],
        type: 'if_else',
        conditions: [
          { type: 'working_hours', working_hours_id: 'office', active: false },
          { type: 'urgency', urgency: 'standard' },
          {
            type: 'request',
            when: {
              id: 'big',
              all: [{ id: 'a', field: '/request/arguments/n', operator: 'equals', value: 1 }],
            },
          },
        ],
        then: [
          { id: ids[1], type: 'defer', working_hours_id: 'office' },
          level([team(id), user(owner.membershipId)], ids[2]),
        ],
      },
      { id: ids[3], type: 'defer', working_hours_id: 'office', standard_only: true },
      { ...level([{ type: 'broadcast' }], ids[4]), raise_urgency: true },
    ];
    const created = await create({ working_hours, nodes, repeat: { times: 9, after: '168h' } });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ working_hours, repeat: { times: 9, after: '168h' } });
    expect(created.body['nodes']).toEqual([
      {
        ...nodes[0],
        then: [
          { id: ids[1], type: 'defer', working_hours_id: 'office', standard_only: false },
          { ...level([team(id), user(owner.membershipId)], ids[2]), raise_urgency: false },
        ],
        else: [],
      },
      nodes[1],
      nodes[2],
    ]);
    expect((await activate(1, '"0"')).body['nodes']).toEqual(created.body['nodes']);
  });

  test('accepts only live teams of the organization, and no id of another type', async () => {
    const foreign = await createTeam(app, (await createOrganization(app)).id);
    const archived = await createTeam(app, organization.id);
    const live = await createTeam(app, organization.id);
    await owner.http.delete(`/api/v1/teams/${archived}`);
    const crossed = [team(owner.membershipId), user(live), user(owner.membershipId), team(live)];
    const branch = {
      id: randomUUID(),
      type: 'if_else',
      conditions: [{ type: 'urgency', urgency: 'standard' }],
      else: [level(crossed)],
    };
    const refused = await create({
      nodes: [level([team(live), team(foreign), team(archived)], randomUUID()), branch],
    });
    expect(issuesOf(refused)).toMatchObject([
      { pointer: '/nodes/0/targets/1/id', code: 'unknown_target' },
      { pointer: '/nodes/0/targets/2/id', code: 'unknown_target' },
      { pointer: '/nodes/1/else/0/targets/0/id', code: 'unknown_target' },
      { pointer: '/nodes/1/else/0/targets/1/id', code: 'unknown_target' },
    ]);
  });

  test('warns about teams that are empty or have members who cannot decide', async () => {
    const decider = { scope_kind: 'organization' as const, permissions: ['request.decide'] };
    const can = await createMember(app, organization.id, { policies: [decider] });
    const [cannot, suspended, gone] = [
      await createMember(app, organization.id, { displayName: 'Zoe' }),
      await createMember(app, organization.id, { status: 'suspended', policies: [decider] }),
      await createMember(app, organization.id, { status: 'deprovisioned' }),
    ];
    const mixed = await createTeam(app, organization.id, {
      name: 'mixed',
      members: [can, cannot, suspended, gone],
    });
    const able = await createTeam(app, organization.id, {
      name: 'Able',
      members: [await createMember(app, organization.id)],
      policies: [decider],
    });
    const empty = await createTeam(app, organization.id, { name: 'Empty', members: [gone] });
    const nodes = [
      level([team(mixed), team(able)], randomUUID()),
      level([team(empty), team(mixed), user(suspended.membershipId)]),
    ];
    const created = await create({ nodes });
    const warnings = [
      {
        code: 'user_cannot_decide',
        membership_id: suspended.membershipId,
        display_name: suspended.displayName,
      },
      { code: 'empty_team', team_id: empty, team_name: 'Empty', count: 0, member_count: 0 },
      {
        code: 'team_members_cannot_decide',
        team_id: mixed,
        team_name: 'mixed',
        count: 2,
        member_count: 3,
      },
    ];
    expect(created.body['warnings']).toEqual(warnings);
    expect((await activate(1, '"0"')).body['warnings']).toEqual(warnings);
    expect((await owner.http.get(`${PATHS}/on-call`)).body['warnings']).toEqual([]);
  });

  test('is not activated after a target was removed or archived, and the active revision stays', async () => {
    const member = await createMember(app, organization.id);
    const id = await createTeam(app, organization.id, { members: [member] });
    await create({ nodes: [level()] });
    await activate(1, '"0"');
    await owner.http.post(
      `${PATHS}/on-call/revisions`,
      document({ nodes: [level([team(id), user(member.membershipId)])] }),
    );
    expect((await owner.browser.delete(`/api/v1/members/${member.membershipId}`)).status).toBe(204);
    expect((await owner.http.delete(`/api/v1/teams/${id}`)).status).toBe(204);
    const refused = await activate(2, '"1"');
    expect(refused.status).toBe(409);
    expect(refused.body['error']).toMatchObject({
      code: 'escalation_target_missing',
      details: { membership_ids: [member.membershipId], team_ids: [id] },
    });
    expect((await owner.http.get(`${PATHS}/on-call`)).body).toMatchObject({ revision: 1 });
  });

  test('never becomes active while its team is archived or its member removed, in any round', async () => {
    let active = 0;
    await create();
    for (let round = 0; round < ROUNDS; round += 1) {
      const member = await createMember(app, organization.id);
      const id = await createTeam(app, organization.id);
      const target = round % 2 === 0 ? team(id) : user(member.membershipId);
      const taken =
        round % 2 === 0 ? `/api/v1/teams/${id}` : `/api/v1/members/${member.membershipId}`;
      const { body } = await owner.http.post(
        `${PATHS}/on-call/revisions`,
        document({ nodes: [level([target])] }),
      );
      const [activated, removed] = await Promise.all([
        activate(Number(body['revision']), `"${active}"`),
        owner.browser.delete(taken),
      ]);
      expect([
        [200, 409],
        [409, 204],
      ]).toContainEqual([activated.status, removed.status]);
      if (activated.status === 200) active = Number(body['revision']);
    }
  });
});
