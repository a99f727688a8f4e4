/** What a session cookie opens, the list of your sessions, and what resolving a credential costs. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import {
  authenticate,
  type PresentedCredential,
} from '../../../src/services/sign-in/authentication.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createAgent,
  createMember,
  createOrganization,
  createOrganizationKey,
  createTeam,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import type { HttpClient } from '../../support/http.ts';
import {
  browserWith,
  codeOf,
  cookieOf,
  createPerson,
  deleteAttempts,
  PASSWORD,
} from '../../support/scene/sign-in.ts';
import { statementsDuring } from '../../support/sql/statements.ts';
import { until } from '../../support/waiting.ts';
import { idOf, secretOf, tokenParts } from '../../support/tokens.ts';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ environment: { COUNTERSIGN_EDITION: 'hosted' } });
});

afterAll(() => app.close());

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
    await alter('expires_at', '2 seconds');
    expect(await status(member.cookie)).toBe(200);
    await alter('expires_at', '0 seconds');
    expect(await status(member.cookie)).toBe(401);
  });

  test('expires after a day without use', async () => {
    await alter('last_seen_at', '-23 hours -59 minutes');
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

describe('the list of your sessions', () => {
  let organization: TestOrganization;
  let member: TestMember;

  interface Listed {
    readonly id: string;
    readonly current: boolean;
  }

  const list = async (browser: HttpClient, query = '') => {
    const answer = await browser.get(`/api/v1/me/sessions${query}`);
    return { ...answer, sessions: answer.body['sessions'] as unknown as readonly Listed[] };
  };
  const signInAgain = async (userAgent = 'a browser') => {
    await deleteAttempts(app);
    const headers = { 'user-agent': userAgent };
    return cookieOf(
      await app.http.post('/auth/login', { email: member.email, password: PASSWORD }, { headers }),
    );
  };
  const meStatus = async (cookie: string) =>
    (await app.http.get('/api/v1/me', { headers: { cookie } })).status;
  const seen = (cookie: string, secondsAgo: number) =>
    app
      .db('sessions')
      .where({ id: idOf(cookie) })
      .update({ last_seen_at: new Date(Date.now() - secondsAgo * 1_000) });
  const endsOf = (cookie: string) =>
    app.db('audit_events').where({ event_type: 'session.revoked', subject_id: idOf(cookie) });

  beforeAll(async () => {
    organization = await createOrganization(app);
  });

  beforeEach(async () => {
    member = await createPerson(app, organization.id);
  });

  test('shows the open sessions, most recently used first, and marks the current one', async () => {
    const other = await signInAgain('Mozilla/5.0 (somewhere else)');
    await seen(other, 30);
    const { status, body } = await list(member.browser);
    const common = {
      method: 'local_password',
      assurance: 'single_factor',
      created_at: expect.any(String),
      expires_at: expect.any(String),
    };
    const times = { last_seen_at: expect.any(String), authenticated_at: expect.any(String) };
    expect([status, body]).toEqual([
      200,
      {
        sessions: [
          {
            ...common,
            ...times,
            id: idOf(member.cookie),
            current: true,
            client_address: null,
            user_agent: null,
          },
          {
            ...common,
            ...times,
            id: idOf(other),
            current: false,
            client_address: expect.stringContaining('127.0.0.1'),
            user_agent: 'Mozilla/5.0 (somewhere else)',
          },
        ],
      },
    ]);
    expect((await list(browserWith(app, other))).sessions.map(({ current }) => current)).toEqual([
      false,
      true,
    ]);
  });

  test('omits ended sessions and those of others', async () => {
    await createPerson(app, organization.id);
    const [revoked, expired, idle] = [
      await signInAgain(),
      await signInAgain(),
      await signInAgain(),
    ];
    await app
      .db('sessions')
      .where({ id: idOf(revoked) })
      .update({ revoked_at: new Date() });
    await app
      .db('sessions')
      .where({ id: idOf(expired) })
      .update({ expires_at: new Date(0) });
    await seen(idle, 24 * 3_600 + 1);
    expect((await list(member.browser)).sessions.map(({ id }) => id)).toEqual([
      idOf(member.cookie),
    ]);
  });

  test('has pages without gaps and repeats, even if several sessions were used at the same moment', async () => {
    const ids = new Set([idOf(member.cookie)]);
    for (let count = 0; count < 6; count += 1) ids.add(idOf(await signInAgain()));
    await app
      .db('sessions')
      .where({ membership_id: member.membershipId })
      .update({ last_seen_at: new Date(Date.now() - 10_000) });
    const pages: string[][] = [];
    let cursor = '';
    do {
      const { sessions, body } = await list(member.browser, `?limit=3${cursor}`);
      pages.push(sessions.map(({ id }) => id));
      cursor = body['next_cursor'] === undefined ? '' : `&cursor=${String(body['next_cursor'])}`;
    } while (cursor !== '');
    expect([pages.map((page) => page.length), new Set(pages.flat())]).toEqual([[3, 3, 1], ids]);
    for (const query of [
      '?limit=0',
      '?limit=501',
      '?cursor=nonsense',
      `?cursor=${Buffer.from('["sessions","x","y"]').toString('base64url')}`,
    ]) {
      expect([query, codeOf(await member.browser.get(`/api/v1/me/sessions${query}`))]).toEqual([
        query,
        [400, 'validation_failed'],
      ]);
    }
  });

  test('ends one session immediately and permanently, and can repeat that', async () => {
    const [kept, ended] = [await signInAgain(), await signInAgain()];
    for (let round = 0; round < 2; round += 1) {
      const answer = await member.browser.delete(`/api/v1/me/sessions/${idOf(ended)}`);
      expect([answer.status, answer.headers['set-cookie']]).toEqual([204, undefined]);
    }
    expect([await meStatus(ended), await meStatus(kept), await meStatus(member.cookie)]).toEqual([
      401, 200, 200,
    ]);
    expect(await endsOf(ended)).toMatchObject([
      { actor_id: member.membershipId, data: '{"reason":"manual"}' },
    ]);
  });

  test('ends the current session and clears its cookie', async () => {
    const answer = await member.browser.delete(`/api/v1/me/sessions/${idOf(member.cookie)}`);
    expect([answer.status, answer.headers['set-cookie']]).toEqual([
      204,
      'service_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ]);
    expect(await meStatus(member.cookie)).toBe(401);
  });

  test('accepts session ids in capitals', async () => {
    const answer = await member.browser.delete(
      `/api/v1/me/sessions/${idOf(member.cookie).toUpperCase()}`,
    );
    expect([answer.status, answer.headers['set-cookie']]).toEqual([
      204,
      expect.stringContaining('Max-Age=0'),
    ]);
    expect(await endsOf(member.cookie)).toHaveLength(1);
  });

  test('does not know the sessions of others', async () => {
    const other = await createPerson(app, organization.id);
    const elsewhere = (await createOrganization(app)).owner;
    for (const id of [idOf(other.cookie), idOf(elsewhere.cookie), randomUUID(), 'nonsense']) {
      expect(codeOf(await member.browser.delete(`/api/v1/me/sessions/${id}`))).toEqual([
        404,
        'not_found',
      ]);
    }
    expect([await meStatus(other.cookie), await meStatus(elsewhere.cookie)]).toEqual([200, 200]);
  });

  test('ends all sessions except the current one', async () => {
    const others = [await signInAgain(), await signInAgain()];
    const stranger = await createPerson(app, organization.id);
    for (let round = 0; round < 2; round += 1)
      expect((await member.browser.delete('/api/v1/me/sessions')).status).toBe(204);
    expect(await Promise.all([...others, member.cookie, stranger.cookie].map(meStatus))).toEqual([
      401, 401, 200, 200,
    ]);
    expect((await Promise.all(others.map(endsOf))).map((events) => events.length)).toEqual([1, 1]);
    expect(await endsOf(member.cookie)).toEqual([]);
  });

  test('is for browsers only', async () => {
    const { http } = member;
    const answers = [
      await http.get('/api/v1/me/sessions'),
      await http.delete('/api/v1/me/sessions'),
      await http.delete(`/api/v1/me/sessions/${idOf(member.cookie)}`),
    ];
    expect(answers.map(codeOf)).toEqual(Array<unknown>(3).fill([403, 'session_required']));
    expect(await meStatus(member.cookie)).toBe(200);
  });
});

describe('one round trip to the database', () => {
  const reader = {
    scope_kind: 'organization',
    permissions: ['agent.read', 'organization.read'],
  } as const;

  let presented: Readonly<Record<string, PresentedCredential>>;

  beforeAll(async () => {
    const organization = await createOrganization(app);
    const member = await createMember(app, organization.id, { policies: [reader] });
    await createTeam(app, organization.id, { members: [member], policies: [reader] });
    const key = await createOrganizationKey(app, organization, [reader, reader]);
    const agent = await createAgent(app, organization);
    presented = {
      session: { kind: 'session', token: member.cookie.slice('service_session='.length) },
      'personal key': { kind: 'bearer', token: member.apiKey },
      'organization key': { kind: 'bearer', token: key.token },
      'agent credential': { kind: 'bearer', token: agent.credential },
    };
    // Recording the use is not part of the cost, so it happens before the count starts.
    const used = { last_used_at: new Date() };
    await app.db('api_keys').update(used);
    await app.db('agent_credentials').update(used);
  });

  test.each(['session', 'personal key', 'organization key', 'agent credential'])(
    'resolves the holder of a %s with all its grants',
    async (kind) => {
      const statements = await statementsDuring(app, () =>
        authenticate(app.context, presented[kind]),
      );
      expect(statements).toHaveLength(1);
    },
  );

  test.each(['session', 'personal key', 'organization key'])(
    'is the only cost of a call besides its own statement, with a %s',
    async (kind) => {
      const credential = presented[kind];
      if (!credential) throw new Error('no such credential');
      const headers =
        credential.kind === 'session'
          ? { cookie: `service_session=${credential.token}` }
          : { authorization: `Bearer ${credential.token}` };
      // Reading a tool is one statement.
      const statements = await statementsDuring(app, () =>
        app.http.get(`/api/v1/tool_catalog/${randomUUID()}`, { headers }),
      );
      expect(statements).toHaveLength(2);
    },
  );
});
