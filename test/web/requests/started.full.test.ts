/** A reviewer sees whether what they approved was started. */
import { expect, test } from '@jest/globals';
import { HttpClient } from '../../support/http.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, owner, people, agents, ask, decide } = await scene({
  people: { ada: REVIEWER },
  pipelines: { bot: {} },
});
const { ada } = people;
const bot = new HttpClient(app.url, { authorization: `Bearer ${agents.bot.credential}` });

async function approved(): Promise<string> {
  const id = await ask();
  expect((await decide(ada, id)).status).toBe(200);
  return id;
}

describeInBrowser('an approved request', () => {
  const browser = startBrowser();

  test('says when its call was started, without a reload', async () => {
    const id = await approved();
    const page = await browser.open(`${app.url}/requests/${id}`, { as: ada });
    await page.getByText('Approved', { exact: true }).first().waitFor();
    expect(await page.getByText(/The agent started the call/).count()).toBe(0);
    expect((await bot.post(`/api/aap/v1/requests/${id}/start`)).status).toBe(200);
    await page.getByText(/The agent started the call \d+ (?:s|min) after the approval\./).waitFor();
    await page
      .getByText(/started the call\s*$/)
      .first()
      .waitFor();
    const report = { outcome: 'failed', detail: 'The bank refused.' };
    expect((await bot.post(`/api/aap/v1/requests/${id}/result`, report)).status).toBe(204);
    await page
      .getByText('The agent reported that the call failed. The agent says: The bank refused.')
      .waitFor();
    await screenshot(page, 'request-result');
    expect(await violationsOf(page)).toEqual([]);
  });

  test('says how long it can be used, before the decision and after it', async () => {
    const path = `/api/v1/agents/${agents.bot.slug}`;
    await owner.http.call('PATCH', path, { body: { approval_window: '2h' } });
    const id = await ask();
    const page = await browser.open(`${app.url}/requests/${id}`, { as: ada });
    await page.getByRole('button', { name: 'Approve' }).click();
    const bar = page.getByRole('group', { name: 'You are about to approve' });
    await bar
      .getByText(/If you approve now, the agent can start the call until \d\d:\d\d/)
      .waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await screenshot(page, 'request-armed-window');
    await bar.getByRole('button', { name: 'Confirm approval' }).click();
    await page.getByText(/^The agent can start the call until \d\d:\d\d/).waitFor();
  });

  test('says that no start was reported, once the approval is no longer good', async () => {
    const id = await approved();
    await app.db.raw('alter table decisions disable trigger user');
    await app.db.raw(
      `update decisions set decided_at = decided_at - interval '3 hours', expires_at = expires_at - interval '3 hours' where request_id = :id`,
      { id },
    );
    await app.db.raw('alter table decisions enable trigger user');
    const page = await browser.open(`${app.url}/requests/${id}`, { as: ada });
    await page.getByText(/The approval expired before the agent reported a start/).waitFor();
  });
});
