/** What a bad day looks like in the browser: a log that is not signed, and an owner who comes back by a link. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { Pool } from '../../../src/platform/postgres.ts';
import { sealAll } from '../../../src/services/audit/sealer.ts';
import { recoverOwner } from '../../../src/services/sign-in/owner-recovery.ts';
import { AUDIT_KEY, minutesAhead } from '../../services/audit/audit-scene.ts';
import { ask } from '../../support/scene/approval-requests.ts';
import { cheapHashOf, enroll, PASSWORD } from '../../support/scene/sign-in.ts';
import { createScene, slackForFile } from '../../support/scene/slack-scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-troubles-'));
const file = join(folder, 'audit-signed');
const { app, slack } = await slackForFile({ ...AUDIT_KEY, COUNTERSIGN_AUDIT_SIGNED_FILE: file });
const { agent, organization } = await createScene(app, slack);
const { owner } = organization;
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describeInBrowser('on a bad day', () => {
  // The page of a link has no session.
  const browser = startBrowser({ refusals: [401] });

  test('a file that the signer cannot use is named on the system page, with what to do, and the checkpoint is kept before', async () => {
    await sealAll(app.context, { floor: minutesAhead(2) });
    const page = await browser.open(`${app.url}/settings/audit`, { as: owner, viewport: PHONE });
    const link = page.getByRole('link', { name: 'Save this checkpoint' });
    const [kept] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(JSON.parse(await readFile(await kept.path(), 'utf8'))).toMatchObject({
      checkpoint: { organization_id: organization.id, signature: expect.any(String) },
    });
    writeFileSync(file, 'damaged');
    await ask(app, agent);
    await sealAll(app.context, { floor: minutesAhead(4) });
    await page.goto(`${app.url}/settings/system`);
    const line = page
      .getByRole('list', { name: 'System' })
      .getByRole('listitem')
      .filter({ hasText: /^WrongSignature of the audit log *nothing is signed/ });
    await line.getByText('What it said').click();
    await line.getByText(`${file} does not say what was signed. Put it back`).waitFor();
    await screenshot(page, 'troubles-system-phone');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('an owner without their second factor comes back by a link', async () => {
    const { db, context } = app;
    const hash = await cheapHashOf(PASSWORD);
    await db('users').where({ id: owner.userId }).update({ password_hash: hash });
    await enroll(app, owner);
    const recovering = { db: db as Pool, publicUrl: context.publicUrl, sendsEmail: false };
    const { link } = await recoverOwner(recovering, owner.email);
    const { pathname } = new URL(link);
    const page = await browser.open(`${app.url}${pathname}`, { viewport: PHONE });
    await page.getByText('your second factor is removed').waitFor();
    await screenshot(page, 'troubles-recovery-phone');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('New password').fill('nine quiet herons by the weir');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your new password is set' }).waitFor();
  });
});
