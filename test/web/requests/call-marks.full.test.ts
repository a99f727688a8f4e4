/** The queue and the page mark calls that are asked repeatedly, and those whose answer is no longer read. */
import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import {
  describeInBrowser,
  DESK,
  PHONE,
  screenshot,
  startBrowser,
} from '../../support/web/browser.ts';

const { app, people, agents, ask, decide, owner } = await scene({
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});
const { ada } = people;

describeInBrowser('marks of calls', () => {
  const browser = startBrowser();

  test.each([
    ['desk', DESK],
    ['phone', PHONE],
  ])('are in the row and on the page, on a %s', async (name, viewport) => {
    const tool = `repeat_${name}`;
    await decide(ada, await ask({ tool }), { status: 'denied' });
    const [id] = [await ask({ tool }), await ask({ tool }), await ask({ tool })];
    await ask({ tool: `other_${name}` });
    const page = await browser.open(`${app.url}/`, { as: ada, viewport });
    const row = (of: string) =>
      page.getByRole('listitem').getByRole('link').filter({ hasText: of }).first();
    await row(tool).getByText('3 identical calls wait').waitFor();
    await row(tool).getByText('The same call was denied').waitFor();
    expect(await row(`other_${name}`).textContent()).not.toMatch(/identical|denied|decision/);
    await page.goto(`${app.url}/requests/${id}`);
    const header = page.getByRole('banner').or(page.locator('article header'));
    await header.getByText('3 identical calls wait').waitFor();
    await header.getByText(/^The same call was denied/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await screenshot(page, `call-marks-${name}`);
  });

  test('say that the agent no longer reads the decision, and why', async () => {
    const id = await ask({ tool: 'unread' });
    const { credentialId } = agents.bot;
    expect((await owner.http.delete(`/api/v1/agent-credentials/${credentialId}`)).status).toBe(204);
    const page = await browser.open(`${app.url}/`, { as: ada });
    await page
      .getByRole('link')
      .filter({ hasText: 'unread' })
      .getByText('The agent can no longer read the decision', { exact: true })
      .waitFor();
    await page.goto(`${app.url}/requests/${id}`);
    await page.getByText('its credential has ended').waitFor();
  });
});
