/** Changing a password, and resetting it by email. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../src/local/processes.ts';
import { issueToken } from '../../../src/platform/crypto/tokens.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
  type TestOrganization,
} from '../../support/scene/factories.ts';
import { HttpClient, type Answer } from '../../support/http.ts';
import { startMailServer, type MailServer } from '../../support/servers/mail-server.ts';
import { cheapHashOf } from '../../support/scene/sign-in.ts';
import { untilBlocked } from '../../support/waiting.ts';
import { secretOf } from '../../support/tokens.ts';
import { ROUNDS } from '../../support/rounds.ts';

const OLD = 'seven bright ravens on a wire';
const NEW = 'nine quiet herons by the weir';

let mail: MailServer;
let app: TestApp;
let organization: TestOrganization;
let member: TestMember;
let oldHash: string;

beforeAll(async () => {
  mail = await startMailServer();
  app = await startApp({
    environment: { SMTP_URL: mail.url, COUNTERSIGN_PUBLIC_URL: 'https://countersign.example/base' },
  });
  organization = await createOrganization(app);
  oldHash = await cheapHashOf(OLD);
});

afterAll(async () => {
  await app.close();
  await mail.close();
});

beforeEach(async () => {
  await deleteAttempts();
  member = await memberWithPassword();
});

async function memberWithPassword(status = 'active'): Promise<TestMember> {
  const created = await createMember(app, organization.id, { status, displayName: 'Ada Marsh' });
  await app.db('users').where({ id: created.userId }).update({ password_hash: oldHash });
  const browser = new HttpClient(app.url, {
    cookie: created.cookie,
    origin: 'https://countersign.example',
    'sec-fetch-site': 'same-origin',
  });
  return { ...created, browser };
}

/** The same person in another organization, with a session there. */
async function alsoIn(organizationId: string, { userId }: TestMember): Promise<TestMember> {
  const other = await createMember(app, organizationId);
  await app.db('memberships').where({ id: other.membershipId }).update({ user_id: userId });
  return { ...other, userId };
}

const codeOf = ({ status, body }: Answer) => [status, body?.['error']?.['code']];
const pointersOf = ({ body }: Answer) =>
  [...(body['error']?.['details']?.['issues'] ?? [])].map((issue) => issue['pointer']);
const me = (cookie: string) => app.http.get('/api/v1/me', { headers: { cookie } });
const signIn = (email: string, password: string) =>
  app.http.post('/auth/login', { email, password });
const forgot = (email: string) => app.http.post('/auth/password/forgot', { email });
const reset = (token: string, password = NEW) =>
  app.http.post('/auth/password/reset', { token, password });
const change = (by: TestMember, body: unknown) =>
  by.browser.call('PUT', '/api/v1/me/password', { body });
const resetsOf = ({ userId }: TestMember) => app.db('password_resets').where({ user_id: userId });
const deleteAttempts = () => app.db('sign_in_attempts').delete();

async function eventsOf({ membershipId }: TestMember): Promise<string[]> {
  const rows = (await app
    .db('audit_events')
    .where({ subject_type: 'membership', subject_id: membershipId })
    .whereLike('event_type', 'membership.password%')
    .whereNot({ event_type: 'membership.password_change_failed' })
    .orderBy('sequence')
    .select('event_type')) as { event_type: string }[];
  return rows.map(({ event_type: type }) => type);
}

async function requestLink({ email }: TestMember, count = 1): Promise<string> {
  expect((await forgot(email)).status).toBe(202);
  const { text } = await mail.mailTo(email, count);
  return /https:\/\/countersign\.example\/base\/password\/reset\/(\S+)/.exec(text)?.[1] ?? '';
}

/** Emails are sent in order: once this one arrives, all earlier ones have been sent. */
async function untilMailsAreSent(): Promise<void> {
  await requestLink(await memberWithPassword());
}

