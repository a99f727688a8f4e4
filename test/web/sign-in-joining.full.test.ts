import { beforeEach, expect, test } from '@jest/globals';
import { issueToken } from '../../src/platform/crypto/tokens.ts';
import { scene } from '../support/scene.ts';
import { createOrganization } from '../support/scene/factories.ts';
import { expire, invited } from '../support/scene/invitations.ts';
import {
  createPerson,
  deleteAttempts,
  enroll,
  PASSWORD,
  SECRETS_KEY,
} from '../support/scene/sign-in.ts';
import { violationsOf } from '../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../support/web/browser.ts';

const { app, organization, owner } = await scene({
  app: { environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } },
});
beforeEach(() => deleteAttempts(app));
const elsewhere = await createOrganization(app);
const linkTo = (token: string): string => `${app.url}/invitations/${token}`;

describeInBrowser('an invitation', () => {
  // Without a session, the question who is signed in is refused.
  const browser = startBrowser({ refusals: [400, 401, 403, 404] });

  test.each([
    ['desk', 'light', {}],
    ['phone', 'dark', { viewport: PHONE, dark: true }],
  ])('lets a new person join on a %s in %s', async (device, scheme, options) => {
    const { email, token } = await invited(owner);
    const page = await browser.open(linkTo(token), options);
    await page.getByRole('heading', { name: 'Join your team' }).waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe(email);
    await screenshot(page, `invitation-${device}-${scheme}`);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('Your name').fill('Grace Field');
    await page.getByLabel('Password', { exact: true }).fill('password1234');
    await page.keyboard.press('Enter');
    await page.locator('[name=password][aria-invalid=true]').waitFor();
    expect(await page.getByLabel('Your name').inputValue()).toBe('Grace Field');
    await page.getByLabel('Password', { exact: true }).fill('nine quiet herons at dusk');
    await page.keyboard.press('Enter');
    await page.getByRole('banner').waitFor();
    await page.goto(linkTo(token));
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  });

  test('lets an account join with its password and second factor, or as it is signed in', async () => {
    const bob = await createPerson(app, elsewhere.id);
    const factor = await enroll(app, bob);
    const first = await invited(owner, { email: bob.email });
    const page = await browser.open(linkTo(first.token));
    await page.getByText('You already have an account').waitFor();
    await page.getByLabel('Password', { exact: true }).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The password is wrong.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByLabel('Code').fill(await factor.freshCode());
    await page.keyboard.press('Enter');
    await page.getByRole('banner').waitFor();

    const ada = await createPerson(app, elsewhere.id);
    const second = await invited(owner, { email: ada.email });
    const other = await browser.open(linkTo(second.token), { as: ada });
    await other.getByRole('button', { name: 'Join' }).click();
    await other.getByRole('banner').waitFor();
  });

  test('for another account says so and offers to sign out', async () => {
    const ada = await createPerson(app, organization.id);
    const { token, email } = await invited(owner);
    const page = await browser.open(linkTo(token), { as: ada });
    await page
      .getByText(`You are signed in as ${ada.email}. The invitation is for ${email}.`)
      .waitFor();
    await page.getByRole('link', { name: 'Go to requests' }).waitFor();
    await screenshot(page, 'invitation-other-account');
    await page.getByRole('button', { name: 'Sign out and continue' }).click();
    await page.getByLabel('Your name').waitFor();
  });

  test('that expired, was revoked or never was leads on', async () => {
    const expired = await invited(owner);
    await expire(app, expired.id);
    const revoked = await invited(owner);
    await owner.browser.call('DELETE', `/api/v1/invitations/${revoked.id}`);
    const page = await browser.open('about:blank');
    for (const token of [expired.token, revoked.token, 'whi_nonsense']) {
      await page.goto(linkTo(token));
      await page.getByText('was accepted, revoked or replaced').waitFor();
    }
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await page.goto(`${app.url}/password/reset/whr_nonsense`);
    await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  });
});

describeInBrowser('a link to reset the password', () => {
  // The member may read no requests.
  const browser = startBrowser({ refusals: [400, 401, 403] });

  test('takes a new password, and says why it refuses one', async () => {
    const ada = await createPerson(app, organization.id);
    const { id, hash, token } = issueToken('whr');
    const times = { created_at: new Date(), expires_at: new Date(Date.now() + 60_000) };
    await app.db('password_resets').insert({ id, user_id: ada.userId, token_hash: hash, ...times });
    const page = await browser.open(`${app.url}/password/reset/${token}`, { viewport: PHONE });
    await page.getByLabel('New password').fill('password1234');
    await page.keyboard.press('Enter');
    await page.locator('[name=password][aria-invalid=true]').waitFor();
    await screenshot(page, 'reset-refused-phone');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByText('test key').waitFor();
    expect((await ada.http.get('/api/v1/me')).status).toBe(200);
    await page.getByLabel('Revoke them too').check();
    await page.getByLabel('New password').fill('nine quiet herons by the weir');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your new password is set' }).waitFor();
    expect((await ada.http.get('/api/v1/me')).status).toBe(401);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await page.getByLabel('Email').fill(ada.email);
    await page.getByLabel('Password', { exact: true }).fill('nine quiet herons by the weir');
    await page.keyboard.press('Enter');
    await page.getByRole('banner').waitFor();
  });
});
