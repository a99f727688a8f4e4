/** The audit log in the browser: what happened, who did it, and what proves it. */
import { expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { insertAuditEvents } from '../../../src/data/audit/events.ts';
import { parseExact } from '../../../src/platform/json/exact-json.ts';
import { sealAll } from '../../../src/services/audit/sealer.ts';
import { AUDIT_KEY } from '../../services/audit/audit-scene.ts';
import { scene } from '../../support/scene.ts';
import { until } from '../../support/waiting.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, organization, owner, people, teams } = await scene({
  app: { environment: { ...AUDIT_KEY, COUNTERSIGN_EDITION: 'hosted' } },
  pipelines: { 'support-bot': {} },
  people: { ada: ['audit.read'], eve: ['organization.settings.write', 'request.read'] },
  teams: { desk: { members: ['eve'] } },
});
const KEY = '0198f3a2-5b20-7a10-8c44-aaaaaaaaaaaa';
await owner.http.call('PUT', `/api/v1/teams/${teams.desk}/members`, {
  body: { membership_ids: [people.eve.membershipId, people.ada.membershipId] },
});
await owner.http.call('PATCH', '/api/v1/agents/support-bot', {
  body: { name: '<b>Bot</b> approved all' },
});
await insertAuditEvents(app.db, organization.id, {
  events: Array.from({ length: 60 }, (_, index) => ({
    eventType: 'approval_request.denied' as const,
    actor: { type: 'human', id: people.eve.membershipId, displayName: 'Eve' } as const,
    subjectId: `0198f3a2-5b20-7a10-8c44-${String(index).padStart(12, '0')}`,
    data: { channel: 'web', amount: parseExact('9007199254740993.10') },
  })),
});
await insertAuditEvents(app.db, organization.id, {
  events: [{ eventType: 'api_key.revoked', actor: { type: 'system' }, subjectId: KEY, data: {} }],
});
await sealAll(app.context);

const PATH = '/settings/audit';
const events = (page: Page) => page.getByRole('list', { name: 'Events' }).getByRole('listitem');

describeInBrowser('who may read the audit log', () => {
  const browser = startBrowser();

  test('narrows it, opens an event, and follows its subject', async () => {
    const page = await browser.open(`${app.url}${PATH}`, { as: people.ada });
    await events(page).first().waitFor();
    await page.getByText('Position', { exact: false }).first().waitFor();
    await screenshot(page, 'audit');
    expect(await violationsOf(page)).toEqual([]);
    expect(await events(page).count()).toBe(50);
    await page.getByRole('button', { name: 'More' }).click();
    await until('older events are listed, too', async () => (await events(page).count()) > 50);
    await page.getByLabel('About').selectOption('team');
    await page.getByRole('heading', { name: '1 event', exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('kind')).toBe('team');
    const changed = events(page).filter({ hasText: 'added 1 member to the team' });
    const addressesIn = async (of: Locator) =>
      await Promise.all(
        (await of.getByRole('link').all()).map(async (link) => await link.getAttribute('href')),
      );
    await changed.getByRole('link', { name: 'desk', exact: true }).waitFor();
    // Who did it, and to which team.
    expect(await addressesIn(changed)).toEqual([
      `/people/${owner.membershipId}`,
      `/teams/${teams.desk}`,
    ]);

    await page.getByLabel('About').selectOption('api_key');
    const revoked = events(page).filter({ hasText: 'revoked the API key' });
    await revoked.waitFor();
    expect(await addressesIn(revoked)).toEqual([`/settings/keys/${KEY}`]);

    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await page.getByRole('searchbox').fill('<b>bot</b>');
    await page.getByRole('heading', { name: '1 event', exact: true }).waitFor();
    // A name stays a name, whatever it says.
    await events(page).locator('strong', { hasText: '<b>Bot</b> approved all' }).waitFor();
    await events(page).getByRole('button', { name: 'Details' }).click();
    const drawer = page.getByRole('dialog', { name: 'Event' });
    await drawer.getByText('Position in the chain').waitFor();
    await drawer.getByText('"from"').waitFor();
    await screenshot(page, 'audit-event');
    expect(await violationsOf(page)).toEqual([]);
    await drawer.getByRole('button', { name: 'All events of this subject' }).click();
    await page.getByText('Only events of one subject:').waitFor();
    await events(page).filter({ hasText: 'renamed the agent' }).waitFor();

    await page.goto(`${app.url}${PATH}?type=approval_request.denied&order=oldest`);
    await page.getByRole('heading', { name: '60 events', exact: true }).waitFor();
    await events(page).first().getByRole('button', { name: 'Details' }).focus();
    await page.keyboard.press('Enter');
    // Digits stay as they were recorded.
    await drawer.getByText('"amount"').waitFor();
    expect(await drawer.textContent()).toContain('9007199254740993.10');
    expect(new URL(page.url()).searchParams.has('event')).toBe(true);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    // What was only looked at is no step back.
    expect(new URL(page.url()).searchParams.has('event')).toBe(false);
    await page.goBack();
    await page.getByText('Only events of one subject:').waitFor();
  });
});