describe('a forgotten password', () => {
  test('is reset by the link in the email, and only by a link with a whr_ token', async () => {
    const token = await requestLink(member);
    expect(token).toMatch(/^whr_/);
    const found = await mail.mailTo(member.email);
    expect([found.to, found.subject]).toEqual([[member.email], 'Reset your Countersign password']);
    const link = await app.http.get(`/auth/password/reset/${token}`);
    expect(link.status).toBe(200);
    const left = Date.parse(String(link.body['expires_at'])) - Date.now();
    expect(left).toBeGreaterThan(59 * 60_000);
    expect(left).toBeLessThanOrEqual(60 * 60_000);
    const done = await reset(token);
    expect([done.status, done.text, done.headers['set-cookie']]).toEqual([204, '', undefined]);
    expect(codeOf(await signIn(member.email, OLD))).toEqual([401, 'invalid_credentials']);
    expect((await signIn(member.email, NEW)).status).toBe(200);
    expect(await eventsOf(member)).toEqual([
      'membership.password_reset_requested',
      'membership.password_reset',
    ]);
    expect(app.log.join('')).not.toContain(token);
    const audited = (await app.db('audit_events').select('data')) as { data: string }[];
    expect(JSON.stringify(audited)).not.toContain(secretOf(token));
  });

  test('ends the sessions of the person in every organization, and no others', async () => {
    const elsewhere = await createOrganization(app);
    const there = await alsoIn(elsewhere.id, member);
    const stranger = await memberWithPassword();
    const token = await requestLink(member);
    expect([(await me(member.cookie)).status, (await me(there.cookie)).status]).toEqual([200, 200]);
    expect((await reset(token)).status).toBe(204);
    expect([(await me(member.cookie)).status, (await me(there.cookie)).status]).toEqual([401, 401]);
    expect((await me(stranger.cookie)).status).toBe(200);
    expect(await eventsOf(there)).toEqual([
      'membership.password_reset_requested',
      'membership.password_reset',
    ]);
  });

  test('also ends the sessions in an organization the person joins at that moment', async () => {
    const token = await requestLink(member);
    const changer = await memberWithPassword();
    const replacements: [TestMember, () => Promise<Answer>][] = [
      [member, () => reset(token)],
      [changer, () => change(changer, { current_password: OLD, new_password: NEW })],
    ];
    for (const [person, replace] of replacements) {
      const elsewhere = await createOrganization(app);
      const there = await createMember(app, elsewhere.id);
      const { answer } = await app.db.transaction(async (gate) => {
        await gate('users').where({ id: person.userId }).forUpdate().first('id');
        const started = replace();
        await untilBlocked(gate);
        await gate('memberships')
          .where({ id: there.membershipId })
          .update({ user_id: person.userId });
        return { answer: started };
      });
      expect((await answer).status).toBe(204);
      expect((await me(there.cookie)).status).toBe(401);
    }
  });

  test('can be reset once by one link, and then by none of the others', async () => {
    const first = await requestLink(member);
    const second = await requestLink(member, 2);
    expect((await app.http.get(`/auth/password/reset/${first}`)).status).toBe(200);
    expect((await reset(first)).status).toBe(204);
    for (const token of [first, second]) {
      expect(codeOf(await reset(token, 'another one of twelve'))).toEqual([404, 'not_found']);
      expect(codeOf(await app.http.get(`/auth/password/reset/${token}`))).toEqual([
        404,
        'not_found',
      ]);
    }
    expect((await signIn(member.email, NEW)).status).toBe(200);
  });

  test('is reset by only one of several links used at the same moment', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await deleteAttempts();
      const person = await memberWithPassword();
      const tokens = Array.from({ length: 2 }, () => issueToken('whr'));
      const times = { created_at: new Date(), expires_at: new Date(Date.now() + 60_000) };
      const rows = tokens.map(({ id, hash }) => ({
        id,
        user_id: person.userId,
        token_hash: hash,
        ...times,
      }));
      await app.db('password_resets').insert(rows);
      const passwords = ['nine quiet herons 1', 'nine quiet herons 2', 'nine quiet herons 3'];
      const answers = await Promise.all(
        passwords.map((password, index) => reset(tokens[index % 2]?.token ?? '', password)),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
      const winner = passwords[answers.findIndex(({ status }) => status === 204)] ?? '';
      expect((await signIn(person.email, winner)).status).toBe(200);
      expect(await eventsOf(person)).toEqual(['membership.password_reset']);
    }
  });

  test('is not reset by a link that is expired, changed or of another kind', async () => {
    const token = await requestLink(member);
    const [prefix, id, secret = ''] = token.split(/_(?=[0-9a-f]{8}-)|(?<=-[0-9a-f]{12})_/);
    const forged = [
      `${prefix}_${id}_${'A'.repeat(secret.length)}`,
      `whi_${id}_${secret}`,
      `${prefix}_${randomUUID()}_${secret}`,
      'whr_nonsense',
      member.apiKey,
    ];
    for (const text of forged) {
      expect(codeOf(await reset(text))).toEqual([404, 'not_found']);
      expect(codeOf(await app.http.get(`/auth/password/reset/${text}`))).toEqual([
        404,
        'not_found',
      ]);
    }
    await resetsOf(member).update({
      expires_at: app.db.raw("clock_timestamp() - interval '1 millisecond'"),
    });
    expect(codeOf(await reset(token))).toEqual([404, 'not_found']);
    expect((await signIn(member.email, OLD)).status).toBe(200);
  });

  test('remains when the new one is refused, and the link still works', async () => {
    const token = await requestLink(member);
    for (const password of [
      'short',
      'Password1234567',
      `${member.email}`,
      'AdaMarsh 1815',
      organization.slug.repeat(2),
    ]) {
      const refused = await reset(token, password);
      expect([refused.status, pointersOf(refused)]).toEqual([400, ['/password']]);
    }
    expect((await reset(token)).status).toBe(204);
  });

  test('gives no access to inactive memberships or accounts without a password', async () => {
    const token = await requestLink(member);
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'suspended' });
    expect(codeOf(await reset(token))).toEqual([404, 'not_found']);
    await app.db('memberships').where({ id: member.membershipId }).update({ status: 'active' });
    await app.db('users').where({ id: member.userId }).update({ password_hash: null });
    expect(codeOf(await reset(token))).toEqual([404, 'not_found']);
  });

  test('gets the same answer for everyone, and no email goes to people who could not sign in', async () => {
    const suspended = await memberWithPassword('suspended');
    const removed = await memberWithPassword('deprovisioned');
    const without = await createMember(app, organization.id);
    const gone = await createOrganization(app);
    const left = await createMember(app, gone.id);
    await app.db('users').where({ id: left.userId }).update({ password_hash: oldHash });
    await app.db('organizations').where({ id: gone.id }).update({ deleted_at: new Date() });
    const people = [suspended, removed, without, left];
    const emails = ['unknown@example.com', ...people.map(({ email }) => email)];
    const known = await forgot(member.email.toUpperCase());
    await mail.mailTo(member.email);
    const withoutId = ({ 'x-request-id': _id, date: _date, ...headers }: Answer['headers']) =>
      headers;
    for (const email of emails) {
      const answer = await forgot(email);
      expect([answer.status, answer.text]).toEqual([202, '']);
      expect(withoutId(answer.headers)).toEqual(withoutId(known.headers));
    }
    await untilMailsAreSent();
    expect(
      mail.mails.flatMap(({ to }) => to).filter((address) => emails.includes(address)),
    ).toEqual([]);
    for (const person of people) expect(await eventsOf(person)).toEqual([]);
  });

  test('is emailed to one person at most five times an hour, from all addresses together', async () => {
    for (let count = 1; count <= 5; count += 1) await requestLink(member, count);
    await deleteAttempts();
    expect((await forgot(member.email)).status).toBe(202);
    await untilMailsAreSent();
    expect(mail.mails.filter(({ to }) => to.includes(member.email))).toHaveLength(5);
    await resetsOf(member).update({ created_at: app.db.raw("created_at - interval '61 minutes'") });
    await requestLink(member, 6);
  });

  test('can be requested ten times a minute at most', async () => {
    const email = `unknown-${randomUUID()}@example.com`;
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect((await forgot(email)).status).toBe(202);
    const refused = await forgot(email);
    expect(codeOf(refused)).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  test('is answered before the email is sent: an unreachable mail server only leaves a log line', async () => {
    const unlucky = await startApp({
      databaseUrl: app.databaseUrl,
      environment: { SMTP_URL: 'smtp://127.0.0.1:9' },
    });
    try {
      expect(
        (await unlucky.http.post('/auth/password/forgot', { email: member.email })).status,
      ).toBe(202);
      const logged = () => unlucky.log.some((line) => line.includes('could not be sent'));
      expect(await eventually(logged, 60_000)).toBe(true);
    } finally {
      await unlucky.close();
    }
  });

  test('is 501 on a deployment that sends no email, for every address', async () => {
    const silent = await startApp({ databaseUrl: app.databaseUrl });
    try {
      expect(
        codeOf(await silent.http.post('/auth/password/forgot', { email: member.email })),
      ).toEqual([501, 'email_not_configured']);
    } finally {
      await silent.close();
    }
  });
});

