/** The organization: its settings, its limits with what is used of them, and its end. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { scene } from '../../support/scene.ts';
import { ageSession } from '../../support/scene/invitations.ts';
import { cheapHashOf, PASSWORD } from '../../support/scene/sign-in.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const PATH = '/api/v1/organization';
const { app, owner, people, organization, ask } = await scene({
  people: {
    ada: ['organization.read', 'organization.settings.write', 'agent.read'],
    eve: ['organization.read'],
    bob: ['request.read'],
  },
  pipelines: { 'support-bot': {} },
});
await ask({ tool: 'refund' });
for (const { userId } of [owner, people.ada])
  await app
    .db('users')
    .where({ id: userId })
    .update({ password_hash: await cheapHashOf(PASSWORD) });

const read = async () => {
  const { body, headers } = await people.eve.http.get(PATH);
  return {
    settings: (body as unknown as { settings: Record<string, unknown> }).settings,
    etag: headers['etag'] ?? '',
    body,
  };
};
const section = (page: Page, name: string) => page.getByRole('form', { name });

describeInBrowser('the page of the organization', () => {
  const browser = startBrowser({ refusals: [400, 401, 403, 412] });

  test('says what is used, and what each change brings about, before it is saved', async () => {
    const page = await browser.open(`${app.url}/settings`, { as: people.ada });
    const limits = section(page, 'Limits and usage');
    await limits.getByText('1 of 1,000').waitFor();
    await limits.getByRole('link', { name: 'Agent support-bot' }).waitFor();
    const hidden = section(page, 'Hidden values');
    await hidden.getByRole('group', { name: 'People would see:' }).waitFor();
    await screenshot(page, 'organization');
    expect(await violationsOf(page)).toEqual([]);

    const claims = section(page, 'Claims');
    await claims.getByLabel('A claim ends after', { exact: true }).fill('30');
    await claims.getByText('New claims hold for 30 minutes instead of 15 minutes.').waitFor();
    // Someone else saves another setting meanwhile: neither is lost.
    const { etag } = await read();
    await owner.http.call('PATCH', PATH, {
      body: { name: 'Acme Works' },
      headers: { 'if-match': etag },
    });
    await claims.getByRole('button', { name: 'Save' }).click();
    await claims.getByText('Someone else changed the organization in the meantime.').waitFor();
    await page.locator('input[value="Acme Works"]').waitFor();
    await screenshot(page, 'organization-conflict');
    await claims.getByRole('button', { name: 'Save' }).click();
    await claims.getByText('Saved. The change applies to the next call.').waitFor();
    expect(await read()).toMatchObject({
      settings: { claim_timeout: '30m' },
      body: { name: 'Acme Works' },
    });

    // Out of its bounds: said at the field.
    await claims.getByLabel('A claim ends after', { exact: true }).fill('99999');
    await claims.getByRole('button', { name: 'Save' }).click();
    await claims.getByText(/from 1m to 24h/).waitFor();
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Agents' })
      .click();
    const leaving = page.getByRole('dialog', { name: 'Leave without saving?' });
    await leaving.getByRole('button', { name: 'Stay here' }).click();
    await claims.getByRole('button', { name: 'Discard' }).click();

    await limits.getByLabel('Share of one agent, in percent').fill('101');
    await limits.getByText('Enter a whole number from 1 to 100.').waitFor();
    await limits.getByLabel('Share of one agent, in percent').fill('40');
    await limits.getByText('instead of 25 %').waitFor();
    await limits.getByRole('button', { name: 'Save' }).click();
    await limits.getByText('of the 400 that one agent may have').waitFor();
  });

  test('shows on an example what names hide, and adds one by the keyboard', async () => {
    const page = await browser.open(`${app.url}/settings`, {
      as: people.ada,
      viewport: PHONE,
      dark: true,
    });
    const hidden = section(page, 'Hidden values');
    const tried = hidden.getByRole('group', { name: 'People would see:' });
    await tried.getByText('DE02120300000000202051').waitFor();
    expect(await tried.textContent()).not.toContain('k_live_1f7a');
    await hidden.getByLabel('Add a name').fill('iban');
    await page.keyboard.press('Enter');
    await hidden.getByText('Values are also hidden by: iban.').waitFor();
    await tried.getByText('DE02120300000000202051').waitFor({ state: 'detached' });
    await hidden.scrollIntoViewIfNeeded();
    await screenshot(page, 'organization-hidden-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    await hidden.getByRole('button', { name: 'Save' }).click();
    await hidden.getByText('Saved.').waitFor();
    expect((await read()).settings['hidden_names']).toEqual({ defaults: true, add: ['iban'] });
  });

  test('says who lacks a second factor, and asks again for what concerns signing in and keys', async () => {
    const page = await browser.open(`${app.url}/settings`, { as: people.ada });
    const signIn = section(page, 'Second factor and recent authentication');
    await signIn.getByText('4 of 4 active members have no authenticator app.').waitFor();
    await signIn.getByRole('switch', { name: 'Require a second factor' }).check();
    await signIn
      .getByText('People without a second factor can no longer decide requests')
      .waitFor();
    await screenshot(page, 'organization-second-factor');
    await signIn.getByRole('button', { name: 'Discard' }).click();
    expect(await signIn.getByRole('switch').isChecked()).toBe(false);
    const keys = section(page, 'API keys');
    await keys.getByRole('switch', { name: 'Allow personal API keys' }).uncheck();
    await keys.getByText('All personal keys are refused').waitFor();
    await keys.getByLabel('A new key lives at most').selectOption({ label: '30 days' });
    await keys.getByText('New keys live for 30 days at most.').waitFor();
    await ageSession(app, people.ada, 60);
    await keys.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await dialog.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await keys.getByText('Saved.').waitFor();
    const { body } = await owner.browser.get(PATH);
    expect(body['settings']).toMatchObject({
      personal_api_keys_allowed: false,
      max_api_key_lifetime: '720h',
      require_mfa: false,
    });
  });

  test('is read only for who may not change it, and closed to who may not read it', async () => {
    const page = await browser.open(`${app.url}/settings`, { as: people.eve });
    await page.getByText('You can view these settings.').waitFor();
    await section(page, 'Hidden values').getByText('iban').first().waitFor();
    expect(await page.getByRole('switch', { disabled: false }).count()).toBe(0);
    expect(
      await page.getByRole('textbox', { name: 'Name', exact: true }).getAttribute('readonly'),
    ).not.toBeNull();
    expect(await page.getByRole('button', { name: /^(Add|Remove|Delete)/ }).count()).toBe(0);
    const other = await browser.open(`${app.url}/settings`, { as: people.bob });
    await other.getByText('See the organization, its limits and its settings').waitFor();
  });

  test('ends with the organization, by its name, after its owner authenticates again', async () => {
    const page = await browser.open(`${app.url}/settings`, { as: owner });
    await page.getByRole('button', { name: 'Delete the organization …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete the organization?' });
    await dialog.getByText('It now has 4 seats, 1 agent and 1 waiting request.').waitFor();
    await dialog.getByLabel('Type this to confirm:').fill('something else');
    await page.keyboard.press('Enter');
    await dialog.getByText('This does not match yet.').waitFor();
    await screenshot(page, 'organization-delete');
    expect(await violationsOf(page)).toEqual([]);
    await ageSession(app, owner, 60);
    await dialog.getByLabel('Type this to confirm:').fill(organization.slug);
    await page.keyboard.press('Enter');
    const again = page.getByRole('dialog', { name: 'Confirm that it is you' });
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.pathname.startsWith('/settings'));
    const { deleted_at: deleted } = (await app
      .db('organizations')
      .where({ id: organization.id })
      .first('deleted_at')) as { deleted_at: Date | null };
    expect(deleted).not.toBeNull();
  });
});
