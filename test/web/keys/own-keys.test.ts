/** One's own API keys, and the programs that hold one. */
import { expect, test } from '@jest/globals';
import { HttpClient } from '../../support/http.ts';
import { scene } from '../../support/scene.ts';
import { ageSession } from '../../support/scene/invitations.ts';
import { cheapHashOf, PASSWORD } from '../../support/scene/sign-in.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../support/web/browser.ts';
import { traces } from '../../support/web/traces.ts';

const CAN = ['api_key.issue', 'request.read', 'request.decide', 'agent.read', 'team.read'] as const;

const hosted = await scene({
  app: { environment: { COUNTERSIGN_EDITION: 'hosted' } },
  people: { ada: [...CAN], cleo: [...CAN], eve: ['request.read'] },
});
const { app, people, owner } = hosted;
const { ada } = people;
await app
  .db('users')
  .where({ id: ada.userId })
  .update({ password_hash: await cheapHashOf(PASSWORD) });

const keysPage = (of: { readonly url: string }) => `${of.url}/account/keys`;
const keysNamed = async (name: string) => {
  const { body } = await owner.browser.get(`/api/v1/api_keys?q=${encodeURIComponent(name)}`);
  return body['keys'] as unknown as {
    permissions: string[] | null;
    expires_at: string | null;
    status: string;
  }[];
};

describeInBrowser('a member', () => {
  const browser = startBrowser({ refusals: [400, 403] });

  test('makes a key that may do what they choose, sees it once, and revokes it', async () => {
    const page = await browser.open(keysPage(app), { as: ada });
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('nightly report');
    // At first it may only read.
    await page.getByText(/^May see agents, .*; see requests routed to you/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await screenshot(page, 'own-keys-new');
    await page.getByRole('radio', { name: 'Selected permissions' }).check();
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Choose at least one permission.').waitFor();
    await page.getByLabel(/^Approve or deny requests routed to you/).check();
    await page.getByText('This key can decide requests').waitFor();
    await screenshot(page, 'own-keys-chosen');
    await ageSession(app, ada, 60);
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    const box = page.getByRole('region', { name: 'Key nightly report' });
    await box.getByRole('button', { name: 'Show' }).click();
    const token = (await box.locator('pre[data-shown=true]').textContent()) ?? '';
    await screenshot(page, 'own-keys-once');
    expect(await violationsOf(page)).toEqual([]);
    await box.getByRole('button', { name: 'I stored it' }).click();
    await box.waitFor({ state: 'detached' });
    expect(await traces(page)).not.toContain(token.slice(-20));
    const [made] = await keysNamed('nightly report');
    expect(made).toMatchObject({ permissions: ['request.decide'], status: 'active' });
    const days = (Date.parse(made?.expires_at ?? '') - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);

    const row = page.getByRole('listitem').filter({ hasText: 'nightly report' });
    await row.getByText(/^May approve or deny requests routed to you/).waitFor();
    await row.getByText(/never used/).waitFor();
    await page.getByRole('button', { name: 'Revoke nightly report' }).click();
    const asked = page.getByRole('dialog', { name: 'Revoke this key?' });
    await asked.getByText('refused at its next call').waitFor();
    await screenshot(page, 'own-keys-revoke');
    await asked.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByText('nightly report is revoked.').waitFor();
    await row.waitFor({ state: 'detached' });
    const as = new HttpClient(app.url, { authorization: `Bearer ${token}` });
    expect((await as.get('/api/v1/api_keys/verify')).status).toBe(401);
    await page.getByRole('button', { name: 'Revoked', exact: true }).click();
    await row.getByText(/never used · revoked/).waitFor();
    expect(new URL(page.url()).search).toContain('show=revoked');
  });
});
