/** The list of members: what it shows, its order and pages, its filters, and who may read it. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile, everywhere } from '../../support/scene.ts';
import {
  createMember,
  createOrganization,
  createTeam,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { memberPath } from '../../support/scene/members.ts';
import { outcome } from '../../support/refusals.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
let organization: TestOrganization;
let owner: TestMember;

beforeEach(async () => {
  organization = await createOrganization(app);
  owner = organization.owner;
});

const member = (options: Parameters<typeof createMember>[2] = {}) =>
  createMember(app, organization.id, options);

describe('the list of members', () => {
  test('shows each member with own and inherited policies and with live teams', async () => {
    const ada = await member({ displayName: 'Ada', policies: [everywhere('request.read')] });
    const teamId = await createTeam(app, organization.id, {
      name: 'On call',
      members: [ada],
      policies: [everywhere('request.decide')],
    });
    const { troubled_channels: troubled, ...shown } = (await owner.http.get(memberPath(ada))).body;
    expect(troubled).toEqual([]);
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

  test('shows who has a second factor and when they last used the web app, and lists the members of one team', async () => {
    const ada = await member({ displayName: 'Ada' });
    await member({ displayName: 'Bob' });
    const team = await createTeam(app, organization.id, { members: [ada] });
    await app.db('totp_factors').insert({
      user_id: ada.userId,
      secret: Buffer.alloc(1),
      secret_key_id: 'k',
      created_at: app.db.raw('now()'),
      confirmed_at: app.db.raw('now()'),
    });
    await ada.browser.get('/api/v1/me');
    const of = `/api/v1/members?team_id=${team}&limit=1`;
    const page = (await owner.http.get(of)).body;
    expect(page['members']).toMatchObject([
      { id: ada.membershipId, has_second_factor: true, last_seen_at: expect.any(String) },
    ]);
    expect(page['next_cursor']).toBeUndefined();
    await app.db('sessions').where({ membership_id: ada.membershipId }).delete();
    await app.db('totp_factors').where({ user_id: ada.userId }).update({ confirmed_at: null });
    const without = (await owner.http.get(memberPath(ada))).body;
    expect(without).toMatchObject({ has_second_factor: false });
    expect(without).not.toHaveProperty('last_seen_at');
    const { next_cursor: next } = (await owner.http.get('/api/v1/members?limit=1')).body;
    expect(outcome(await owner.http.get(`${of}&cursor=${String(next)}`))).toBe(
      '400 validation_failed',
    );
  });
});