describe('changing a password', () => {
  const right = { current_password: OLD, new_password: NEW };

  test('needs the current one, ends every other session, and makes this one recent with a new cookie', async () => {
    const elsewhere = await createOrganization(app);
    const there = await alsoIn(elsewhere.id, member);
    const another =
      /^service_session=[^;]*/.exec(
        (await signIn(member.email, OLD)).headers['set-cookie'] ?? '',
      )?.[0] ?? '';
    await app
      .db('sessions')
      .where({ membership_id: member.membershipId })
      .update({ authenticated_at: new Date(Date.now() - 3_600_000) });
    expect([(await me(another)).status, (await me(there.cookie)).status]).toEqual([200, 200]);
    const changed = await change(member, right);
    expect([changed.status, changed.text]).toEqual([204, '']);
    const renewed = /^service_session=[^;]*/.exec(changed.headers['set-cookie'] ?? '')?.[0] ?? '';
    const account = await me(renewed);
    expect(account.status).toBe(200);
    const provenAt = Date.parse(String(account.body['principal']?.['auth']?.['authenticated_at']));
    expect(Date.now() - provenAt).toBeLessThan(60_000);
    for (const cookie of [member.cookie, another, there.cookie])
      expect((await me(cookie)).status).toBe(401);
    expect(codeOf(await signIn(member.email, OLD))).toEqual([401, 'invalid_credentials']);
    expect((await signIn(member.email, NEW)).status).toBe(200);
    expect([await eventsOf(member), await eventsOf(there)]).toEqual([
      ['membership.password_changed'],
      ['membership.password_changed'],
    ]);
  });

  test('ends the links that were sent before', async () => {
    const token = await requestLink(member);
    expect((await change(member, right)).status).toBe(204);
    expect(codeOf(await reset(token, 'another one of twelve'))).toEqual([404, 'not_found']);
  });

  test('with a wrong current one changes nothing, up to ten tries a minute', async () => {
    const wrong = { ...right, current_password: 'not the password' };
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect(codeOf(await change(member, wrong))).toEqual([401, 'invalid_credentials']);
    expect(codeOf(await change(member, right))).toEqual([429, 'rate_limited']);
    expect((await me(member.cookie)).status).toBe(200);
    expect(await eventsOf(member)).toEqual([]);
    await deleteAttempts();
    expect((await signIn(member.email, OLD)).status).toBe(200);
  });

  test.each([
    ['is short', 'short'],
    ['is common', 'qwertyuiop123456'],
    ['is a name', 'ada marsh ada marsh'],
    ['is the current one', OLD],
  ])('is refused and names the field when the new one %s', async (_what, password) => {
    const refused = await change(member, { ...right, new_password: password });
    expect([refused.status, pointersOf(refused)]).toEqual([400, ['/new_password']]);
    expect((await me(member.cookie)).status).toBe(200);
  });

  test('is 409 for an account of an identity provider, and refused for keys and other sites', async () => {
    const origin = 'https://countersign.example';
    const without = await createMember(app, organization.id);
    const answer = await app.http.call('PUT', '/api/v1/me/password', {
      body: right,
      headers: { cookie: without.cookie, origin },
    });
    expect(codeOf(answer)).toEqual([409, 'no_password']);
    expect(codeOf(await member.http.call('PUT', '/api/v1/me/password', { body: right }))).toEqual([
      403,
      'session_required',
    ]);
    const foreign = { cookie: member.cookie, origin: 'https://evil.example' };
    const forged = await app.http.call('PUT', '/api/v1/me/password', {
      body: right,
      headers: foreign,
    });
    expect(codeOf(forged)).toEqual([403, 'cross_site_request']);
  });

  test('from two sessions at once works in one of them, and ends the other', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await deleteAttempts();
      const person = await memberWithPassword();
      const second = await signIn(person.email, OLD);
      const cookies = [
        person.cookie,
        /^service_session=[^;]*/.exec(second.headers['set-cookie'] ?? '')?.[0] ?? '',
      ];
      const origin = 'https://countersign.example';
      const passwords = ['nine quiet herons 1', 'nine quiet herons 2'];
      const answers = await Promise.all(
        cookies.map((cookie, index) =>
          app.http.call('PUT', '/api/v1/me/password', {
            body: { current_password: OLD, new_password: passwords[index] },
            headers: { cookie, origin },
          }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 401]);
      const winner = answers.findIndex(({ status }) => status === 204);
      expect((await signIn(person.email, passwords[winner] ?? '')).status).toBe(200);
      expect(await eventsOf(person)).toEqual(['membership.password_changed']);
    }
  });
});

test.each([
  ['before', 'after'],
  ['after', 'before'],
])(
  'a sign-in with the old password that waits %s its replacement leaves no session',
  async (place) => {
    const { token, id, hash } = issueToken('whr');
    const times = { created_at: new Date(), expires_at: new Date(Date.now() + 60_000) };
    await app
      .db('password_resets')
      .insert({ id, user_id: member.userId, token_hash: hash, ...times });
    const both = [() => signIn(member.email, OLD), () => reset(token)];
    const { answers } = await app.db.transaction(async (gate) => {
      // Both have read the password or the link, and now wait for a lock.
      await gate('users').where({ id: member.userId }).forUpdate().first('id');
      const started = [];
      for (const [index, start] of (place === 'before' ? both : both.reverse()).entries()) {
        started.push(start());
        await untilBlocked(gate, index + 1);
      }
      return { answers: Promise.all(started) };
    });
    const statuses = (await answers).map(({ status }) => status);
    expect(statuses).toEqual(place === 'before' ? [200, 204] : [204, 401]);
    expect(
      await app
        .db('sessions')
        .where({ membership_id: member.membershipId })
        .whereNull('revoked_at'),
    ).toEqual([]);
  },
);
