/** A reviewer sees whether what they approved was started. */
import { expect, test } from '@jest/globals';
import { HttpClient } from '../../support/http.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { describeInBrowser, startBrowser } from '../../support/web/browser.ts';

const { app, people, agents, ask, decide } = await scene({
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
  });

  test('says that no start was reported, once the approval is no longer good', async () => {
    const id = await approved();
    await app.db.raw('alter table decisions disable trigger user');
    await app.db.raw(
      `update decisions set decided_at = decided_at - interval '6 min', expires_at = expires_at - interval '6 min' where request_id = :id`,
      { id },
    );
    await app.db.raw('alter table decisions enable trigger user');
    const page = await browser.open(`${app.url}/requests/${id}`, { as: ada });
    await page.getByText(/No start was reported while the approval was good/).waitFor();
  });
});
