/** The audit log in the browser: what happened, who did it, and what proves it. */
import { expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { insertAuditEvents } from '../../../src/data/audit/events.ts';
import { parseExact } from '../../../src/platform/json/exact-json.ts';
import { sealAll } from '../../../src/services/audit/sealer.ts';
import { AUDIT_KEY } from '../../services/audit/audit-scene.ts';
import { scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

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

  test('exports what the filters leave, with its proof, and keeps a checkpoint', async () => {
    const page = await browser.open(`${app.url}${PATH}?kind=team`, {
      as: people.ada,
      viewport: PHONE,
      dark: true,
    });
    await events(page).first().waitFor();
    await page.getByRole('link', { name: 'Save this checkpoint' }).waitFor();
    await screenshot(page, 'audit-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    const [kept] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Save this checkpoint' }).click(),
    ]);
    expect(await readFile(await kept.path(), 'utf8')).toContain('"signature"');
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export the audit log' });
    await dialog.getByText('verify-audit', { exact: false }).first().waitFor();
    await screenshot(page, 'audit-export-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('link', { name: 'Download' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('audit.ndjson');
    const [head = '', ...lines] = (await readFile(await file.path(), 'utf8')).split('\n');
    expect(head).toContain('"filters":{"subject_type":"team"}');
    expect(lines.filter((line) => line.includes('"event"')).length).toBe(1);
  });

  test('others see which permission is missing', async () => {
    const page = await browser.open(`${app.url}${PATH}`, { as: people.eve });
    await page.getByText('You do not have access to this page').waitFor();
    expect(await events(page).count()).toBe(0);
  });
});
