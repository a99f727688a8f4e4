/** From no agent to its first answered request, in the browser and in a terminal. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { appForFile } from '../../support/scene.ts';
import { createOrganization } from '../../support/scene/factories.ts';
import { ageSession } from '../../support/scene/invitations.ts';
import { cheapHashOf, PASSWORD, SECRETS_KEY } from '../../support/scene/sign-in.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../support/web/browser.ts';
import { traces } from '../../support/web/traces.ts';

const app = await appForFile({ environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } });
const { owner } = await createOrganization(app);
await app
  .db('users')
  .where({ id: owner.userId })
  .update({ password_hash: await cheapHashOf(PASSWORD) });

describeInBrowser('an owner', () => {
  const browser = startBrowser({ refusals: [403, 409] });

  test('connects a server with a credential that is shown once, and answers its test request', async () => {
    const page = await browser.open(`${app.url}/agents`, { as: owner });
    await page.getByRole('heading', { name: 'No agent yet.' }).waitFor();
    await screenshot(page, 'agents-none');
    await page.getByRole('button', { name: 'New agent' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Support bot');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Support bot' }).waitFor();
    expect(page.url()).toBe(`${app.url}/agents/support-bot/connect`);
    await page.getByRole('radio', { name: /A server/ }).check();
    await page.getByLabel('Instance name').fill('eu-west-1a');
    await screenshot(page, 'connect-server');
    await ageSession(app, owner, 60);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    const box = page.getByRole('region', { name: 'Credential of eu-west-1a' });
    await box.waitFor();
    await screenshot(page, 'connect-secret');
    expect(await violationsOf(page)).toEqual([]);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      box.getByRole('button', { name: 'Save as .env' }).click(),
    ]);
    const file = await readFile(await download.path(), 'utf8');
    const token = /^COUNTERSIGN_TOKEN='(whc_[^']+)'$/m.exec(file)?.[1] ?? '';
    expect(token).not.toBe('');
    expect(file).toContain(`COUNTERSIGN_URL='${app.url}'`);
    expect(await traces(page)).not.toContain(token.slice(-20));
    await page.getByText('Waiting for the first call …').waitFor();

    await page.getByRole('link', { name: 'Overview' }).click();
    const leaving = page.getByRole('dialog', { name: 'Did you store it?' });
    await leaving.getByRole('button', { name: 'Stay here' }).click();
    await box.getByRole('button', { name: 'Show' }).click();
    const code = page.getByRole('group', { name: 'Test request' });
    const command = String(await code.textContent());
    expect(command).toContain(token);
    const terminal = promisify(execFile)('bash', ['-c', command]);
    await page.getByText(/Called .* from\s+eu-west-1a/).waitFor();
    const [beside] = await Promise.all([
      page.context().waitForEvent('page'),
      page.getByRole('link', { name: 'refund_payment' }).click(),
    ]);
    await beside.getByRole('button', { name: /^Approve/ }).click();
    await beside.getByRole('button', { name: 'Confirm approval' }).click();
    await beside.getByText('Approved').first().waitFor();
    expect((await terminal).stdout).toMatch(/^Asked\..*\napproved\n$/s);
    await page.getByText('was approved').waitFor();
    await screenshot(page, 'connect-called');

    await box.getByRole('button', { name: 'I stored it' }).click();
    await page.getByText('Stored. It cannot be shown again.').waitFor();
    expect(await traces(page)).not.toContain(token.slice(-20));
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText('1 of 1 instance live').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });
});
