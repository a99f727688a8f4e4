/** What a person is told by email about their own account. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { purgeBatch } from '../../../src/services/retention.ts';
import { startAccountMails } from '../../../src/services/account-mails.ts';
import { scene } from '../../support/scene.ts';
import { createMember, type TestMember } from '../../support/scene/factories.ts';
import {
  cheapHashOf,
  deleteAttempts,
  enroll,
  PASSWORD,
  SECRETS_KEY,
} from '../../support/scene/sign-in.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
import { until } from '../../support/waiting.ts';

let mail = await startMailServer();
const { app, organization } = await scene({
  app: {
    environment: {
      SMTP_URL: mail.url,
      COUNTERSIGN_SECRETS_KEY: SECRETS_KEY,
      COUNTERSIGN_TRUSTED_PROXIES: '127.0.0.1',
    },
  },
});
afterAll(() => mail.close());
let member: TestMember;

beforeEach(async () => {
  await deleteAttempts(app);
  member = await createMember(app, organization.id, {
    policies: [{ scope_kind: 'organization', permissions: ['api_key.issue', 'agent.read'] }],
  });
  const password_hash = await cheapHashOf(PASSWORD);
  await app.db('users').where({ id: member.userId }).update({ password_hash });
  await app.db('sessions').where({ membership_id: member.membershipId }).delete();
});

async function signIn(address: string): Promise<void> {
  const answer = await app.http.post(
    '/auth/login',
    { email: member.email, password: PASSWORD },
    { headers: { 'x-forwarded-for': address, 'user-agent': 'Test browser' } },
  );
  expect(answer.status).toBe(200);
}
const mails = () => mail.mails.filter(({ to }) => to.includes(member.email));

describe('a person is told of', () => {
  test('a sign-in from a network that the account was not used from, and of no other', async () => {
    await signIn('192.0.2.1');
    await signIn('192.0.2.1');
    await signIn('2001:db8:1:2::1');
    const { subject, text } = await mail.mailTo(member.email);
    expect(subject).toBe('Your Countersign account was used from a new network');
    expect(text).toContain('2001:db8:1:2::1');
    expect(text).toContain('Test browser');
    // One client has the whole /64.
    await signIn('2001:db8:1:2:3::4');
    await signIn('192.0.2.1');
    await signIn('192.0.2.2');
    expect((await mail.mailTo(member.email, 2)).text).toContain('192.0.2.2');
    expect(mails()).toHaveLength(2);
  });

  test('a sign-in from a network that was last used over 90 days ago', async () => {
    await signIn('192.0.2.1');
    await app
      .db('sessions')
      .where({ membership_id: member.membershipId })
      .update({ created_at: app.db.raw(`clock_timestamp() - interval '91 days'`) });
    await signIn('192.0.2.2');
    await signIn('192.0.2.1');
    expect((await mail.mailTo(member.email)).text).toContain('192.0.2.1');
    expect(mails()).toHaveLength(1);
  });

  test('a second factor, when it is added and when another person removes it', async () => {
    await enroll(app, await fresh());
    const added = await mail.mailTo(member.email);
    expect(added.subject).toBe('A second factor was added to your Countersign account');
    const { owner } = organization;
    const removed = await owner.browser.delete(`/api/v1/members/${member.membershipId}/mfa`);
    expect(removed.status).toBe(204);
    const { subject, text } = await mail.mailTo(member.email, 2);
    expect(subject).toBe('The second factor of your Countersign account was removed');
    expect(text).toContain(owner.displayName);
  });

  test('a new API key, by its name', async () => {
    const { browser } = await fresh();
    const name = `key ${randomUUID()}`;
    expect((await browser.post('/api/v1/me/api_keys', { name })).status).toBe(201);
    const { subject, text } = await mail.mailTo(member.email);
    expect(subject).toBe('An API key was created in your Countersign account');
    expect(text).toContain(name);
  });
});

describe('while the mail server is away', () => {
  const waiting = () => app.db('account_mails').where({ address: member.email });
  const retrying = async (happens: () => Promise<unknown>): Promise<void> => {
    await waiting().update({ next_attempt_at: new Date(0) });
    const loop = startAccountMails(app.context, { everyMs: 10 });
    try {
      await happens();
    } finally {
      await loop.stop();
    }
  };

  test('the news is kept, and sent once when it is back', async () => {
    await mail.close();
    await enroll(app, await fresh());
    await until('the first attempt has failed', () =>
      app.log.some((line) => line.includes('an email about an account was not sent')),
    );
    mail = await startMailServer({ port: mail.port });
    await retrying(async () => await mail.mailTo(member.email));
    const subjects = mails().map(({ subject }) => subject);
    expect(subjects).toEqual(['A second factor was added to your Countersign account']);
    expect(await waiting()).toEqual([]);
  });

  test('the news is kept before it is sent, so that it outlives the process', async () => {
    const { browser } = await fresh();
    await mail.close();
    expect((await browser.post('/api/v1/me/api_keys', { name: 'kept' })).status).toBe(201);
    const [row] = await waiting();
    expect(row).toMatchObject({ attempts: 1, subject: expect.stringContaining('API key') });
    mail = await startMailServer({ port: mail.port });
  });

  test('the news is purged when no process sends email any more', async () => {
    await fresh();
    await mail.close();
    await enroll(app, member);
    const purged = async (daysAgo: number) => {
      await waiting().update({ next_attempt_at: new Date(Date.now() - daysAgo * 86_400_000) });
      await purgeBatch(app.context, new AbortController().signal);
      return (await waiting()).length === 0;
    };
    expect([await purged(2), await purged(4)]).toEqual([false, true]);
    mail = await startMailServer({ port: mail.port });
  });

  test('the news is given up after three days', async () => {
    await fresh();
    await mail.close();
    await enroll(app, member);
    await waiting().update({ created_at: app.db.raw(`created_at - interval '73 hours'`) });
    await retrying(() => until('it is given up', async () => (await waiting()).length === 0));
    mail = await startMailServer({ port: mail.port });
    expect(mails()).toEqual([]);
  });
});

test('news that the mail server refuses for good is not kept', async () => {
  const { browser, email } = await fresh();
  mail.refuse(email);
  expect((await browser.post('/api/v1/me/api_keys', { name: 'refused' })).status).toBe(201);
  const isKept = async () => (await app.db('account_mails').where({ address: email })).length > 0;
  await until('it is refused', async () => !(await isKept()));
  expect(mails()).toEqual([]);
});

/** The member of another user, with a session: the one of the test has none. */
async function fresh(): Promise<TestMember> {
  member = await createMember(app, organization.id, {
    policies: [{ scope_kind: 'organization', permissions: ['api_key.issue', 'agent.read'] }],
  });
  return member;
}
