/** Members: listing, suspending, reactivating and removing them. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  activatePath,
  activatePolicy,
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
} from '../../support/scene/factories.ts';
import type { TestMember, TestOrganization } from '../../support/scene/factories.ts';
import { HttpClient, type Answer } from '../../support/http.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { everywhere } from '../../support/scene.ts';

let app: TestApp;
/** Another process of the same deployment. */
let other: TestApp;
let organization: TestOrganization;
let owner: TestMember;

beforeAll(async () => {
  app = await startApp({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
  other = await startApp({ databaseUrl: app.databaseUrl });
});

afterAll(async () => {
  await other.close();
  await app.close();
});

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const allowed = (...permissions: string[]) => [everywhere(...permissions)];
const ownership = [{ scope_kind: 'organization' as const, is_owner: true }];
const member = (options: Parameters<typeof createMember>[2] = {}) =>
  createMember(app, organization.id, options);
const manager = () => member({ policies: allowed('membership.write', 'membership.read') });

const path = ({ membershipId }: TestMember) => `/api/v1/members/${membershipId}`;
const patch = (who: TestMember, target: TestMember, body: unknown) =>
  who.browser.call('PATCH', path(target), { body });
const suspend = (who: TestMember, target: TestMember, force?: boolean) =>
  patch(who, target, { status: 'suspended', force });
const reactivate = (who: TestMember, target: TestMember) =>
  patch(who, target, { status: 'active' });
const remove = (who: TestMember, target: TestMember, query = '') =>
  who.browser.delete(`${path(target)}${query}`);

/** The owner with a key in place of the browser session, for `patch` and `remove`. */
const byKey = (http: HttpClient): TestMember => ({ ...owner, membershipId: '', browser: http });

const outcome = ({ status, body }: Answer) =>
  status < 400 ? status : `${status} ${String(body['error']?.['code'])}`;

const statusOf = async ({ membershipId }: TestMember) =>
  (await app.db('memberships').where({ id: membershipId }).pluck<string[]>('status'))[0];

async function eventsOf({ membershipId }: TestMember) {
  const rows = await app
    .db('audit_events')
    .where({ subject_id: membershipId })
    .orderBy('sequence')
    .select<{ event_type: string; data: string }[]>('event_type', 'data');
  return rows.map(({ event_type, data }) => ({
    type: event_type,
    data: JSON.parse(data) as Record<string, unknown>,
  }));
}

const URGENT = { type: 'urgency', urgency: 'interrupt' };

/** A level that asks the member. */
const levelOf = ({ membershipId }: TestMember) => ({
  id: randomUUID(),
  type: 'level',
  targets: [{ type: 'user', id: membershipId }],
  escalate_after: '15m',
});

/** Makes an active path ask the member by name. Returns its key. */
async function askByName(member: TestMember): Promise<string> {
  const path_key = `path-${randomUUID().slice(0, 8)}`;
  await activatePath(owner, { path_key, name: 'Night shift', nodes: [levelOf(member)] });
  return path_key;
}

describe('the list of members', () => {
  test('shows each member with own and inherited policies and with live teams', async () => {
    const ada = await member({ displayName: 'Ada', policies: allowed('request.read') });
    const teamId = await createTeam(app, organization.id, {
      name: 'On call',
      members: [ada],
      policies: allowed('request.decide'),
    });
    const shown = (await owner.http.get(path(ada))).body;
    expect(shown).toMatchObject({
      id: ada.membershipId,
      display_name: 'Ada',
      email: ada.email,
      status: 'active',
      admission_source: 'manual',
      directory_managed: false,
      team_ids: [teamId],
    });
    const assignments = shown['assignments'] as unknown as Record<string, unknown>[];
    const inherited = assignments.find((assignment) => assignment['via_team_id'] !== undefined);
    expect(assignments).toHaveLength(2);
    expect(inherited).toMatchObject({
      via_team_id: teamId,
      via_team_name: 'On call',
      permissions: ['request.decide'],
    });
    expect((await owner.http.get('/api/v1/members')).body['members']).toContainEqual(shown);
  });

  test('orders active, suspended and removed members, each by name, and returns every one once across pages', async () => {
    const rows = [
      ['zoe', 'active'],
      ['Bea', 'active'],
      ['adam', 'active'],
      ['Bea', 'suspended'],
      ['Alf', 'deprovisioned'],
    ] as const;
    for (const [displayName, status] of rows) await member({ displayName, status });
    const whole = (await owner.http.get('/api/v1/members')).body['members'] as unknown as Record<
      string,
      string
    >[];
    expect(
      whole
        .filter(({ id }) => id !== owner.membershipId)
        .map(({ display_name, status }) => [display_name, status]),
    ).toEqual([
      ['adam', 'active'],
      ['Bea', 'active'],
      ['zoe', 'active'],
      ['Bea', 'suspended'],
      ['Alf', 'deprovisioned'],
    ]);
    const paged: unknown[] = [];
    for (let cursor = ''; ;) {
      const page = await owner.http.get(`/api/v1/members?limit=2${cursor}`);
      paged.push(...(page.body['members'] as unknown as unknown[]));
      if (!page.body['next_cursor']) break;
      cursor = `&cursor=${String(page.body['next_cursor'])}`;
    }
    expect(paged).toEqual(whole);
  });

  test('filters by status and by part of a name or email, and accepts a cursor only with the same filters', async () => {
    const found = await member({ displayName: 'Grace 100% Hopper' });
    await member({ displayName: 'Grace Kelly', status: 'suspended' });
    const ids = async (query: string) =>
      (
        (await owner.http.get(`/api/v1/members?${query}`)).body['members'] as unknown as {
          id: string;
        }[]
      ).map(({ id }) => id);
    expect(await ids('q=gRACE%20100%25')).toEqual([found.membershipId]);
    expect(await ids('q=grace&status=active')).toEqual([found.membershipId]);
    expect(await ids(`q=${encodeURIComponent(found.email.toUpperCase())}`)).toEqual([
      found.membershipId,
    ]);
    expect(await ids('status=deprovisioned')).toEqual([]);
    const cursor = String(
      (await owner.http.get('/api/v1/members?limit=1&q=grace')).body['next_cursor'],
    );
    expect((await owner.http.get(`/api/v1/members?limit=1&q=grace&cursor=${cursor}`)).status).toBe(
      200,
    );
    expect(outcome(await owner.http.get(`/api/v1/members?limit=1&cursor=${cursor}`))).toBe(
      '400 validation_failed',
    );
  });

  test('is open to organization keys with membership.read, and closed without it', async () => {
    const key = await createOrganizationKey(app, organization, allowed('membership.read'));
    expect((await key.http.get('/api/v1/members')).status).toBe(200);
    expect(outcome(await (await member()).http.get('/api/v1/members'))).toBe(
      '403 permission_denied',
    );
    const stranger = (await createOrganization(app)).owner;
    expect(outcome(await owner.http.get(path(stranger)))).toBe('404 not_found');
  });
});

describe('suspending a member', () => {
  test('answers the membership with its grants, writes an audit event, and reactivating restores everything', async () => {
    const ada = await member({ policies: allowed('request.read') });
    const answer = await suspend(owner, ada);
    expect(answer.status).toBe(200);
    expect(answer.body['member']).toMatchObject({
      id: ada.membershipId,
      user_id: ada.userId,
      organization_id: organization.id,
      status: 'suspended',
      assignments: [{ permissions: ['request.read'] }],
    });
    expect((await reactivate(owner, ada)).body['member']).toMatchObject({
      status: 'active',
      assignments: [{ permissions: ['request.read'] }],
    });
    expect((await ada.http.get('/api/v1/me')).status).toBe(200);
    expect((await eventsOf(ada)).map(({ type }) => type)).toEqual([
      'membership.suspended',
      'membership.reactivated',
    ]);
  });

  test('refuses their session and key at the next call, in every process', async () => {
    const ada = await member();
    for (const { url } of [app, other])
      expect(await status(url, { authorization: `Bearer ${ada.apiKey}` })).toBe(200);
    await suspend(owner, ada);
    for (const { url } of [app, other]) {
      expect(await status(url, { authorization: `Bearer ${ada.apiKey}` })).toBe(403);
      expect(await status(url, { cookie: ada.cookie })).toBe(403);
    }
  });

  test('who is suspended already writes nothing', async () => {
    const ada = await member({ status: 'suspended' });
    const before = (await owner.http.get(path(ada))).body;
    expect((await suspend(owner, ada)).body['member']).toMatchObject({ status: 'suspended' });
    expect((await owner.http.get(path(ada))).body).toEqual(before);
    expect(await eventsOf(ada)).toEqual([]);
  });

  test('accepts no other status', async () => {
    expect(outcome(await patch(owner, await member(), { status: 'deprovisioned' }))).toBe(
      '400 validation_failed',
    );
  });
});

async function status(url: string, headers: Record<string, string>): Promise<number> {
  return (await fetch(`${url}/api/v1/me`, { headers })).status;
}

describe('removing a member', () => {
  test('deletes their policies, manual team memberships, sessions and keys, and keeps the record', async () => {
    const ada = await member({ policies: allowed('request.read') });
    const teamId = await createTeam(app, organization.id, { members: [ada] });
    const expected = {
      left_behind: { escalation_paths: [], team_escalation_policies: [] },
      deleted_permission_policies: await ids('permission_policies', ada),
      left_teams: [teamId],
      revoked_sessions: await ids('sessions', ada),
      revoked_api_keys: await ids('api_keys', ada),
    };
    expect((await remove(owner, ada)).status).toBe(204);
    for (const { url } of [app, other]) {
      expect(await status(url, { authorization: `Bearer ${ada.apiKey}` })).toBe(401);
      expect(await status(url, { cookie: ada.cookie })).toBe(401);
    }
    expect((await owner.http.get(path(ada))).body).toMatchObject({
      status: 'deprovisioned',
      assignments: [],
      team_ids: [],
    });
    const key = (await app
      .db('api_keys')
      .where({ membership_id: ada.membershipId })
      .first('revocation_reason')) as object;
    expect(key).toEqual({ revocation_reason: 'membership_deprovisioned' });
    expect(await eventsOf(ada)).toEqual([{ type: 'membership.deprovisioned', data: expected }]);
  });

  test('is permanent, and a repeat is 204 without another audit event', async () => {
    const ada = await member();
    await remove(owner, ada);
    const written = await eventsOf(ada);
    expect((await remove(owner, ada)).status).toBe(204);
    expect(outcome(await reactivate(owner, ada))).toBe('409 membership_removed');
    expect(outcome(await suspend(owner, ada))).toBe('409 membership_removed');
    expect(await eventsOf(ada)).toEqual(written);
  });

  const ids = async (table: string, { membershipId }: TestMember) =>
    await app.db(table).where({ membership_id: membershipId }).pluck<string[]>('id');
});

describe.each([
  ['suspending', suspend],
  [
    'removing',
    (who: TestMember, target: TestMember, force?: boolean) =>
      remove(who, target, force ? '?force=true' : ''),
  ],
] as const)('%s', (_, change) => {
  test('oneself is refused, even for an owner', async () => {
    expect(outcome(await change(owner, owner))).toBe('403 self_change');
    const inCapitals = { ...owner, membershipId: owner.membershipId.toUpperCase() };
    expect(outcome(await change(owner, inCapitals))).toBe('403 self_change');
    expect(await statusOf(owner)).toBe('active');
  });

  test('an owner needs an owner', async () => {
    const second = await member({ policies: ownership });
    expect(outcome(await change(await manager(), second))).toBe('403 owner_required');
    expect((await change(owner, second)).status).toBeLessThan(300);
    expect(await statusOf(second)).not.toBe('active');
  });

  test('a manager is possible by key, and an owner only by session', async () => {
    const scoped = await member({ policies: ownership });
    await app
      .db('api_keys')
      .where({ membership_id: scoped.membershipId })
      .update({ permissions: ['membership.write'] });
    const second = await member({ policies: ownership });
    for (const { http } of [owner, scoped]) {
      expect(outcome(await change(byKey(http), second))).toBe('403 session_required');
      expect(await statusOf(second)).toBe('active');
    }
    expect((await change(byKey((await manager()).http), await member())).status).toBeLessThan(300);
  });

  test('an owner needs recent authentication, with a second factor when the organization requires it', async () => {
    const second = await member({ policies: ownership });
    const session = () => app.db('sessions').where({ membership_id: owner.membershipId });
    await session().update({ authenticated_at: new Date(Date.now() - 3_600_000) });
    expect(outcome(await change(owner, second))).toBe('403 reauthentication_required');
    expect((await change(owner, await member())).status).toBeLessThan(300);
    await session().update({ authenticated_at: new Date() });
    await app.db('organizations').where({ id: organization.id }).update({ require_mfa: true });
    expect(outcome(await change(owner, second))).toBe('403 mfa_required');
    expect(await statusOf(second)).toBe('active');
    await session().update({ assurance: 'strong' });
    expect((await change(owner, second)).status).toBeLessThan(300);
  });

  test('needs membership.write', async () => {
    const ada = await member();
    expect(outcome(await change(await member({ policies: allowed('membership.read') }), ada))).toBe(
      '403 permission_denied',
    );
    expect(await statusOf(ada)).toBe('active');
  });

  test('a directory-managed member is refused', async () => {
    const ada = await member();
    await app.db('memberships').where({ id: ada.membershipId }).update({ directory_managed: true });
    expect(outcome(await change(owner, ada))).toBe('409 directory_managed');
    expect(await statusOf(ada)).toBe('active');
  });

  test('a member in an active escalation path is refused with the paths, and force records what was left behind', async () => {
    const ada = await member();
    const path_key = await askByName(ada);
    const uses = {
      escalation_paths: [{ path_key, name: 'Night shift', revision: 1 }],
      team_escalation_policies: [],
    };
    const refused = await change(owner, ada);
    expect(outcome(refused)).toBe('409 membership_in_escalation_path');
    expect(refused.body['error']?.['details']).toEqual(uses);
    expect(await statusOf(ada)).toBe('active');
    expect((await change(owner, ada, true)).status).toBeLessThan(300);
    expect((await eventsOf(ada)).at(-1)?.data).toMatchObject({ left_behind: uses });
  });

  test('a member in active team escalation policies is refused with the teams, and force records what was left behind', async () => {
    const ada = await member();
    const [night, day] = [
      await createTeam(app, organization.id, { name: `Night ${randomUUID()}`, members: [ada] }),
      await createTeam(app, organization.id, { name: `Day ${randomUUID()}`, members: [ada] }),
    ];
    const level = levelOf(ada);
    for (const id of [night, day]) await activatePolicy(owner, id, { nodes: [level] });
    await activatePolicy(owner, night, {
      nodes: [{ id: randomUUID(), type: 'if_else', conditions: [URGENT], then: [level] }],
    });
    const named = (team_id: string, revision: number) => ({
      team_id,
      team_name: expect.any(String),
      revision,
    });
    const uses = {
      escalation_paths: [],
      team_escalation_policies: [named(day, 1), named(night, 2)],
    };
    const refused = await change(owner, ada);
    expect(outcome(refused)).toBe('409 membership_in_escalation_path');
    expect(refused.body['error']?.['details']).toEqual(uses);
    expect(await statusOf(ada)).toBe('active');
    expect((await change(owner, ada, true)).status).toBeLessThan(300);
    expect((await eventsOf(ada)).at(-1)?.data).toMatchObject({ left_behind: uses });
  });

  test('a member in a deactivated escalation policy is possible', async () => {
    const ada = await member();
    const id = await createTeam(app, organization.id, { members: [ada] });
    const level = levelOf(ada);
    await activatePolicy(owner, id, { nodes: [level] });
    await owner.http.call('DELETE', `/api/v1/teams/${id}/escalation-policy/active`, {
      headers: { 'if-match': '"1"' },
    });
    expect((await change(owner, ada)).status).toBeLessThan(300);
  });

  test('a member in an archived escalation path is possible', async () => {
    const ada = await member();
    const path_key = await askByName(ada);
    await owner.http.delete(`/api/v1/escalation-paths/${path_key}`, {
      headers: { 'if-match': '"1"' },
    });
    expect((await change(owner, ada)).status).toBeLessThan(300);
  });

  test('a member of another organization answers 404', async () => {
    const stranger = (await createOrganization(app)).owner;
    expect(outcome(await change(owner, stranger))).toBe('404 not_found');
    expect(await statusOf(stranger)).toBe('active');
  });
});

test('reactivating an owner needs recent authentication of an owner', async () => {
  const second = await member({ policies: ownership, status: 'suspended' });
  expect(outcome(await reactivate(byKey(owner.http), second))).toBe('403 session_required');
  await app
    .db('sessions')
    .where({ membership_id: owner.membershipId })
    .update({ authenticated_at: new Date(Date.now() - 3_600_000) });
  expect(outcome(await reactivate(owner, second))).toBe('403 reauthentication_required');
  expect(await statusOf(second)).toBe('suspended');
});

describe('concurrent changes', () => {
  test('by two owners who remove each other in two processes leave exactly one owner', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const home = await createOrganization(app);
      const second = await createMember(app, home.id, { policies: ownership });
      const elsewhere = {
        ...second,
        browser: new HttpClient(other.url, { cookie: second.cookie, origin: other.url }),
      };
      const answers = await Promise.all([
        remove(home.owner, second),
        remove(elsewhere, home.owner),
      ]);
      const [winner, loser] = answers.map(outcome).sort();
      expect(winner).toBe(204);
      expect(['401 authentication_required', '403 membership_inactive']).toContain(loser);
      const left = await Promise.all([statusOf(home.owner), statusOf(second)]);
      expect(left.sort()).toEqual(['active', 'deprovisioned']);
    }
  });

  test('by three owners who remove each other in a ring never let a removed owner remove another', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const home = await createOrganization(app);
      const [second, third] = [
        await createMember(app, home.id, { policies: ownership }),
        await createMember(app, home.id, { policies: ownership }),
      ];
      const ring = [home.owner, second, third];
      const answers = await Promise.all(
        ring.map((who, index) => remove(who, ring[(index + 1) % 3] ?? who)),
      );
      const removed = answers.filter((answer) => answer.status === 204).length;
      const left = await Promise.all(ring.map(statusOf));
      expect(left.filter((one) => one === 'deprovisioned')).toHaveLength(removed);
      expect(left).toContain('active');
      // Each 204 is the work of a person who was still a member at that time.
      const events = (await app
        .db('audit_events')
        .where({ organization_id: home.id, event_type: 'membership.deprovisioned' })
        .orderBy('sequence')) as {
        actor_id: string;
        subject_id: string;
      }[];
      events.forEach(({ actor_id }, index) => {
        expect(events.slice(0, index).map(({ subject_id }) => subject_id)).not.toContain(actor_id);
      });
    }
  });

  test('that suspend and remove one member leave them removed, with one event each', async () => {
    const second = await manager();
    for (let round = 0; round < ROUNDS; round += 1) {
      const ada = await member();
      const [suspended, removed] = await Promise.all([suspend(owner, ada), remove(second, ada)]);
      expect(removed.status).toBe(204);
      expect([200, '409 membership_removed']).toContain(outcome(suspended));
      expect(await statusOf(ada)).toBe('deprovisioned');
      const expected =
        suspended.status === 200
          ? ['membership.suspended', 'membership.deprovisioned']
          : ['membership.deprovisioned'];
      expect((await eventsOf(ada)).map(({ type }) => type)).toEqual(expected);
    }
  });
});
