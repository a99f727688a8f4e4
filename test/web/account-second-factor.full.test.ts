import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { encode } from 'uqr';
import { startApp } from '../support/app.ts';
import { scene } from '../support/scene.ts';
import { createOrganization } from '../support/scene/factories.ts';
import { codesOf, createPerson, PASSWORD, SECRETS_KEY } from '../support/scene/sign-in.ts';
import { violationsOf } from '../support/web/accessibility.ts';
import {
  describeInBrowser,
  PHONE,
  screenshot,
  startBrowser,
  testInChromium,
} from '../support/web/browser.ts';

const { app, organization } = await scene({
  app: { environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } },
});

const SECURITY = `${app.url}/account/security`;

/** Tab until the control with this name has the focus, as people without a pointer do. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab');
    const label = await page.evaluate<string>(
      `document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent`,
    );
    if (name.test(label)) return;
  }
  throw new Error(`no control named ${String(name)}`);
}

const press = async (page: Page, name: RegExp) => {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
};

/** The dark modules that the picture draws, as `x y`. */
const drawn = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelector('svg[role=img] path').getAttribute('d').matchAll(/M(\\d+) (\\d+)/g)].map(([, x, y]) => x + ' ' + y)`,
  );

function darkModules(text: string): string[] {
  const { data } = encode(text, { ecc: 'M', border: 4 });
  return data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`${x} ${y}`] : [])));
}

describeInBrowser('the second factor on the account pages', () => {
  const browser = startBrowser({ refusals: [401, 403, 501] });

  testInChromium(
    'is set up, renewed and removed by keyboard alone, with a password asked in place',
    async () => {
      const ada = await createPerson(app, organization.id, { displayName: 'Ada Marsh' });
      await app
        .db('sessions')
        .where({ membership_id: ada.membershipId })
        .update({ authenticated_at: new Date(Date.now() - 60 * 60_000) });
      const page = await browser.open(SECURITY, { as: ada });
      await page.getByText('Off', { exact: true }).waitFor();
      await press(page, /^Set up an authenticator app$/);
      await page.getByRole('dialog').getByLabel('Password', { exact: true }).waitFor();
      await page.keyboard.type(PASSWORD);
      await page.keyboard.press('Enter');

      await page.getByRole('img', { name: /^QR code/ }).waitFor();
      const secret = (await page.locator('code').innerText()).replaceAll(' ', '');
      const [uri] = [
        `otpauth://totp/Countersign:${encodeURIComponent(ada.email)}?issuer=Countersign&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
      ];
      expect(await drawn(page)).toEqual(darkModules(uri));
      expect(await violationsOf(page)).toEqual([]);
      await screenshot(page, 'account-enroll');

      const codes = codesOf(app, secret);
      await tabTo(page, /^Code/);
      await page.keyboard.type(await codes.wrongCode());
      await page.keyboard.press('Enter');
      await page.getByText('The code is wrong.').waitFor();
      await page.keyboard.type(await codes.code());
      await page.keyboard.press('Enter');

      await page.getByRole('heading', { name: 'Save your recovery codes' }).waitFor();
      const list = page.getByRole('list', { name: 'Recovery codes' });
      const first = await list.getByRole('listitem').allInnerTexts();
      expect(first).toHaveLength(10);
      expect(await violationsOf(page)).toEqual([]);
      expect(
        await page.getByRole('button', { name: /Download|Copy|saved/ }).allInnerTexts(),
      ).toEqual(['Download', 'Copy', 'I saved them']);
      await screenshot(page, 'account-codes');
      const downloading = page.waitForEvent('download');
      await press(page, /^Download$/);
      const file = await (await downloading).createReadStream();
      let saved = '';
      for await (const part of file) saved += String(part);
      expect(saved.split('\n').filter((line) => first.includes(line))).toEqual(first);
      await page.reload();
      await page.getByText('10 recovery codes are left.').waitFor();
      expect(await list.count()).toBe(0);

      await press(page, /^New recovery codes$/);
      await press(page, /^Make new codes$/);
      await list.waitFor();
      expect(await list.getByRole('listitem').allInnerTexts()).not.toEqual(first);
      await press(page, /^I saved them$/);
      await press(page, /^Remove$/);
      await page.getByText('You will sign in with your password alone').waitFor();
      await press(page, /^Remove second factor$/);
      await page.getByText('Your second factor is removed.').waitFor();
      await page.getByText('Off', { exact: true }).waitFor();
    },
  );

  test('says that it is not available where the service has no secrets key', async () => {
    const bare = await startApp();
    const { id } = await createOrganization(bare);
    const bob = await createPerson(bare, id, { displayName: 'Bob Field' });
    const page = await browser.open(`${bare.url}/account/security`, { as: bob, viewport: PHONE });
    await page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await page.getByText('Second factors are not set up here.').waitFor();
    await screenshot(page, 'account-no-secrets-key');
    await bare.close();
  });

  test('people of an identity provider have no password to change', async () => {
    const cleo = await createPerson(app, organization.id, { displayName: 'Cleo Sand' });
    await app.db('users').where({ id: cleo.userId }).update({ password_hash: null });
    const page = await browser.open(SECURITY, { as: cleo, viewport: PHONE });
    await page.getByText('You sign in with your identity provider and have no password').waitFor();
    expect(await page.getByLabel('Current password').count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });
});
