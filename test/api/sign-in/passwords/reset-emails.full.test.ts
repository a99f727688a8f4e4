/** Who gets an email with a link after a forgotten password, how often, and what the answer reveals. */
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../../../../src/local/processes.ts';
import { startApp } from '../../../support/app.ts';
import {
  createMember,
  createOrganization,
  type TestMember,
} from '../../../support/scene/factories.ts';
import type { ApiResponse } from '../../../support/http.ts';
import { cheapHashOf, codeOf, deleteAttempts } from '../../../support/scene/sign-in.ts';
import { OLD, passwordScene } from './password-scene.ts';

const { app, eventsOf, forgot, mail, memberWithPassword, organization, requestLink, resetsOf } =
  await passwordScene();
const oldHash = await cheapHashOf(OLD);
let member: TestMember;

beforeEach(async () => {
  await deleteAttempts(app);
  member = await memberWithPassword();
});

/** Emails are sent in order: once this one arrives, all earlier ones have been sent. */
async function untilMailsAreSent(): Promise<void> {
  await requestLink(await memberWithPassword());
}

describe('a forgotten password', () => {
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
    const withoutId = ({ 'x-request-id': _id, date: _date, ...headers }: ApiResponse['headers']) =>
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
    await deleteAttempts(app);
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
