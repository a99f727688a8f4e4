import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { issueToken } from '../../src/platform/tokens.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { createAgent, createMember, createOrganization, type TestMember, type TestOrganization } from '../support/factories.ts';
import type { Answer } from '../support/http.ts';

const codeOf = ({ status, body }: Answer) => [status, body['error']?.['code']];

describe('a session cookie', () => {
  let app: TestApp;
  let organization: TestOrganization;
  let member: TestMember;
  let token: string;

  const status = async (cookie: string) => (await app.http.get('/api/v1/me', { headers: { cookie } })).status;
  const alter = (column: string, interval: string) =>
    app.db.raw(`update sessions set ${column} = clock_timestamp() + cast(:interval as interval) where membership_id = :id`, {
      interval,
      id: member.membershipId,
    });

  beforeAll(async () => {
    app = await startApp();
    organization = await createOrganization(app);
  });

  beforeEach(async () => {
    member = await createMember(app, organization.id);
    token = member.cookie.replace('service_session=', '');
  });

  afterAll(() => app.close());

  test('opens nothing when it is malformed, made up, tampered with or of another kind', async () => {
    const agent = await createAgent(app, organization);
    const [id, secret] = [token.slice(4, -44), token.slice(-43)];
    const other = organization.owner.cookie.slice(-43);
    const flipped = secret.startsWith('A') ? `B${secret.slice(1)}` : `A${secret.slice(1)}`;
    const bad = [
      '',
      'garbage',
      issueToken('whs').token,
      `whs_${id}_${flipped}`,
      `whs_${id}_${other}`,
      `whs_${id.toUpperCase()}_${secret}`,
      `${token}x`,
      member.apiKey,
      agent.credential,
      token.replace('whs', 'whk'),
    ];
    for (const value of bad) expect([value, await status(`service_session=${value}`)]).toEqual([value, 401]);
    expect(await status(`theme=dark; service_session=${token}; lang=en`)).toBe(200);
  });

  test('is no bearer token', async () => {
    for (const authorization of [`Bearer ${token}`, `Basic ${token}`, token, 'Bearer', '']) {
      const answer = await app.http.get('/api/v1/me', { headers: { authorization, cookie: member.cookie } });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
    }
  });

  test('ends after seven days', async () => {
    await alter('expires_at', '2 seconds');
    expect(await status(member.cookie)).toBe(200);
    await alter('expires_at', '0 seconds');
    expect(await status(member.cookie)).toBe(401);
  });

  test('ends after a day without use', async () => {
    await alter('last_seen_at', '-23 hours -59 minutes');
    expect(await status(member.cookie)).toBe(200);
    await alter('last_seen_at', '-24 hours -1 second');
    expect(await status(member.cookie)).toBe(401);
  });

  test('ends at once when it is revoked', async () => {
    await alter('revoked_at', '0 seconds');
    expect(await status(member.cookie)).toBe(401);
  });

  test('of a suspended or removed member is 403, and works again with him', async () => {
    for (const [membership, expected] of [
      ['suspended', 403],
      ['deprovisioned', 403],
      ['active', 200],
    ] as const) {
      await app.db('memberships').where({ id: member.membershipId }).update({ status: membership });
      expect([membership, await status(member.cookie)]).toEqual([membership, expected]);
    }
  });

  test('notes its use at most once a minute', async () => {
    const lastSeen = async (membershipId: string): Promise<number> => {
      const row = (await app.db('sessions').where({ membership_id: membershipId }).first('last_seen_at')) as { last_seen_at: Date };
      return row.last_seen_at.getTime();
    };
    const recent = await createMember(app, organization.id);
    const [seenRecently, seenLongAgo] = [new Date(Date.now() - 40_000), new Date(Date.now() - 61_000)];
    await app.db('sessions').where({ membership_id: recent.membershipId }).update({ last_seen_at: seenRecently });
    await app.db('sessions').where({ membership_id: member.membershipId }).update({ last_seen_at: seenLongAgo });
    expect([await status(recent.cookie), await status(member.cookie)]).toEqual([200, 200]);
    while ((await lastSeen(member.membershipId)) === seenLongAgo.getTime()) await status(member.cookie);
    expect(await lastSeen(member.membershipId)).toBeGreaterThan(seenRecently.getTime());
    expect(await lastSeen(recent.membershipId)).toBe(seenRecently.getTime());
  });

  test('changes nothing unless the call comes from our own pages', async () => {
    const revoke = async (headers: Record<string, string>) =>
      codeOf(await app.http.post('/api/v1/me/api_keys', { name: 'k' }, { headers: { cookie: organization.owner.cookie, ...headers } }));
    const refused: Record<string, string>[] = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
      { origin: app.url.replace('http:', 'https:') },
    ];
    for (const headers of refused) expect([headers, await revoke(headers)]).toEqual([headers, [403, 'cross_site_request']]);
    expect(await revoke({ origin: app.url })).toEqual([201, undefined]);
    expect(await revoke({ 'sec-fetch-site': 'same-origin' })).toEqual([201, undefined]);
  });
});
