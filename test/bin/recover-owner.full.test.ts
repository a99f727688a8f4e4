/** `countersign recover-owner` as a process beside the service: its link, who hears of it, and how long it works. */
import { afterAll, expect, test } from '@jest/globals';
import { appForFile } from '../support/scene.ts';
import { createMember, createOrganization } from '../support/scene/factories.ts';
import { cheapHashOf, enroll, login, PASSWORD, SECRETS_KEY } from '../support/scene/sign-in.ts';
import { startAccountMails } from '../../src/services/account-mails.ts';
import { startMailServer } from '../support/servers/mail-server.ts';
import { runCommand } from './processes.ts';

const mail = await startMailServer();
const app = await appForFile({
  environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY, SMTP_URL: mail.url },
});
const { db } = app;
const sending = startAccountMails(app.context, { everyMs: 50 });
afterAll(async () => {
  await sending.stop();
  await mail.close();
});
const { owner, id: organizationId } = await createOrganization(app);
const second = await createMember(app, organizationId, {
  policies: [{ scope_kind: 'organization', is_owner: true }],
});
const member = await createMember(app, organizationId);
await db('users').update({ password_hash: await cheapHashOf(PASSWORD) });
await enroll(app, owner);

const recover = (email: string) =>
  runCommand(['recover-owner', email], '/nowhere', {
    env: {
      DATABASE_URL: app.databaseUrl,
      COUNTERSIGN_PUBLIC_URL: app.url,
      SMTP_URL: mail.url,
    },
  });

/** The link that the command printed, on a line of its own. */
function linkIn(stdout: string): { readonly link: string; readonly token: string } {
  const link = /^(http\S+)$/m.exec(stdout)?.[1] ?? '';
  return { link, token: link.split('/').at(-1) ?? '' };
}

const reset = async (token: string) =>
  await app.http.post('/auth/password/reset', { token, password: 'nine quiet herons by the weir' });
const events = async (type: string) =>
  await db('audit_events').where({ organization_id: organizationId, event_type: type });

test('prints a link that opens over HTTP, works once, is audited, and is mailed to every owner', async () => {
  const { status, stdout, stderr } = recover(owner.email);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('The service tells every owner by email: ');
  await db('account_mails').update({ next_attempt_at: new Date() });
  const { link, token } = linkIn(stdout);
  expect(link.startsWith(`${app.url}/`)).toBe(true);
  const page = await fetch(link);
  expect([page.status, page.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('text/html'),
  ]);
  const shown = await app.http.get(`/auth/password/reset/${token}`);
  expect([shown.status, shown.body['removes_second_factor']]).toEqual([200, true]);
  for (const { email } of [owner, second]) {
    expect(stdout).toContain(email);
    const told = await mail.mailTo(email);
    expect(told.text).toContain('removes their second factor');
    // The link is for the one who ran the command alone.
    expect(told.text).not.toContain(token);
  }
  expect(mail.mails.flatMap(({ to }) => to)).not.toContain(member.email);
  expect(await events('membership.recovery_started')).toMatchObject([
    { subject_id: owner.membershipId },
  ]);
  expect((await login(app, owner)).status).toBe(202);
  expect((await reset(token)).status).toBe(204);
  expect(await events('membership.mfa_removed')).toHaveLength(1);
  expect((await reset(token)).status).toBe(404);
  expect((await app.http.get(`/auth/password/reset/${token}`)).status).toBe(404);
});

test('the link expires after an hour', async () => {
  const { token } = linkIn(recover(owner.email).stdout);
  const back = db.raw("expires_at - interval '61 minutes'");
  await db('password_resets').whereNull('used_at').update({ expires_at: back });
  expect((await app.http.get(`/auth/password/reset/${token}`)).status).toBe(404);
  expect((await reset(token)).status).toBe(404);
});

test('someone who is no owner gets no link, and one line that says so', () => {
  const { status, stdout, stderr } = recover(member.email);
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toBe(
    `${member.email} is no owner. An owner of the organization can remove the second factor of a member.\n`,
  );
});
