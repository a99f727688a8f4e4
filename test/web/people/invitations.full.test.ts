/** Inviting one person or a list, and what becomes of the invitations. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { everywhere, scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, owner, people } = await scene({
  people: {
    ada: { can: ['request.read'], displayName: 'Ada Reyes' },
    fay: {
      can: ['membership.read', 'membership.invite', 'request.read'],
      displayName: 'Fay Lake',
    },
  },
  pipelines: { 'support-bot': {} },
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const sent = (page: Page) => page.getByRole('table', { name: 'Sent invitations' });
const pending = async () =>
  (
    (await owner.http.get('/api/v1/invitations?status=pending')).body[
      'invitations'
    ] as unknown as readonly { readonly email: string }[]
  )
    .map(({ email }) => email)
    .toSorted();

describeInBrowser('inviting', () => {
  const browser = startBrowser({ refusals: [409, 429, 500] });

  test('ends an invitation, or replaces its link, on a phone, too', async () => {
    await owner.browser.post('/api/v1/invitations', {
      email: 'xena@example.com',
      permission_policies: [everywhere('request.read')],
    });
    const page = await browser.open(`${app.url}/people/invitations`, {
      as: owner,
      viewport: PHONE,
      dark: true,
    });
    await button(page, 'Resend invitation for xena@example.com').click();
    const link = page.getByRole('region', { name: 'Invitation link for xena@example.com' });
    await link.getByRole('button', { name: 'I stored it' }).click();
    await button(page, 'Revoke invitation for xena@example.com').click();
    await screenshot(page, 'revoke-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    await button(page, 'Revoke').click();
    await page.getByText('The invitation for xena@example.com is revoked.').waitFor();
    expect(await pending()).not.toContain('xena@example.com');
    await button(page, 'Revoked').click();
    await sent(page).getByRole('rowheader', { name: 'xena@example.com' }).waitFor();
    await screenshot(page, 'invitations-phone-dark');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  });

  test('offers only what the inviter may do, and is closed to others', async () => {
    const page = await browser.open(`${app.url}/people`, { as: people.fay });
    await button(page, 'Invite people').click();
    await page.getByText('You can only grant permissions that you have yourself.').waitFor();
    expect(await page.getByLabel('What they may do').inputValue()).toBe('none');
    const other = await browser.open(`${app.url}/people/invitations`, { as: people.ada });
    await other.getByText('You do not have access to this page').waitFor();
  });
});
