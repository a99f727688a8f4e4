/** What becomes of an agent and its instances after they are connected. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, owner, people } = await scene({
  pipelines: { 'support-bot': {}, 'deploy-bot': {} },
  people: {
    ada: ['agent.read', 'request.read'],
    eve: {
      can: ['agent.read'],
      policies: [
        {
          scope_kind: 'agent',
          resource_ids: ['support-bot'],
          permissions: ['agent.write', 'agent.credential.issue', 'agent.credential.revoke'],
        },
      ],
    },
  },
});
const post = (path: string, body?: object) => owner.http.post(path, body);
for (const number of [1, 2, 3, 4, 5, 6])
  await post('/api/v1/agents/support-bot/instances', { name: `replica-${number}` });
await post('/api/v1/agents/support-bot/instances', {
  name: 'laptop',
  metadata: { host: 'ada-laptop', '\u202efdp': 1.0 },
  ttl_seconds: 86_400,
});
await post('/api/v1/agents/support-bot/provisioners');

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Two presses: the first one asks. */
const pressTwice = async (page: Page, name: string, again: string) => {
  await button(page, name).click();
  await button(page, again).click();
};

describeInBrowser('an owner', () => {
  const browser = startBrowser({ refusals: [409] });

  test('renames, pauses and changes over an instance, and sees its credentials', async () => {
    const page = await browser.open(`${app.url}/agents`, { as: owner });
    await page.getByText('Access ends in').first().waitFor();
    await screenshot(page, 'agents');
    expect(await violationsOf(page)).toEqual([]);
    // More than the service takes is not sent.
    await page.getByRole('searchbox').fill('x'.repeat(150));
    await page.getByText('No agent matches.').waitFor();
    await page.getByRole('searchbox').fill('support');
    await page.getByRole('link', { name: 'support-bot' }).click();
    await page.getByText('8 of 8 instances live').waitFor();
    await screenshot(page, 'agent');
    await page.getByRole('link', { name: 'Instances', exact: true }).click();
    const laptop = page.getByRole('listitem').filter({ hasText: 'ada-laptop' });
    await laptop.getByText('ends in').waitFor();
    await page.getByText('replica-…').click();
    await page.getByRole('heading', { name: 'replica-6' }).waitFor();
    await screenshot(page, 'instances');
    expect(await violationsOf(page)).toEqual([]);

    await button(page, 'Rename laptop').click();
    const dialog = page.getByRole('dialog', { name: 'Rename laptop' });
    await dialog.getByLabel('New name').fill('replica-1');
    await page.keyboard.press('Enter');
    await dialog.locator('[aria-invalid=true]').waitFor();
    await dialog.getByLabel('New name').fill('ada-1');
    await page.keyboard.press('Enter');
    await button(page, 'Pause ada-1').click();
    await button(page, 'Resume ada-1').click();
    await button(page, 'Replace credential of ada-1').click();
    const box = page.getByRole('region', { name: 'New credential of ada-1' });
    await box.getByRole('button', { name: 'I stored it' }).click();
    await page.getByText('Both credentials work.').waitFor();
    const old = page.getByRole('list', { name: 'Credentials of ada-1' }).getByRole('listitem');
    expect(await old.count()).toBe(2);
    await screenshot(page, 'changing-over');
    await old.last().getByRole('button', { name: 'Revoke' }).click();
    await old.last().getByRole('button', { name: 'Press again to revoke' }).click();
    await page.getByText('1 earlier one ended.').waitFor();
  });

  test('sees that another person may change only the agent that is theirs', async () => {
    const page = await browser.open(`${app.url}/agents/deploy-bot/instances`, {
      as: people.eve,
    });
    await page.getByRole('button', { name: 'Paused' }).waitFor();
    expect(await page.getByRole('button', { name: 'Rename' }).count()).toBe(0);
    await page.goto(`${app.url}/agents/deploy-bot/connect`);
    await page.getByText('You do not have access to this page').waitFor();
    await page.goto(`${app.url}/agents/support-bot`);
    await button(page, 'Rename').waitFor();
    await page.goto(`${app.url}/agents`);
    await page.getByRole('link', { name: 'support-bot' }).waitFor();
    expect(await button(page, 'New agent').count()).toBe(0);
  });

  test('pauses, archives and restores an agent, and knows the way back of each', async () => {
    const page = await browser.open(`${app.url}/agents/deploy-bot`, {
      as: owner,
      viewport: PHONE,
      dark: true,
    });
    await pressTwice(page, 'Pause agent', 'Press again to pause');
    await page.getByText('This agent is paused').waitFor();
    await button(page, 'Resume').click();
    await button(page, 'Stop or archive …').click();
    const dialog = page.getByRole('dialog', { name: 'Stop this agent' });
    await dialog.getByLabel('Type this to confirm:').fill('deploy');
    await page.keyboard.press('Enter');
    await dialog.getByText('This does not match yet.').waitFor();
    await screenshot(page, 'stop-phone-dark');
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel('Type this to confirm:').fill('deploy-bot');
    await page.keyboard.press('Enter');
    await page.getByText('This agent is archived.').waitFor();
    await screenshot(page, 'archived-phone-dark');
    await button(page, 'Restore').click();
    await page.getByText('No working credential').waitFor();
    await page.goto(`${app.url}/agents`);
    await page.getByText('No working credential').waitFor();
    // What needs someone is on top.
    expect(await page.getByRole('listitem').first().textContent()).toContain('deploy-bot');
    await screenshot(page, 'agents-phone-dark');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(PHONE.width);
  });
});
