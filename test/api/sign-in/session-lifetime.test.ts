/** What a session cookie opens, until when, and what counts as its use. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import { appForFile } from '../../support/scene.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { codeOf } from '../../support/scene/sign-in.ts';
import { statementsDuring } from '../../support/sql/statements.ts';
import { until } from '../../support/waiting.ts';
import { secretOf, tokenParts } from '../../support/tokens.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });

describe('a session cookie', () => {
  let organization: TestOrganization;
  let member: TestMember;
  let token: string;

  const status = async (cookie: string) =>
    (await app.http.get('/api/v1/me', { headers: { cookie } })).status;
  const alter = (column: string, interval: string) =>
    app.db.raw(
      `update sessions set ${column} = clock_timestamp() + cast(:interval as interval) where membership_id = :id`,
      {
        interval,
        id: member.membershipId,
      },
    );

  beforeAll(async () => {
    organization = await createOrganization(app);
  });

  beforeEach(async () => {
    member = await createMember(app, organization.id);
    token = member.cookie.replace('service_session=', '');
  });

  test('opens nothing when it is malformed, invented, changed or of another kind', async () => {
    const agent = await createAgent(app, organization);
    const { id, secret } = tokenParts(token);
    const other = secretOf(organization.owner.cookie);
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
    for (const value of bad)
      expect([value, await status(`service_session=${value}`)]).toEqual([value, 401]);
    expect(await status(`theme=dark; service_session=${token}; lang=en`)).toBe(200);
  });

  test('is not a bearer token', async () => {
    for (const authorization of [`Bearer ${token}`, `Basic ${token}`, token, 'Bearer', '']) {
      const answer = await app.http.get('/api/v1/me', {
        headers: { authorization, cookie: member.cookie },
      });
      expect([authorization, answer.status]).toEqual([authorization, 401]);
    }
  });

  test('expires after seven days', async () => {
    await alter('expires_at', '10 minutes');
    expect(await status(member.cookie)).toBe(200);
    await alter('expires_at', '0 seconds');
    expect(await status(member.cookie)).toBe(401);
  });

  test('expires after a day without use', async () => {
    await alter('last_seen_at', '-23 hours -50 minutes');
    expect(await status(member.cookie)).toBe(200);
    // It is written behind the answer.
    await until('the use is recorded', async () => {
      const row = (await app
        .db('sessions')
        .where({ membership_id: member.membershipId })
        .first('last_seen_at')) as { last_seen_at: Date };
      return Date.now() - row.last_seen_at.getTime() < 3_600_000;
    });
    await alter('last_seen_at', '-24 hours -1 second');
    expect(await status(member.cookie)).toBe(401);
  });

  test('ends immediately when it is revoked', async () => {
    await alter('revoked_at', '0 seconds');
    expect(await status(member.cookie)).toBe(401);
  });

  test('of a suspended or removed member is 403, and works again after reactivation', async () => {
    for (const [membership, expected] of [
      ['suspended', 403],
      ['deprovisioned', 403],
      ['active', 200],
    ] as const) {
      await app.db('memberships').where({ id: member.membershipId }).update({ status: membership });
      expect([membership, await status(member.cookie)]).toEqual([membership, expected]);
    }
  });

  test('records its use at most once a minute', async () => {
    const lastSeen = async (membershipId: string): Promise<number> => {
      const row = (await app
        .db('sessions')
        .where({ membership_id: membershipId })
        .first('last_seen_at')) as { last_seen_at: Date };
      return row.last_seen_at.getTime();
    };
    const recent = await createMember(app, organization.id);
    const [seenRecently, seenLongAgo] = [
      new Date(Date.now() - 10_000),
      new Date(Date.now() - 61_000),
    ];
    await app
      .db('sessions')
      .where({ membership_id: recent.membershipId })
      .update({ last_seen_at: seenRecently });
    await app
      .db('sessions')
      .where({ membership_id: member.membershipId })
      .update({ last_seen_at: seenLongAgo });
    expect([await status(recent.cookie), await status(member.cookie)]).toEqual([200, 200]);
    await until('the use is on record', async () => {
      await status(member.cookie);
      return (await lastSeen(member.membershipId)) !== seenLongAgo.getTime();
    });
    expect(await lastSeen(member.membershipId)).toBeGreaterThan(seenRecently.getTime());
    expect(await lastSeen(recent.membershipId)).toBe(seenRecently.getTime());
  });

  test('is not used by a call in the background, so that an open tab does not keep it', async () => {
    const lastSeen = new Date(Date.now() - 61_000);
    await app
      .db('sessions')
      .where({ membership_id: member.membershipId })
      .update({ last_seen_at: lastSeen });
    const statementsOf = (headers: Record<string, string>, method = 'GET') =>
      statementsDuring(app, async () => {
        const path = method === 'GET' ? '/api/v1/me' : '/api/v1/me/sessions';
        const { status: answered } = await app.http.call(method, path, {
          headers: { cookie: member.cookie, origin: app.url, ...headers },
        });
        expect(answered).toBeLessThan(300);
      });
    const uses = (statements: readonly string[]) =>
      statements.filter((sql) => /^update "sessions" set "last_seen_at"/.test(sql)).length;
    expect(uses(await statementsOf({ 'service-background': '1' }))).toBe(0);
    // Only reading can be in the background: changing something is a person's act.
    expect(uses(await statementsOf({ 'service-background': '1' }, 'DELETE'))).toBe(1);
  });

  test('takes no other value for a call in the background', async () => {
    for (const value of ['0', 'true', '1, 1', '']) {
      const headers = { cookie: member.cookie, 'service-background': value };
      const { status: answered, body } = await app.http.get('/api/v1/me', { headers });
      expect([value, answered, body['error']?.['details']]).toEqual([
        value,
        400,
        {
          issues: [
            { pointer: '/headers/service-background', code: 'invalid_value', message: 'must be 1' },
          ],
        },
      ]);
    }
  });

  test('changes nothing unless the call comes from our own pages', async () => {
    const revoke = async (headers: Record<string, string>) =>
      codeOf(
        await app.http.post(
          '/api/v1/me/api_keys',
          { name: 'k' },
          { headers: { cookie: organization.owner.cookie, ...headers } },
        ),
      );
    const refused: Record<string, string>[] = [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
      { origin: app.url.replace('http:', 'https:') },
    ];
    for (const headers of refused)
      expect([headers, await revoke(headers)]).toEqual([headers, [403, 'cross_site_request']]);
    expect(await revoke({ origin: app.url })).toEqual([201, undefined]);
    expect(await revoke({ 'sec-fetch-site': 'same-origin' })).toEqual([201, undefined]);
  });
});
