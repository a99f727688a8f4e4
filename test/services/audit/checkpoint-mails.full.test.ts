/** Owners get the newest checkpoint of their audit log once a week, and `verify-audit` takes the email. */
import { afterAll, expect, test } from '@jest/globals';
import { keptCheckpointsFrom } from '../../../src/domain/audit/export-lines.ts';
import { listCheckpoints } from '../../../src/data/audit/checkpoints.ts';
import { writeCheckpointMails } from '../../../src/services/audit/checkpoint-mails.ts';
import { sealAll } from '../../../src/services/audit/sealer.ts';
import { startAccountMails } from '../../../src/services/account-mails.ts';
import { scene } from '../../support/scene.ts';
import { startMailServer } from '../../support/servers/mail-server.ts';
import { AUDIT_KEY, record } from './audit-scene.ts';

const mailServer = await startMailServer();
afterAll(() => mailServer.close());
const { app, organization, owner, people } = await scene({
  app: { environment: { ...AUDIT_KEY, SMTP_URL: mailServer.url } },
  people: { ada: ['organization.settings.write'] },
});
const { db, context } = app;
const daysAhead = (days: number): Date => new Date(Date.now() + days * 86_400_000);
const waiting = async (): Promise<string[]> =>
  await db('account_mails').orderBy('id').pluck('address');

test('each owner gets one a week, from the first checkpoint on, and no one else does', async () => {
  await writeCheckpointMails(context, daysAhead(8));
  expect(await waiting()).toEqual([]);
  await record(db, organization.id, { count: 3 });
  await sealAll(context);
  await writeCheckpointMails(context, daysAhead(6));
  expect(await waiting()).toEqual([]);
  await writeCheckpointMails(context, daysAhead(8));
  expect(await waiting()).toEqual([owner.email]);
  await writeCheckpointMails(context, daysAhead(14));
  expect(await waiting()).toHaveLength(1);
  await writeCheckpointMails(context, daysAhead(15.1));
  expect(await waiting()).toEqual([owner.email, owner.email]);
  expect(await waiting()).not.toContain(people.ada.email);
});

test('the text of the email is a file for verify-audit', async () => {
  const [newest] = await listCheckpoints(db, organization.id, { before: undefined, limit: 1 });
  await db.raw(`update account_mails set next_attempt_at = clock_timestamp()`);
  const sending = startAccountMails(context, { everyMs: 10 });
  const mail = await mailServer.mailTo(owner.email);
  await sending.stop();
  expect(mail.subject).toBe('Keep this checkpoint of your Countersign audit log');
  expect(keptCheckpointsFrom(mail.text)).toEqual([newest]);
});
