import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { appForFile } from '../support/scene.ts';
import { createOrganization } from '../support/scene/factories.ts';
import { ageSession } from '../support/scene/invitations.ts';
import { cheapHashOf, PASSWORD, SECRETS_KEY } from '../support/scene/sign-in.ts';
import { violationsOf } from '../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../support/web/browser.ts';

const app = await appForFile({ environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } });
const { owner } = await createOrganization(app);
await app
  .db('users')
  .where({ id: owner.userId })
  .update({ password_hash: await cheapHashOf(PASSWORD) });

/** The session is old: what is to be done next needs the password again, and then goes on. */
async function confirmWithPassword(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
}

const start = async (body: object) =>
  (await app.http.post('/auth/agent_enrollments', { runtime: 'claude-code 2.1', ...body })).body;

describeInBrowser('a machine', () => {
  const browser = startBrowser({ refusals: [401, 403, 404, 429] });

  test.each([
    ['desk', 'light', {}],
    ['phone', 'dark', { viewport: PHONE, dark: true }],
  ])(
    'is let in by its code on a %s in %s, also through a sign-in',
    async (device, scheme, options) => {
      const { user_code: code, enrollment_code: secret } = await start({
        instance_name: `worker-${device}`,
        instance_metadata: { host: 'ada-laptop', path: '/srv/\u202efdp' },
      });
      const page = await browser.open(
        `${app.url}/enroll?code=${String(code).toLowerCase()}`,
        options,
      );
      await page.getByLabel('Email').fill(owner.email);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Is this your machine?' }).waitFor();
      await page.getByText('claude-code 2.1').waitFor();
      expect(await page.locator('mark').textContent()).toBe('\\u202e');
      await page.getByLabel('Agent', { exact: true }).selectOption('new agent');
      await page.getByLabel('Name of the new agent').fill(`Deploy ${device}`);
      await screenshot(page, `enroll-${device}-${scheme}`);
      expect(await violationsOf(page)).toEqual([]);
      await ageSession(app, owner, 60);
      await page.getByRole('button', { name: 'Authorize' }).click();
      await confirmWithPassword(page);
      await page.getByRole('heading', { name: 'The machine is connected' }).waitFor();
      const issued = await app.http.post('/auth/agent_enrollments/token', {
        enrollment_code: secret,
      });
      expect([issued.status, issued.body['agent']?.['slug']]).toEqual([200, `deploy-${device}`]);
    },
  );

  test('that asked for an agent gets no other, and wrong codes are limited', async () => {
    await owner.http.post('/api/v1/agents', { slug: 'fixed-bot', name: 'Fixed bot' });
    const { user_code: code } = await start({
      instance_name: 'fixed',
      requested_agent_slug: 'fixed-bot',
    });
    const page = await browser.open(`${app.url}/enroll`);
    await page.getByLabel('Email').fill(owner.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await page.getByLabel('Code').fill(`AAA-222${attempt + 2}`);
      await page.keyboard.press('Enter');
      await page.getByText('Code not found. Check it').waitFor();
    }
    await page.getByLabel('Code').fill('AAA-3333');
    await page.keyboard.press('Enter');
    await page
      .getByText(/Try again in \d+ seconds?\./)
      .first()
      .waitFor();
    await screenshot(page, 'enroll-limit');
    await app.db('sign_in_attempts').delete();
    await page.goto(`${app.url}/enroll?code=${String(code)}`);
    await page.getByText('The machine asked for this agent').waitFor();
    expect(await page.getByLabel('Agent', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.getByRole('heading', { name: 'The machine is connected' }).waitFor();
  });
});
