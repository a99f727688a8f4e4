/** What people may do: read as sentences, granted, changed and revoked, with the effect shown before. */
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { scene } from '../../support/scene.ts';
import type { TestMember } from '../../support/scene/factories.ts';
import { ofMember } from '../../support/scene/permission-policies.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const DECIDE = {
  scope_kind: 'agent' as const,
  resource_ids: ['support-bot', 'billing-bot'],
  permissions: ['request.read', 'request.decide'],
};

const { app, owner, people } = await scene({
  pipelines: { 'support-bot': {}, 'billing-bot': {}, 'audit-bot': {} },
  people: {
    grace: ['agent.read'],
    mia: [],
    ada: {
      can: ['membership.read', 'permission_policy.read', 'permission_policy.write', 'agent.read'],
      policies: [{ ...DECIDE, resource_ids: ['audit-bot'], permissions: ['request.decide'] }],
    },
    eve: ['membership.read'],
  },
  teams: { 'Refund desk': { members: ['grace'], policies: [DECIDE] } },
});
const { grace, mia, ada, eve } = people;

const pageOf = ({ membershipId }: TestMember) => `${app.url}/people/${membershipId}`;
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const sectionOf = (page: Page, title: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
/** Dialogs are part of the section. */
const policies = (page: Page) => sectionOf(page, 'Permissions').locator('li:not(dialog li)');
const rights = (page: Page) => sectionOf(page, 'What they may do').getByRole('listitem');

/** Once both lists are there. */
async function open(browser: ReturnType<typeof startBrowser>, of: TestMember, as = owner) {
  const page = await browser.open(pageOf(of), { as });
  await policies(page).first().waitFor();
  await rights(page).first().waitFor();
  return page;
}

describeInBrowser('an owner', () => {
  const browser = startBrowser({ refusals: [409] });

  test('reads where each right comes from, and grants more once the page has said what that does', async () => {
    const page = await open(browser, grace);
    expect(await rights(page).first().innerText()).toContain(
      'see agents in the whole organization — by their own policy',
    );
    const inherited =
      'requests of Agent billing-bot and Agent support-bot — through the team Refund desk';
    await rights(page).filter({ hasText: inherited }).waitFor();
    await page.getByText('never used').first().waitFor();
    await screenshot(page, 'access');
    expect(await violationsOf(page)).toEqual([]);

    await button(page, 'Grant permissions').click();
    const dialog = page.getByRole('dialog', { name: 'Grant permissions to' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Choose at least one permission.').waitFor();
    await dialog.getByRole('radio', { name: 'Some agents' }).check();
    await dialog.getByRole('combobox', { name: 'Add an agent' }).fill('supp');
    await page.getByRole('option', { name: 'support-bot' }).click();
    await dialog.getByLabel('Claim a request routed to you').check();
    await dialog.getByText('claim requests of').first().waitFor();
    const effect = dialog.getByRole('region', { name: 'What this changes' });
    await effect.getByText('gains:').waitFor();
    await screenshot(page, 'editor');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await policies(page).filter({ hasText: 'claim requests of' }).waitFor();
    await dialog.waitFor({ state: 'detached' });
  });

  test('is warned when only owners could decide, revokes, and takes that back', async () => {
    const page = await open(browser, ada);
    const decides = policies(page).filter({ hasText: 'decide requests of' });
    await decides.getByRole('button', { name: 'Revoke' }).click();
    const dialog = page.getByRole('dialog', { name: 'Revoke these permissions?' });
    await dialog.getByText('loses:').waitFor();
    await dialog.getByText('Only owners can decide requests of this agent afterwards').waitFor();
    await screenshot(page, 'revoke');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
    await decides.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await decides.waitFor();
  });

  test('sees a newer policy beside their own, and saves on top of it', async () => {
    const created = await owner.browser.post(
      ofMember(mia),
      { scope_kind: 'organization', resource_ids: [], permissions: ['agent.read'] },
      { headers: { 'idempotency-key': randomUUID() } },
    );
    const { id } = created.body as unknown as { id: string };
    const page = await open(browser, mia);
    await button(page, 'Change').click();
    const dialog = page.getByRole('dialog', { name: 'Change permissions of' });
    await dialog.getByLabel('See approval pipelines and their revisions').check();
    const body = { scope_kind: 'organization', permissions: ['team.read'], revision: 1 };
    await owner.browser.call('PUT', `${ofMember(mia)}/${id}`, { body });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Someone else changed these permissions').waitFor();
    await dialog.getByRole('button', { name: 'Compare' }).click();
    await dialog.getByText('Only in the newer one:').waitFor();
    await screenshot(page, 'newer');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Keep mine' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await policies(page).filter({ hasText: 'may see agents and rules' }).waitFor();
  });
});

describeInBrowser('someone who manages permissions', () => {
  const browser = startBrowser();

  test('is offered only what they hold, told why not more, and needs no mouse', async () => {
    const page = await open(browser, grace, ada);
    await button(page, 'Grant permissions').press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Grant permissions to' });
    const rules = dialog.getByLabel('Write and preview revisions of approval pipelines');
    expect(await rules.isDisabled()).toBe(true);
    expect(await dialog.getByLabel('See agents, their instances and their tools').isEnabled()).toBe(
      true,
    );
    expect(await dialog.getByLabel('Owner of the organization').count()).toBe(0);
    await dialog.getByRole('radio', { name: 'Whole organization' }).press('ArrowRight');
    const decides = (disabled: boolean) =>
      dialog.getByRole('checkbox', { name: 'Approve or deny requests', disabled }).first();
    await decides(false).waitFor();
    await dialog.getByRole('combobox', { name: 'Add an agent' }).fill('bill');
    await page.getByRole('option', { name: 'billing-bot' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await button(page, 'Take out Agent billing-bot').waitFor();
    await decides(true).waitFor();
    await dialog.getByText('You do not have this permission').first().waitFor();
  });

  test('uses it on a phone', async () => {
    const page = await browser.open(pageOf(grace), { as: ada, viewport: PHONE, dark: true });
    await rights(page).first().waitFor();
    await button(page, 'Grant permissions').click();
    await page.getByRole('dialog').getByLabel('See agents, their instances').check();
    await page
      .getByRole('region', { name: 'What this changes' })
      .getByText('No one gains')
      .waitFor();
    await screenshot(page, 'phone');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
    expect(await violationsOf(page)).toEqual([]);
  });
});

describeInBrowser('someone without the permission', () => {
  const browser = startBrowser();

  test('is told which one is missing', async () => {
    const page = await browser.open(pageOf(grace), { as: eve });
    const part = sectionOf(page, 'Permissions');
    await part.getByText('You cannot see permissions here.').waitFor();
    expect(await part.innerText()).toContain('See who holds which permissions');
    expect(await button(page, 'Grant permissions').count()).toBe(0);
  });
});
