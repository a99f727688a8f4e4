/**
 * Invitations on a deployment with email: the message, and what remains when it cannot be
 * delivered.
 */
import { afterAll, describe, expect, test } from '@jest/globals';
import { outcome } from '../../../support/refusals.ts';
import { scene } from '../../../support/scene.ts';
import {
  accept,
  INVITATIONS,
  invitationEvents,
  invite,
  linkPath,
  newEmail,
} from '../../../support/scene/invitations.ts';
import { startMailServer } from '../../../support/servers/mail-server.ts';

const PUBLIC_URL = 'https://approvals.example.com';

const mail = await startMailServer();
const { app, organization, owner } = await scene({
  app: {
    environment: {
      SMTP_URL: mail.url,
      COUNTERSIGN_EMAIL_FROM: 'countersign@example.com',
      COUNTERSIGN_PUBLIC_URL: PUBLIC_URL,
    },
  },
});

afterAll(async () => {
  await mail.close();
});

const resend = (id: string) => owner.browser.post(`${INVITATIONS}/${id}/resend`);
const linksIn = (text: string) => text.match(/https:\/\/\S+/g) ?? [];
const tokenFrom = (text: string) => linksIn(text)[0]?.split('/').at(-1) ?? '';
const listed = async () =>
  (await owner.browser.get(INVITATIONS)).body['invitations'] as unknown as {
    id: string;
    email: string;
    status: string;
  }[];

describe('a mail server that accepts messages', () => {
  test('receives one for the invited person, with the inviter, the organization, the expiry and the secret link', async () => {
    const email = newEmail();
    const answer = await invite(owner, { email });
    expect(answer.status).toBe(201);
    expect(answer.body['invite_url']).toBeUndefined();
    const received = await mail.mailTo(email);
    expect(received.to).toEqual([email]);
    expect(received.subject).toBe(`${owner.displayName} invites you to join ${organization.slug}`);
    expect(linksIn(received.text)).toEqual([
      expect.stringMatching(/^https:\/\/approvals\.example\.com\/invitations\/whi_[\w-]+$/),
    ]);
    const expires = String(answer.body['invitation']?.['expires_at']);
    for (const part of [
      owner.displayName,
      owner.email,
      organization.slug,
      `${expires.slice(0, 16).replace('T', ' ')} UTC`,
    ]) {
      expect(received.text).toContain(part);
    }
    expect(answer.text).not.toContain(tokenFrom(received.text).slice(-20));
    expect((await accept(app, tokenFrom(received.text))).status).toBe(201);
  });

  test('receives a new link when the invitation is sent again, and only that one works', async () => {
    const email = newEmail();
    const { body } = await invite(owner, { email });
    const first = tokenFrom((await mail.mailTo(email)).text);
    const again = await resend(String(body['invitation']?.['id']));
    expect(again.status).toBe(200);
    expect(again.body['invite_url']).toBeUndefined();
    const second = await mail.mailTo(email, 2);
    const expires = String(again.body['invitation']?.['expires_at']);
    expect(second.text).toContain(`${expires.slice(0, 16).replace('T', ' ')} UTC`);
    expect(outcome(await app.http.get(linkPath(first)))).toBe('404 not_found');
    expect((await app.http.get(linkPath(tokenFrom(second.text)))).status).toBe(200);
  });

  test('receives none when the invitation is refused', async () => {
    const email = newEmail();
    const before = mail.mails.length;
    const { body } = await invite(owner, { email });
    const id = String(body['invitation']?.['id']);
    await mail.mailTo(email);
    expect(outcome(await invite(owner, { email }))).toBe('409 invitation_pending');
    await owner.browser.delete(`${INVITATIONS}/${id}`);
    expect(outcome(await resend(id))).toBe('404 not_found');
    await invite(owner);
    expect(mail.mails).toHaveLength(before + 2);
  });

  test('receives names without line breaks, so that they cannot add headers or text', async () => {
    await app
      .db('users')
      .where({ id: owner.userId })
      .update({ display_name: 'Ada\r\nBcc: all@example.com\n\nSee' });
    await app
      .db('organizations')
      .where({ id: organization.id })
      .update({ name: 'Example\u2028Works\n\nClick' });
    const email = newEmail();
    await invite(owner, { email });
    const received = await mail.mailTo(email);
    expect(received.to).toEqual([email]);
    expect(received.headers.map(([name]) => name)).not.toContain('bcc');
    expect(received.subject).toBe(
      'Ada Bcc: all@example.com See invites you to join Example Works Click',
    );
    expect(received.text.split('\n')[0]).toContain('Ada Bcc: all@example.com See');
  });
});

describe('a mail server that refuses a recipient', () => {
  test('leaves no pending invitation: the address and the seat are free, and the audit event has the reason', async () => {
    const email = newEmail();
    mail.refuse(email);
    const answer = await invite(owner, { email });
    expect(answer).toMatchObject({
      status: 504,
      body: {
        error: {
          code: 'email_not_delivered',
          message: expect.stringMatching(/^The mail server did not accept the message: .*\b5\d\d /),
        },
      },
    });
    const invitation = (await listed()).find((each) => each.email === email);
    expect(invitation?.status).toBe('revoked');
    const events = await invitationEvents(app, organization, invitation?.id ?? '');
    expect(events.map(({ type, data }) => [type, data['reason']])).toEqual([
      ['invitation.created', undefined],
      ['invitation.revoked', 'email_not_delivered'],
    ]);
    expect(outcome(await invite(owner, { email }))).toBe('504 email_not_delivered');
  });
});

/** The last one in this file. */
describe('a mail server that goes away', () => {
  test('leaves an invitation unchanged when sending again fails: the old link still works', async () => {
    const email = newEmail();
    const { body } = await invite(owner, { email });
    const before = await listed();
    const token = tokenFrom((await mail.mailTo(email)).text);
    await mail.close();
    expect(outcome(await resend(String(body['invitation']?.['id'])))).toBe(
      '504 email_not_delivered',
    );
    expect(await listed()).toEqual(before);
    expect((await accept(app, token)).status).toBe(201);
    const refused = await invite(owner);
    expect(outcome(refused)).toBe('504 email_not_delivered');
    expect(refused.body['error']?.['message']).toMatch(
      /did not accept the message: .*ECONNREFUSED/,
    );
  });
});
