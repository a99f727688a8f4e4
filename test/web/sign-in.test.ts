import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { everywhere, REVIEWER, scene } from '../support/scene.ts';
import { createPerson, enroll, PASSWORD, SECRETS_KEY } from '../support/scene/sign-in.ts';
import { describeInBrowser, screenshot, startBrowser } from '../support/web/browser.ts';

const { app, organization } = await scene({
  app: { environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } },
});
const policies = [everywhere(...REVIEWER)];
const ada = await createPerson(app, organization.id, { displayName: 'Ada Marsh', policies });
const bob = await createPerson(app, organization.id, { displayName: 'Bob Field', policies });
const factor = await enroll(app, bob);

const LOGIN = `${app.url}/login`;
const focused = (page: Page) => page.evaluate('document.activeElement?.getAttribute("name")');

describeInBrowser('the sign-in page', () => {
  // Each visit asks whether a person is signed in already.
  const browser = startBrowser({ refusals: [400, 401, 404, 429] });

  async function send(page: Page, email: string, password = PASSWORD): Promise<void> {
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  test('leads a keyboard through password and code to the page that was asked for', async () => {
    const page = await browser.open(`${app.url}/?tab=all`);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.title()).toBe('Sign in · Countersign');
    expect(await focused(page)).toBe('email');
    await page.keyboard.type(bob.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor();
    await screenshot(page, 'login-code');
    expect(await focused(page)).toBe('code');
    await page.keyboard.type(await factor.wrongCode());
    await page.keyboard.press('Enter');
    await page.getByText('The code is wrong or was already used').waitFor();
    expect(await focused(page)).toBe('code');
    await page.keyboard.type(await factor.freshCode());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    expect(new URL(page.url()).searchParams.get('tab')).toBe('all');
  });

  test('keeps what was typed after a wrong password, and goes to it', async () => {
    const page = await browser.open(LOGIN);
    await send(page, 'not an address', '');
    await page.getByText('Enter an email address').waitFor();
    expect(await focused(page)).toBe('email');
    await send(page, ada.email, 'wrong');
    await page.getByText('The email or the password is wrong.').waitFor();
    expect(await focused(page)).toBe('password');
    expect(await page.getByLabel('Email').inputValue()).toBe(ada.email);
    await screenshot(page, 'login-wrong');
    await page.getByRole('button', { name: 'Show password' }).click();
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('type')).toBe('text');
    await send(page, ada.email);
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
  });

  test('goes on for a person who is signed in, and never leaves this origin', async () => {
    const page = await browser.open(`${LOGIN}?return_to=%2F%3Ftab%3Dall`, { as: ada });
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    expect(new URL(page.url()).search).toBe('?tab=all');
    for (const hostile of ['//evil.example', '/\\evil.example', 'https://evil.example', '/login']) {
      await page.goto(`${LOGIN}?return_to=${encodeURIComponent(hostile)}`);
      await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
      expect(page.url()).toBe(`${app.url}/`);
    }
  });

  test('comes back to the page on which the session ended, and drops what another person read', async () => {
    const page = await browser.open(`${app.url}/?tab=all`, { as: ada });
    await page.getByText('Ada Marsh').waitFor();
    await app.db('sessions').where({ membership_id: ada.membershipId }).delete();
    await page.evaluate('dispatchEvent(new Event("visibilitychange"))');
    await page.getByText('Your session ended. Nothing was decided after that').waitFor();
    await screenshot(page, 'login-ended');
    await send(page, bob.email);
    await page.getByLabel('Code').fill(await factor.freshCode());
    await page.keyboard.press('Enter');
    await page.getByText('Bob Field').waitFor();
    expect(await page.getByText('Ada Marsh').count()).toBe(0);
    expect(new URL(page.url()).search).toBe('?tab=all');
  });
});
