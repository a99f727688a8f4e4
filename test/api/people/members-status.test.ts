/** Suspending, reactivating and removing members: what changes, in every process and at once. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  createMember,
  createOrganization,
  createTeam,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import {
  memberEvents,
  memberPath,
  OWNER_POLICY,
  patch,
  reactivate,
  remove,
  statusOf,
  suspend,
} from '../../support/scene/members.ts';
import { HttpClient } from '../../support/http.ts';
import { outcome } from '../../support/refusals.ts';
import { ROUNDS } from '../../support/rounds.ts';
import { everywhere, appForFile } from '../../support/scene.ts';

/** Another process of the same deployment. */
let organization: TestOrganization;
let owner: TestMember;

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
const other = await appForFile({ databaseUrl: app.databaseUrl });

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const member = (options: Parameters<typeof createMember>[2] = {}) =>
  createMember(app, organization.id, options);

async function status(url: string, headers: Record<string, string>): Promise<number> {
  return (await fetch(`${url}/api/v1/me`, { headers })).status;
}

describe('suspending a member', () => {
  test('answers the membership with its grants, writes an audit event, and reactivating restores everything', async () => {
    const ada = await member({ policies: [everywhere('request.read')] });
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
    expect((await memberEvents(app, ada)).map(({ type }) => type)).toEqual([
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
    const before = (await owner.http.get(memberPath(ada))).body;
    expect((await suspend(owner, ada)).body['member']).toMatchObject({ status: 'suspended' });
    expect((await owner.http.get(memberPath(ada))).body).toEqual(before);
    expect(await memberEvents(app, ada)).toEqual([]);
  });

  test('accepts no other status', async () => {
    expect(outcome(await patch(owner, await member(), { status: 'deprovisioned' }))).toBe(
      '400 validation_failed',
    );
  });
});

describe('removing a member', () => {
  test('deletes their policies, manual team memberships, sessions and keys, and keeps the record', async () => {
    const ada = await member({ policies: [everywhere('request.read')] });
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
    expect((await owner.http.get(memberPath(ada))).body).toMatchObject({
      status: 'deprovisioned',
      assignments: [],
      team_ids: [],
    });
    const key = (await app
      .db('api_keys')
      .where({ membership_id: ada.membershipId })
      .first('revocation_reason')) as object;
    expect(key).toEqual({ revocation_reason: 'membership_deprovisioned' });
    expect(await memberEvents(app, ada)).toEqual([
      { type: 'membership.deprovisioned', data: expected },
    ]);
  });

  test('is permanent, and a repeat is 204 without another audit event', async () => {
    const ada = await member();
    await remove(owner, ada);
    const written = await memberEvents(app, ada);
    expect((await remove(owner, ada)).status).toBe(204);
    expect(outcome(await reactivate(owner, ada))).toBe('409 membership_removed');
    expect(outcome(await suspend(owner, ada))).toBe('409 membership_removed');
    expect(await memberEvents(app, ada)).toEqual(written);
  });

  const ids = async (table: string, { membershipId }: TestMember) =>
    await app.db(table).where({ membership_id: membershipId }).pluck<string[]>('id');
});

describe('concurrent changes', () => {
  test('by two owners who remove each other in two processes leave exactly one owner', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const home = await createOrganization(app);
      const second = await createMember(app, home.id, { policies: [OWNER_POLICY] });
      const elsewhere = {
        ...second,
        browser: new HttpClient(other.url, { cookie: second.cookie, origin: other.url }),
      };
      const answers = await Promise.all([
        remove(home.owner, second),
        remove(elsewhere, home.owner),
      ]);
      const [winner, loser] = answers.map(outcome).sort();
      expect(winner).toBe('204');
      expect(['401 authentication_required', '403 membership_inactive']).toContain(loser);
      const left = await Promise.all([statusOf(app, home.owner), statusOf(app, second)]);
      expect(left.sort()).toEqual(['active', 'deprovisioned']);
    }
  });

  test('by three owners who remove each other in a ring never let a removed owner remove another', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const home = await createOrganization(app);
      const [second, third] = [
        await createMember(app, home.id, { policies: [OWNER_POLICY] }),
        await createMember(app, home.id, { policies: [OWNER_POLICY] }),
      ];
      const ring = [home.owner, second, third];
      const answers = await Promise.all(
        ring.map((who, index) => remove(who, ring[(index + 1) % 3] ?? who)),
      );
      const removed = answers.filter((answer) => answer.status === 204).length;
      const left = await Promise.all(ring.map((one) => statusOf(app, one)));
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
    const second = await member({ policies: [everywhere('membership.write', 'membership.read')] });
    for (let round = 0; round < ROUNDS; round += 1) {
      const ada = await member();
      const [suspended, removed] = await Promise.all([suspend(owner, ada), remove(second, ada)]);
      expect(removed.status).toBe(204);
      expect(['200', '409 membership_removed']).toContain(outcome(suspended));
      expect(await statusOf(app, ada)).toBe('deprovisioned');
      const expected =
        suspended.status === 200
          ? ['membership.suspended', 'membership.deprovisioned']
          : ['membership.deprovisioned'];
      expect((await memberEvents(app, ada)).map(({ type }) => type)).toEqual(expected);
    }
  });
});
