/** One's own API keys, and the programs that hold one. */
import { expect, test } from '@jest/globals';
import { oauthOf } from '../../api/oauth/oauth-scene.ts';
import { scene } from '../../support/scene.ts';
import { cheapHashOf, PASSWORD } from '../../support/scene/sign-in.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const CAN = ['api_key.issue', 'request.read', 'request.decide', 'agent.read', 'team.read'] as const;

const hosted = await scene({
  app: { environment: { COUNTERSIGN_EDITION: 'hosted' } },
  people: { ada: [...CAN], cleo: [...CAN], eve: ['request.read'] },
});
const open = await scene({ people: { bob: ['api_key.issue', 'request.read'] } });
const { app, people, owner } = hosted;
const { ada, cleo } = people;
await app
  .db('users')
  .where({ id: ada.userId })
  .update({ password_hash: await cheapHashOf(PASSWORD) });

const keysPage = (of: { readonly url: string }) => `${of.url}/account/keys`;
const setOrganization = async (settings: object) => {
  const { headers } = await owner.http.get('/api/v1/organization');
  await owner.browser.call('PATCH', '/api/v1/organization', {
    body: { settings },
    headers: { 'if-match': headers['etag'] ?? '' },
  });
};

describeInBrowser('a member', () => {
  const browser = startBrowser({ refusals: [400, 403] });

  test('sees the programs they let in as such, and revokes the access of one on a phone', async () => {
    const { register, letIn, withToken } = oauthOf(app);
    const name = 'Desk <b>assistant</b>';
    const { access } = await letIn(cleo, await register({ client_name: name }), {
      permissions: ['request.read'],
    });
    await withToken(access).get('/api/v1/api_keys/verify');
    const page = await browser.open(`${keysPage(app)}?q=desk`, {
      as: cleo,
      viewport: PHONE,
      dark: true,
    });
    const row = page.getByRole('listitem').filter({ hasText: name });
    await row.getByText('May call the MCP endpoint only.').waitFor();
    await row.getByText('Not checked').waitFor();
    await row.getByText(/Approved .*last refreshed .*last used/).waitFor();
    expect(await row.locator('b').count()).toBe(0);
    await screenshot(page, 'own-keys-programs-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await page.getByRole('button', { name: `Revoke ${name}` }).click();
    const asked = page.getByRole('dialog', { name: 'Revoke the access of this program?' });
    await asked.getByText('it must ask for access again').waitFor();
    await screenshot(page, 'own-keys-program-revoke-phone-dark');
    await asked.getByRole('button', { name: 'Keep it' }).click();
    await page.getByRole('button', { name: `Revoke ${name}` }).click();
    await asked.getByRole('button', { name: 'Revoke access' }).click();
    await page.getByText('No key matches.').waitFor();
    expect((await withToken(access).get('/api/v1/api_keys/verify')).status).toBe(401);
  });

  test('is told by which limit a key ends, that keys are not allowed, and what they lack', async () => {
    await setOrganization({ max_api_key_lifetime: '240h' });
    const page = await browser.open(keysPage(app), { as: cleo });
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByText('limits how long keys live').waitFor();
    const expires = page.getByLabel('Expires', { exact: true });
    expect(await expires.locator('option').allTextContents()).toEqual([
      'In 7 days',
      'On a date',
      'As late as allowed',
    ]);
    await page.getByLabel('Name', { exact: true }).fill('dated');
    await expires.selectOption('date');
    const inTwenty = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
    await page.getByLabel('Last day').fill(inTwenty);
    await page.getByRole('button', { name: 'Create key' }).click();
    // At its field, as the service says it.
    await page.getByText(/must be no later than/).waitFor();
    await setOrganization({ personal_api_keys_allowed: false, max_api_key_lifetime: null });
    await page.reload();
    await page.getByText('does not allow personal API keys').waitFor();
    expect(await page.getByRole('button', { name: 'New key' }).count()).toBe(0);
    await screenshot(page, 'own-keys-not-allowed');
    await setOrganization({ personal_api_keys_allowed: true });

    await app.db('api_keys').where({ membership_id: people.eve.membershipId }).delete();
    const other = await browser.open(keysPage(app), { as: people.eve });
    await other.getByText('Issue personal API keys for yourself').waitFor();
    await other.getByRole('heading', { name: 'You have no API key.' }).waitFor();
    await screenshot(other, 'own-keys-none');
    expect(await other.getByRole('button', { name: 'New key' }).count()).toBe(0);
  });

  test('makes a key that can do everything where keys cannot be narrowed', async () => {
    const page = await browser.open(keysPage(open.app), { as: open.people.bob });
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByText('In this edition, a key can do everything').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('open');
    await page.getByLabel('Expires', { exact: true }).selectOption({ label: 'Never' });
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'I stored it' }).click();
    const row = page.getByRole('listitem').filter({ hasText: 'open' });
    await row.getByText('Can do everything that you can.').waitFor();
    await row.getByText('has no end').waitFor();
  });
});
