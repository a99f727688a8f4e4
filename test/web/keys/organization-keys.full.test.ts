/** All API keys of the organization: found, issued, changed and revoked. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { oauthOf } from '../../api/oauth/oauth-scene.ts';
import { HttpClient } from '../../support/http.ts';
import { scene } from '../../support/scene.ts';
import { createOrganizationKey } from '../../support/scene/factories.ts';
import { ageSession } from '../../support/scene/invitations.ts';
import { cheapHashOf, PASSWORD } from '../../support/scene/sign-in.ts';
import { until } from '../../support/waiting.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';
import { traces } from '../../support/web/traces.ts';

const DAY = 86_400_000;
const { app, owner, organization, people } = await scene({
  app: { environment: { COUNTERSIGN_EDITION: 'hosted' } },
  people: {
    mia: {
      can: [
        ...['api_key.read', 'api_key.revoke', 'api_key.organization.issue', 'agent.read'],
        ...['permission_policy.read', 'permission_policy.write', 'team.read'],
      ],
      displayName: 'Mia Lund',
    },
    ada: { can: ['api_key.read', 'agent.read'], displayName: 'Ada Reyes' },
    bob: { can: ['request.read'], displayName: 'Bob Field' },
    cleo: { can: ['api_key.issue', 'request.read'], displayName: 'Cleo Sand' },
  },
  pipelines: { 'support-bot': {}, 'billing-bot': {} },
});
await app
  .db('users')
  .where({ id: people.mia.userId })
  .update({ password_hash: await cheapHashOf(PASSWORD) });

const KEYS = '/api/v1/api_keys';
const keysPage = `${app.url}/settings/keys`;
const change = async (id: string, changed: object) => {
  await app.db('api_keys').where({ id }).update(changed);
};
const setOrganization = async (settings: object) => {
  const { headers } = await owner.http.get('/api/v1/organization');
  await owner.browser.call('PATCH', '/api/v1/organization', {
    body: { settings },
    headers: { 'if-match': headers['etag'] ?? '' },
  });
};
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const rows = (page: Page) => page.getByRole('rowheader').getByRole('link').allTextContents();
const listed = async (page: Page, names: readonly string[]) => {
  await until(`the list has ${names.join(', ')}`, async () => {
    return (await rows(page)).toSorted().join() === names.toSorted().join();
  });
};
const width = (page: Page) => page.evaluate('document.documentElement.scrollWidth');
const fact = (page: Page, label: string) =>
  page.locator('dl > div').filter({ has: page.getByText(label, { exact: true }) });

describeInBrowser('those who manage keys', () => {
  const browser = startBrowser({ refusals: [400, 403] });

  test('issue a narrowed key, see its use, change what it may do, and revoke it', async () => {
    const page = await browser.open(keysPage, { as: people.mia });
    await button(page, 'New organization key').click();
    await page.getByLabel('Name', { exact: true }).fill('inventory sync');
    await button(page, 'Create key').click();
    await page.getByText('Choose at least one permission.').waitFor();
    await page.getByRole('radio', { name: 'Some agents' }).check();
    await page.getByRole('combobox', { name: 'Add an agent' }).fill('supp');
    await page.getByRole('option', { name: 'support-bot' }).click();
    // No key of the organization decides.
    await page.getByLabel(/^See agents/).check();
    expect(await page.getByLabel(/^Approve or deny/).count()).toBe(0);
    await page.getByText(/It reads: may see .*Agent support-bot/).waitFor();
    await screenshot(page, 'organization-keys-new');
    expect(await violationsOf(page)).toEqual([]);
    await ageSession(app, people.mia, 60);
    await button(page, 'Create key').click();
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await confirm.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    const box = page.getByRole('region', { name: 'Key inventory sync' });
    await button(page, 'Show').click();
    const token = (await box.locator('pre[data-shown=true]').textContent()) ?? '';
    await screenshot(page, 'organization-keys-once');
    await button(page, 'I stored it').click();
    await box.waitFor({ state: 'detached' });
    expect(await traces(page)).not.toContain(token.slice(-20));

    const program = new HttpClient(app.url, { authorization: `Bearer ${token}` });
    const statuses = async () =>
      await Promise.all(
        ['support-bot', 'billing-bot'].map(
          async (slug) => (await program.get(`/api/v1/agents/${slug}`)).status,
        ),
      );
    await page.getByRole('link', { name: 'inventory sync' }).click();
    await page.getByRole('heading', { level: 1, name: 'inventory sync' }).waitFor();
    await fact(page, 'Last used').getByText('never').waitFor();
    expect(await statuses()).toEqual([200, 403]);
    await until('the use is recorded', async () => {
      const [key] = await app.db('api_keys').where({ name: 'inventory sync' });
      return key?.last_used_at !== null;
    });
    await page.reload();
    await fact(page, 'Last used')
      .getByText(/ago|now/)
      .waitFor();
    expect(
      await page.getByRole('link', { name: 'API keys', exact: true }).getAttribute('aria-current'),
    ).toBe('page');

    await button(page, 'Change').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('radio', { name: 'Whole organization' }).check();
    await dialog.getByRole('region', { name: 'What this changes' }).getByText('gains:').waitFor();
    await screenshot(page, 'organization-key-change');
    await button(page, 'Save').click();
    await page.getByText(/^may see agents in the whole organization/).waitFor();
    await dialog.waitFor({ state: 'detached' });
    expect(await statuses()).toEqual([200, 200]);
    await screenshot(page, 'organization-key');
    expect(await violationsOf(page)).toEqual([]);

    await button(page, 'Revoke …').click();
    const asked = page.getByRole('dialog', { name: 'Revoke this key?' });
    await asked.getByText(/^may see agents in the whole organization/).waitFor();
    await asked.getByText('refused at its next call').waitFor();
    await asked.getByText('last used').waitFor();
    await screenshot(page, 'organization-key-revoke');
    await button(page, 'Revoke the key').click();
    await page.getByText('inventory sync is revoked.').waitFor();
    await fact(page, 'Ended').getByText('because someone revoked it').waitFor();
    await page.getByText('The permissions of a key that was revoked').waitFor();
    expect((await program.get(`${KEYS}/verify`)).status).toBe(401);
  });

  test('find keys by state, kind, text and maker, with all of it in the address', async () => {
    const { id } = await createOrganizationKey(app, organization);
    await change(id, { name: 'Desk <b>export</b>', expires_at: new Date(Date.now() + 3.5 * DAY) });
    await app.db('api_keys').where({ membership_id: people.bob.membershipId }).delete();
    await change(people.ada.apiKeyId, { name: 'ada script' });
    const { register, letIn } = oauthOf(app);
    await letIn(people.cleo, await register({ client_name: 'Desk assistant' }), {
      permissions: ['request.read'],
    });
    const page = await browser.open(`${keysPage}?kind=none&by=x`, { as: owner });
    await page.getByRole('link', { name: 'ada script' }).waitFor();
    await screenshot(page, 'organization-keys');
    expect(await violationsOf(page)).toEqual([]);
    await button(page, 'Ends soon').click();
    await listed(page, ['Desk <b>export</b>']);
    await page
      .getByRole('row')
      .filter({ hasText: 'The organization' })
      .getByText('in 3 d')
      .waitFor();
    await page.goto(`${keysPage}?kind=personal&q=desk`);
    await listed(page, ['Desk assistant']);
    await page.getByText('A program of').waitFor();
    await page.getByLabel('Kind', { exact: true }).selectOption('organization');
    await listed(page, ['Desk <b>export</b>']);
    await page.goto(`${keysPage}?by=${people.ada.membershipId}`);
    await listed(page, ['ada script']);
    await page.getByText('Made by Ada Reyes').waitFor();
    await button(page, 'Show keys of everyone').click();
    await page.getByRole('link', { name: 'Desk assistant' }).waitFor();
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByRole('heading', { name: 'No key matches.' }).waitFor();
    await button(page, 'Clear search and filters').click();
    // From a person to their keys, and to one of them.
    await page.getByRole('link', { name: 'ada script' }).click();
    await page.getByText('Can do everything that its person can.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Ada Reyes' }).first().click();
    await page.getByRole('link', { name: 'All their keys' }).click();
    await page.getByText('Made by Ada Reyes').waitFor();
    await listed(page, ['ada script']);
  });

  test('are told at its field that a key may not live so long, and do all with the keyboard on a phone', async () => {
    await setOrganization({ max_api_key_lifetime: '240h' });
    const page = await browser.open(keysPage, { as: owner, viewport: PHONE, dark: true });
    await button(page, 'New organization key').focus();
    await page.keyboard.press('Enter');
    await page.getByText('limits how long keys live').waitFor();
    await page.keyboard.type('dated');
    const expires = page.getByLabel('Expires', { exact: true });
    await expires.selectOption('date');
    const inTwenty = new Date(Date.now() + 20 * DAY).toISOString().slice(0, 10);
    await page.getByLabel('Last day').fill(inTwenty);
    await page.getByLabel(/^See agents/).focus();
    await page.keyboard.press('Space');
    await button(page, 'Create key').focus();
    await page.keyboard.press('Enter');
    await page.getByText(/must be no later than/).waitFor();
    expect(await expires.getAttribute('aria-invalid')).toBe('true');
    await screenshot(page, 'organization-keys-new-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    expect(await width(page)).toBe(PHONE.width);
    await expires.selectOption('latest');
    // A second set of permissions, at another place.
    await button(page, 'Add permissions elsewhere').focus();
    await page.keyboard.press('Enter');
    await button(page, 'Create key').focus();
    await page.keyboard.press('Enter');
    await page.getByText('Choose at least one permission.').waitFor();
    const second = page.getByRole('group', { name: 'Permissions 2' });
    await second.getByLabel(/^See webhook endpoints/).focus();
    await page.keyboard.press('Space');
    await button(page, 'Create key').focus();
    await page.keyboard.press('Enter');
    await button(page, 'I stored it').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'dated' }).waitFor();
    await setOrganization({ max_api_key_lifetime: null });
    const { body } = await owner.browser.get(`${KEYS}?q=dated`);
    const [made] = body['keys'] as unknown as { grants: { permission: string }[] }[];
    expect(made?.grants.map(({ permission }) => permission).toSorted()).toEqual([
      'agent.read',
      'webhook.read',
    ]);
    await screenshot(page, 'organization-keys-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    expect(await width(page)).toBe(PHONE.width);
    await page.getByRole('link', { name: 'dated' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'dated' }).waitFor();
    await page.getByText(/^may see webhook endpoints/).waitFor();
    await screenshot(page, 'organization-key-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    expect(await width(page)).toBe(PHONE.width);
  });
});

describeInBrowser('others', () => {
  const browser = startBrowser({ refusals: [403, 404] });

  test('read without changing, and see nothing that the service does not show them', async () => {
    const { id } = await createOrganizationKey(app, organization, [
      { scope_kind: 'agent', resource_ids: ['support-bot'], permissions: ['agent.read'] },
    ]);
    await change(id, { name: 'read only' });
    const page = await browser.open(keysPage, { as: people.ada });
    await page.getByRole('link', { name: 'read only' }).waitFor();
    await page.getByText('Issue API keys that act for the organization.').waitFor();
    expect(await page.getByRole('button', { name: /^Revoke |New organization key/ }).count()).toBe(
      0,
    );
    await page.getByRole('link', { name: 'read only' }).click();
    await page.getByText(/^may see details of Agent support-bot/).waitFor();
    expect(await page.getByRole('button', { name: /^Revoke|Grant/ }).count()).toBe(0);
    // They may not see members.
    expect(await page.getByRole('link', { name: owner.displayName }).count()).toBe(0);

    const other = await browser.open(keysPage, { as: people.bob });
    await other.getByText('“See the API keys of the organization”').waitFor();
    await other.goto(`${keysPage}/${id}`);
    await other.getByText('“See the API keys of the organization”').waitFor();
    await page.goto(`${keysPage}/0199a3f4-2b7e-7c3d-8e6f-4a5b6c7d8e9f`);
    await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
  });
});
