/** Inviting one person or a list, and what becomes of the invitations. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { scene } from '../../support/scene.ts';
import { until } from '../../support/waiting.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../support/web/browser.ts';

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

  test('a pasted list names who is left out, goes on after a failure, and sends what is left again', async () => {
    const page = await browser.open(`${app.url}/people/invitations`, { as: owner });
    await page.getByText('No invitation is pending.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    let [calls, refusals] = [0, 0];
    await page.route('**/api/v1/invitations', async (route) => {
      if (route.request().method() !== 'POST') return await route.continue();
      calls += 1;
      if (calls === 2 || calls === 3) {
        refusals += 1;
        const error = {
          type: 'x',
          code: 'dependency_unavailable',
          message: 'The mail server is away.',
        };
        return calls === 2
          ? await route.fulfill({ status: 429, headers: { 'retry-after': '1' }, json: { error } })
          : await route.fulfill({ status: 500, json: { error } });
      }
      return await route.continue();
    });
    await button(page, 'Invite').click();
    await page.getByText('Enter at least one email address.').waitFor();
    await page
      .getByLabel('Email addresses')
      .fill(
        `Uma <uma@example.com>; vic@example.com\numa@example.com, no address\n${people.ada.email}, will@example.com`,
      );
    await page.getByText('already a member').waitFor();
    await page.getByText('twice in the list').waitFor();
    await page.getByText('not an email address').waitFor();
    await screenshot(page, 'invite');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('What they may do').selectOption('agents');
    await button(page, 'Invite 3 people').click();
    await page.getByText('Choose at least one agent.').waitFor();
    await page.getByLabel('support-bot').check();
    await button(page, 'Invite 3 people').click();
    await page.getByText('2 of 3 people are invited.').waitFor();
    await page.getByText('The mail server is away.').waitFor();
    expect(refusals).toBe(2);
    const links = page.getByRole('region', { name: '2 invitation links' });
    await links.getByRole('button', { name: 'Show' }).click();
    expect(await links.locator('pre').textContent()).toMatch(
      /^uma@example\.com\thttp\S+\nwill@example\.com\thttp\S+$/,
    );
    await screenshot(page, 'invite-links');
    expect(await violationsOf(page)).toEqual([]);
    // Links that no one stored would be gone.
    await page.getByRole('link', { name: 'Teams', exact: true }).click();
    await button(page, 'Stay here').click();
    await links.getByRole('button', { name: 'I stored it' }).click();
    await button(page, 'Try the remaining one again').click();
    const link = page.getByRole('region', { name: 'Invitation link for vic@example.com' });
    await link.getByRole('button', { name: 'I stored it' }).click();
    expect(await pending()).toEqual(['uma@example.com', 'vic@example.com', 'will@example.com']);
    await button(page, 'Invite others').click();
    await page.getByLabel('Email addresses').fill('uma@example.com');
    await page.getByText('already invited').waitFor();
    await page.getByRole('searchbox', { name: 'Search invitations by email' }).fill('VIC@');
    await until(
      'one is listed',
      async () => (await sent(page).getByRole('rowheader').count()) === 1,
    );
    await sent(page).getByRole('rowheader', { name: 'vic@example.com' }).waitFor();
    expect(new URL(page.url()).searchParams.get('q')).toBe('VIC@');
  });
});
