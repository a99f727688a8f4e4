/** The rules page: read rules as sentences, change one, save and activate it. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { appForFile, everywhere } from '../../support/scene.ts';
import { createAgent, createOrganization } from '../../support/scene/factories.ts';
import { createPerson, SECRETS_KEY } from '../../support/scene/sign-in.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../support/web/browser.ts';

const PIPELINE = '/api/v1/request-approval-pipelines/organization';
const ALL = ['pipeline.read', 'pipeline.write', 'pipeline.activate', 'agent.read', 'request.read'];
const READ = ['escalation_path.read', 'webhook.read'];

const app = await appForFile({ environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } });
const organization = await createOrganization(app);
await createAgent(app, organization, 'support-bot');
const ada = await createPerson(app, organization.id, {
  displayName: 'Ada Marsh',
  policies: [everywhere(...ALL, ...READ)],
});
/** Numbers as people wrote them: the service keeps their spelling. */
const BLOCKS = `{"blocks": [
  {"id": "small", "name": "Small refunds", "type": "cel", "config": {"on_match": "approve", "reason": "Small.",
    "when": {"id": "all", "all": [
      {"id": "tool", "field": "/request/tool", "operator": "equals", "value": "refund_payment"},
      {"id": "amount", "field": "/request/arguments/amount", "operator": "less_than_or_equal", "value": 50.10},
      {"id": "big", "field": "/request/arguments/ref", "operator": "not_equals", "value": 12345678901234567890}]}}},
  {"id": "commands", "name": "Commands", "type": "branch", "config": {"reason": "Not on the list.",
    "when": {"id": "shell", "field": "/request/tool", "operator": "equals", "value": "run_command"},
    "blocks": [{"id": "looks", "name": "Looks only", "type": "cel", "config": {"on_match": "approve", "reason": "Safe.",
      "when": {"id": "cmd", "field": "/request/arguments/command", "operator": "matches", "value": "^git status$"}}}]}}
]}`;

async function activate(body: string): Promise<number> {
  const created = await ada.browser.post(`${PIPELINE}/revisions`, body);
  expect(created.status).toBe(201);
  const revision = Number(created.body['revision']);
  const { headers } = await ada.browser.get(PIPELINE);
  const response = await ada.browser.post(`${PIPELINE}/revisions/${revision}/activate`, undefined, {
    headers: { 'if-match': String(headers.etag) },
  });
  expect(response.status).toBe(200);
  return revision;
}

const textOf = async () => JSON.stringify((await ada.browser.get(PIPELINE)).body);
const card = (page: Page, name: string) => page.getByRole('article', { name });

describeInBrowser('the rules page', () => {
  const browser = startBrowser({ refusals: [412] });

  test('shows rules as sentences, and saves and activates a change without touching other digits', async () => {
    await activate(BLOCKS);
    const page = await browser.open(`${app.url}/rules`, { as: ada });
    const small = card(page, 'Rule 1: Small refunds');
    await small.getByText('amount is at most 50.10').waitFor();
    await small.getByText('12345678901234567890').waitFor();
    await page
      .getByText('No rule decides: a person is asked.')
      .or(page.getByText('Outcome:'))
      .first()
      .waitFor();
    await card(page, 'Rule 3: Looks only').waitFor();
    await page.getByText('Nothing matched here').waitFor();
    await screenshot(page, 'rules');
    await small.getByRole('button', { name: /^Edit/ }).click();
    const values = small.getByLabel('Value', { exact: true });
    await screenshot(page, 'rules-open');
    await values.nth(1).fill('75.00');
    await page.getByText('1 change', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save and activate …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('amount is at most 75.00').waitFor();
    await screenshot(page, 'rules-activate');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel(/What did you change/).fill('A little more');
    await dialog.getByRole('button', { name: 'Activate' }).click();
    await page.getByText(/^Revision \d+ is active\.$/).waitFor();
    await page.getByText('No changes').waitFor();
    const text = await textOf();
    expect(text).toContain('75');
    const { body } = await ada.browser.get(`${PIPELINE}/revisions?limit=1`);
    expect(body).toMatchObject({ revisions: [{ comment: 'A little more', is_active: true }] });
    expect(await violationsOf(page)).toEqual([]);
  });
});
