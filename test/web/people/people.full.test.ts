/** Members and teams: found, suspended, removed, and put together. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { scene } from '../../support/scene.ts';
import { until } from '../../support/waiting.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, owner, people, teams } = await scene({
  app: { environment: { COUNTERSIGN_EDITION: 'hosted' } },
  people: {
    ada: { can: ['request.read'], displayName: 'Ada Reyes' },
    bob: { can: ['request.read'], displayName: 'Bob Field' },
    cleo: { can: ['request.read'], displayName: 'Cleo Sand', status: 'suspended' },
    dan: { can: ['request.read'], displayName: 'Dan Marsh' },
    eve: { can: ['membership.read', 'team.read'], displayName: 'Eve Stone' },
    finn: { can: ['membership.read', 'membership.write'], displayName: 'Finn Hale' },
  },
  teams: { 'Refund desk': ['ada', 'bob'], 'Night shift': ['bob'] },
  paths: { refunds: [['ada'], ['Refund desk']] },
  pipelines: { 'support-bot': 'refunds' },
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const width = (page: Page) => page.evaluate('document.documentElement.scrollWidth');
const rows = (page: Page) => page.getByRole('rowheader').allTextContents();
const statusOf = async (id: string) =>
  (await owner.http.get(`/api/v1/members/${id}`)).body['status'];

describeInBrowser('an owner', () => {
  const browser = startBrowser({ refusals: [404, 409] });

  test('finds people by name, status and team, with all of it in the address', async () => {
    const page = await browser.open(`${app.url}/people`, { as: owner });
    const table = page.getByRole('table', { name: 'People' });
    await table.getByRole('link', { name: 'Refund desk' }).first().waitFor();
    await page.getByText('7 of 50 seats are taken').waitFor();
    await page.getByLabel('Team', { exact: true }).waitFor();
    expect(await rows(page)).not.toContain('Cleo Sand');
    await screenshot(page, 'people');
    expect(await violationsOf(page)).toEqual([]);

    await page.getByLabel('Team', { exact: true }).selectOption({ label: 'Night shift' });
    await until('one person is listed', async () => (await rows(page)).join() === 'Bob Field');
    await button(page, 'Suspended').click();
    await page.getByText('No one matches.').waitFor();
    await page.goto(`${app.url}/people?show=suspended`);
    await table.getByRole('link', { name: 'Cleo Sand' }).waitFor();
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('No one matches.').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('nothing like it');
    await page.getByRole('button', { name: 'Clear search and filters' }).click();
    await table.getByRole('link', { name: 'Ada Reyes' }).click();
    await page.getByRole('heading', { level: 1, name: 'Ada Reyes' }).waitFor();
  });

  test('learns what asks a person by name, and suspends them only when they say so', async () => {
    const { membershipId: id } = people.ada;
    const page = await browser.open(`${app.url}/people/${id}`, { as: owner });
    await page.getByRole('link', { name: 'Refund desk' }).waitFor();
    await page.getByText('never used').first().waitFor();
    await screenshot(page, 'person');
    expect(await violationsOf(page)).toEqual([]);
    await button(page, 'Suspend …').click();
    await dialog(page).getByRole('link', { name: 'refunds' }).waitFor();
    await dialog(page).getByText('loses:').waitFor();
    await button(page, 'Suspend').click();
    await page.getByText('Select this, or change the paths and policies first.').waitFor();
    await screenshot(page, 'suspend');
    expect(await violationsOf(page)).toEqual([]);
    expect(await statusOf(id)).toBe('active');
    await page.getByLabel('Remove anyway, although these ask them by name').check();
    await button(page, 'Suspend').click();
    await page.getByText('Ada Reyes is suspended.').waitFor();
    expect(await statusOf(id)).toBe('suspended');
    await button(page, 'Undo').click();
    await button(page, 'Suspend …').waitFor();
    expect(await statusOf(id)).toBe('active');
  });

  test('removes a person by their email, and sees what ends', async () => {
    const { membershipId: id, email } = people.dan;
    const page = await browser.open(`${app.url}/people/${id}`, {
      as: owner,
      viewport: PHONE,
      dark: true,
    });
    await button(page, 'Remove …').click();
    await dialog(page).getByText('1 personal API key is revoked.').waitFor();
    await dialog(page).getByText('loses:').waitFor();
    await screenshot(page, 'remove-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    await dialog(page).getByLabel('Type this to confirm:').fill('dan');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('This does not match yet.').waitFor();
    await dialog(page).getByLabel('Type this to confirm:').fill(email);
    await page.keyboard.press('Enter');
    await page.getByText('This person was removed.', { exact: false }).waitFor();
    expect(await statusOf(id)).toBe('deprovisioned');
    expect(await button(page, 'Remove …').count()).toBe(0);
    await screenshot(page, 'person-phone-dark');
    expect(await width(page)).toBe(PHONE.width);
    await page.goto(`${app.url}/people`);
    await page.getByRole('rowheader', { name: 'Bob Field' }).waitFor();
    await screenshot(page, 'people-phone-dark');
    expect(await width(page)).toBe(PHONE.width);
    await page.goto(`${app.url}/people/${owner.membershipId}`);
    await page.getByText('This is you.', { exact: false }).waitFor();
    await page.goto(`${app.url}/people/${teams['Night shift']}`);
    await page.getByText('This does not exist, or you do not have access to it.').waitFor();
  });

  test('makes a team, adds people by search, and takes one out with a way back', async () => {
    const page = await browser.open(`${app.url}/teams`, { as: owner });
    await page.getByRole('rowheader', { name: 'Night shift' }).waitFor();
    await screenshot(page, 'teams');
    expect(await violationsOf(page)).toEqual([]);
    await button(page, 'New team').click();
    await dialog(page).getByLabel('Name').fill('night SHIFT');
    await page.keyboard.press('Enter');
    await dialog(page).locator('[aria-invalid=true]').waitFor();
    await dialog(page).getByLabel('Name').fill('Day shift');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Day shift' }).waitFor();
    await page.getByText('No one is in this team yet.').waitFor();
    await page.getByLabel('Add a person').fill('cleo');
    await button(page, 'Add Cleo Sand').click();
    await button(page, 'Take out Cleo Sand').waitFor();
    await page.getByLabel('Add a person').fill('bob');
    await button(page, 'Add Bob Field').click();
    await button(page, 'Take out Bob Field').click();
    await page.getByText('Bob Field is out of the team.').waitFor();
    await button(page, 'Undo').last().click();
    await button(page, 'Take out Bob Field').waitFor();
    await page.getByText('2 members').waitFor();
    await screenshot(page, 'team');
    expect(await violationsOf(page)).toEqual([]);

    await button(page, 'Archive …').click();
    await dialog(page).getByText('No one gains or loses permissions now.').waitFor();
    await dialog(page).getByLabel('Type this to confirm:').fill('Day shift');
    await page.keyboard.press('Enter');
    await page.getByText('This team is archived.', { exact: false }).waitFor();
    await page.goto(`${app.url}/teams/${teams['Refund desk']}`);
    await button(page, 'Archive …').click();
    await dialog(page).getByLabel('Type this to confirm:').fill('Refund desk');
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('link', { name: 'refunds' }).waitFor();
    await screenshot(page, 'archive-refused');
    expect(await violationsOf(page)).toEqual([]);
  });
});

describeInBrowser('another person', () => {
  const browser = startBrowser();

  test('sees no button that would be refused, and why a page is closed', async () => {
    const page = await browser.open(`${app.url}/people`, { as: people.eve });
    await page.getByRole('link', { name: 'Bob Field' }).click();
    await page.getByRole('heading', { level: 1, name: 'Bob Field' }).waitFor();
    await page.getByRole('link', { name: 'Night shift' }).click();
    await page.getByText('1 member').first().waitFor();
    for (const name of ['Suspend …', 'Rename', 'Archive …', 'Take out Bob Field'])
      expect(await button(page, name).count()).toBe(0);
    // Finn may remove people, but not owners.
    const other = await browser.open(`${app.url}/people/${owner.membershipId}`, {
      as: people.finn,
    });
    await other.getByText('Only an owner can suspend or remove an owner.').waitFor();
    expect(await button(other, 'Remove …').count()).toBe(0);
    await other.goto(`${app.url}/teams`);
    await other.getByText('You do not have access to this page').waitFor();
  });
});
