/** The list of your sessions, and ending them. */
import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import {
  createOrganization,
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
import { idOf } from '../../support/tokens.ts';

const app = await appForFile({ environment: { COUNTERSIGN_EDITION: 'hosted' } });

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
