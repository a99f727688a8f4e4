import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../support/scene.ts';
import { cheapHashOf, enroll, PASSWORD, SECRETS_KEY } from '../support/scene/sign-in.ts';
import { violationsOf } from '../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../support/web/browser.ts';

const { app, organization, people, ask } = await scene({
  app: { environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } },
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});
const { ada } = people;
await app
  .db('users')
  .where({ id: ada.userId })
  .update({ password_hash: await cheapHashOf(PASSWORD) });
const factor = await enroll(app, ada);
// As a session of the identity provider, which does not ask for the second factor enrolled here.
const { cookie } = factor;
await app
  .db('sessions')
  .where({ membership_id: ada.membershipId })
  .update({ assurance: 'single_factor' });
await app.db('organizations').where({ id: organization.id }).update({ require_mfa: true });

describeInBrowser('a session without a second factor', () => {
  const browser = startBrowser({ refusals: [401, 403] });

  test('gets it in place, and then decides', async () => {
    const id = await ask();
    const page = await browser.open(`${app.url}/requests/${id}`, {
      as: { ...ada, cookie },
      viewport: PHONE,
      dark: true,
    });
    await page.getByRole('button', { name: 'Enter a code' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByLabel('Code').waitFor();
    await screenshot(page, 'recent-authentication-code-phone');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('Code').fill(await factor.wrongCode());
    await page.keyboard.press('Enter');
    await dialog.getByText('The code is wrong').waitFor();
    await dialog.getByLabel('Code').fill(await factor.freshCode());
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
  });
});
