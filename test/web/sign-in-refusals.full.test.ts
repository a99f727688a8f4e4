import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { everywhere, REVIEWER, scene } from '../support/scene.ts';
import {
  createPerson,
  deleteAttempts,
  enroll,
  PASSWORD,
  SECRETS_KEY,
} from '../support/scene/sign-in.ts';
import { violationsOf } from '../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../support/web/browser.ts';

const { app, organization } = await scene({
  app: { environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } },
});
const policies = [everywhere(...REVIEWER)];
const ada = await createPerson(app, organization.id, { displayName: 'Ada Marsh', policies });
const bob = await createPerson(app, organization.id, { displayName: 'Bob Field', policies });
const factor = await enroll(app, bob);

const LOGIN = `${app.url}/login`;

describeInBrowser('the sign-in page', () => {
  // Each visit asks whether a person is signed in already.
  const browser = startBrowser({ refusals: [400, 401, 404, 429] });

  async function send(page: Page, email: string, password = PASSWORD): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  test('waits for a busy service, and says so', async () => {
    const page = await browser.open(`${app.url}/no-such-page`);
    const error = { code: 'rate_limited', message: 'Too many calls.' };
    let isBusy = true;
    await page.route('**/auth/options', async (route) => {
      const answer = { status: 429, headers: { 'Retry-After': '2' }, json: { error } };
      await (isBusy ? route.fulfill(answer) : route.continue());
    });
    await page.goto(LOGIN);
    await page.getByText('The service is busy.').waitFor();
    isBusy = false;
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByText('The service is busy.').count()).toBe(0);
  });

  test('takes a recovery code instead', async () => {
    const page = await browser.open(LOGIN, { viewport: PHONE });
    await send(page, bob.email);
    await page.getByRole('button', { name: 'Use a recovery code' }).click();
    await screenshot(page, 'login-recovery-phone');
    await page.getByLabel('Recovery code').fill(` ${factor.recoveryCodes[0]?.toLowerCase()} `);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
  });

  test('says how long to wait after too many attempts, and when to go on', async () => {
    for (let attempt = 0; attempt < 10; attempt += 1)
      await app.http.post('/auth/login', { email: ada.email, password: 'wrong' });
    const page = await browser.open('about:blank');
    await page.clock.install();
    await page.goto(LOGIN);
    await send(page, ada.email);
    await page
      .getByText(/Try again in \d+ seconds?\./)
      .first()
      .waitFor();
    await screenshot(page, 'login-wait');
    await deleteAttempts(app);
    await page.clock.runFor(61_000);
    await page.getByText('You can try again now.').waitFor();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
  });

  test('says what the service refused, also where no field of the form has it', async () => {
    const page = await browser.open(LOGIN);
    await page.route('**/auth/login', async (route) => {
      const issues = [
        { pointer: '/password', message: 'must be shorter' },
        { pointer: '/device', message: 'must be known' },
      ];
      const error = { code: 'invalid_request', message: 'Refused.', details: { issues } };
      await route.fulfill({ status: 400, json: { error } });
    });
    await send(page, ada.email);
    await page.getByText('This must be shorter.').waitFor();
    await page.getByRole('alert').getByText('device: This must be known.').waitFor();
  });

  test('says how to get in without a password where the service sends no email', async () => {
    const page = await browser.open(LOGIN);
    await page.getByText('this service does not send email').waitFor();
    await page.goto(`${app.url}/password/reset/whr_nonsense`);
    await page.getByRole('link', { name: 'Back to sign-in' }).waitFor();
    expect(await page.getByRole('link', { name: 'Send a new link' }).count()).toBe(0);
  });

  test('explains why a sign-in at the identity provider ended', async () => {
    const page = await browser.open('about:blank');
    for (const [code, words] of [
      ['sso_denied', 'refused the sign-in'],
      ['sso_expired', 'longer than ten minutes'],
      ['sso_failed', 'did not respond as expected'],
      ['sign_in_not_admitted', 'do not have access here yet'],
      ['membership_inactive', 'suspended'],
      ['seat_limit_reached', 'no free seat'],
      ['constructor', 'The sign-in failed'],
    ] as const) {
      await page.goto(`${LOGIN}?error=${code}`);
      await page.getByRole('alert').getByText(words).waitFor();
    }
  });

  test.each([
    ['desk', 'light', {}],
    ['desk', 'dark', { dark: true }],
    ['phone', 'light', { viewport: PHONE }],
    ['phone', 'dark', { viewport: PHONE, dark: true }],
  ])('breaks no rule of accessibility on a %s in %s', async (device, scheme, options) => {
    const page = await browser.open(`${LOGIN}?error=sso_failed`, options);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await screenshot(page, `login-${device}-${scheme}`);
    if (device === 'phone') {
      const toggle = await page.getByRole('button', { name: 'Show password' }).boundingBox();
      expect([toggle?.width, toggle?.height]).toEqual([44, 44]);
      for (const name of ['email', 'password'])
        expect(
          await page.evaluate(
            `getComputedStyle(document.querySelector('[name=${name}]')).fontSize`,
          ),
        ).toBe('16px');
    }
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      scheme === 'dark' ? 'rgb(21, 21, 20)' : 'rgb(251, 250, 247)',
    );
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${app.url}/password/forgot`);
    await page.getByRole('heading', { name: 'Reset your password' }).waitFor();
    await screenshot(page, `forgot-${device}-${scheme}`);
    expect(await violationsOf(page)).toEqual([]);
  });
});
