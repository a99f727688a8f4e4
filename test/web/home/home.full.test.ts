import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { everywhere, REVIEWER, scene } from '../../support/scene.ts';
import { createPerson } from '../../support/scene/sign-in.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, organization, people, teams, owner, agents, ask, decide } = await scene({
  people: {
    ada: REVIEWER,
    mia: ['organization.read', 'agent.read', 'request.read', 'request.read.unrouted'],
    otto: ['organization.read'],
    sue: ['organization.settings.write'],
  },
  teams: { 'Refund desk': ['ada'], 'Night desk': [] },
  paths: { desk: [['Refund desk']] },
  pipelines: { 'support-bot': 'desk', 'deploy-bot': {} },
});

const DAY = 86_400_000;
const region = (page: Page, name: string) =>
  page.locator('section').filter({ has: page.getByRole('heading', { name, exact: true }) });
const entries = async (page: Page) =>
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link').allTextContents();

describeInBrowser('the home of managers', () => {
  const browser = startBrowser({ refusals: [403] });

  test('begins with the steps of the setup, which lock nothing, can be hidden, and are found again', async () => {
    const page = await browser.open(app.url, { as: owner });
    await page.getByRole('heading', { name: 'Set up Countersign' }).waitFor();
    expect(page.url()).toBe(`${app.url}/home`);
    await page.getByText(/\d of 7 steps done/).waitFor();
    const steps = region(page, 'Set up Countersign').getByRole('link');
    expect(await steps.allTextContents()).toEqual([
      'Try it with a demo agent',
      'Go to agents',
      'Go to requests',
      'Go to invitations',
      'Go to rules',
      'Go to escalation paths',
      'Go to security',
      'Go to channels',
    ]);
    await page.getByRole('heading', { name: 'No request in the last 7 days' }).waitFor();
    await screenshot(page, 'home-start');
    expect(await violationsOf(page)).toEqual([]);
    for (const [step, title] of [
      ['Go to invitations', 'Invitations'],
      ['Go to channels', 'Notification channels'],
    ] as const) {
      await steps.getByText(step).click();
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await page.goBack();
      await steps.getByText(step).waitFor();
    }
    // Once seen, it is in no one's way.
    await page.goto(app.url);
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    await page.goto(`${app.url}/setup`);
    await page.getByRole('button', { name: 'Hide setup' }).click();
    await page.getByRole('link', { name: 'Show the setup steps' }).click();
    await page.getByRole('heading', { name: 'Set up Countersign' }).waitFor();
    expect(page.url()).toBe(`${app.url}/home?setup=true`);
    await page.getByRole('link', { name: 'Hide setup' }).click();
    await page.getByRole('link', { name: 'Show the setup steps' }).waitFor();
    // For everyone.
    const other = await browser.open(`${app.url}/home`, { as: people.sue });
    await other.getByRole('link', { name: 'Show the setup steps' }).waitFor();
    await page.getByRole('heading', { name: 'No request in the last 7 days' }).waitFor();
  });

  test('shows what waits, how it is decided and which agents need someone, and leads there', async () => {
    await ask({ agent: 'support-bot' });
    await ask({ agent: 'support-bot' });
    await ask({ agent: 'deploy-bot' });
    expect((await decide(owner, await ask({ agent: 'deploy-bot' }))).status).toBe(200);
    await app
      .db('agent_instances')
      .where({ id: agents['deploy-bot'].instanceId })
      .update({
        created_at: new Date(Date.now() - 30 * DAY),
        last_seen_at: new Date(Date.now() - 5.5 * DAY),
        live_until: new Date(Date.now() + 3 * DAY),
      });
    const page = await browser.open(`${app.url}/home`, { as: people.mia });
    const waiting = region(page, 'Waiting now');
    await waiting.waitFor();
    expect(await waiting.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/Refund desk\s+2 the oldest from/),
      expect.stringMatching(/No team\s+1 the oldest from/),
    ]);
    expect(await region(page, 'Decisions').innerText()).toMatch(
      /By people\s+1\s+Half within\s+\d+ s\s+95 % within\s+\d+ s\s+By rules\s+0 · 0 %\s+Expired\s+0/,
    );
    expect(await region(page, 'Silent agents').getByRole('listitem').innerText()).toMatch(
      /Agent deploy-bot\s+last call 5 d \d+ h ago/,
    );
    await screenshot(page, 'home-figures');
    expect(await violationsOf(page)).toEqual([]);
    await region(page, 'Credentials that end soon').getByRole('link').last().click();
    await page.getByRole('heading', { name: 'Instances' }).first().waitFor();
    await page.goBack();
    await waiting.getByRole('link', { name: '3' }).click();
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    expect(page.url()).toContain('tab=all');
    const phone = await browser.open(`${app.url}/home`, {
      ...{ as: people.mia, viewport: PHONE, dark: true },
    });
    await region(phone, 'Silent agents').waitFor();
    await screenshot(phone, 'home-figures-phone-dark');
    expect(await violationsOf(phone)).toEqual([]);
  });

  test('leads to the teams that the reader may see', async () => {
    await ask({ agent: 'support-bot' });
    const page = await browser.open(`${app.url}/home`, { as: owner });
    const waiting = region(page, 'Waiting now');
    await waiting.getByRole('link', { name: 'Refund desk' }).click();
    await page.getByRole('heading', { level: 1, name: 'Refund desk' }).waitFor();
    for (const [team, links] of [
      ['Refund desk', 1],
      ['Night desk', 0],
    ] as const) {
      const reader = await createPerson(app, organization.id, {
        policies: [
          everywhere('organization.read', 'request.read', 'request.read.unrouted'),
          { scope_kind: 'team', resource_ids: [teams[team]], permissions: ['team.read'] },
        ],
      });
      const home = region(await browser.open(`${app.url}/home`, { as: reader }), 'Waiting now');
      await home.getByText('Refund desk').waitFor();
      const found = await home.getByRole('link', { name: 'Refund desk' }).count();
      expect([team, found]).toEqual([team, links]);
    }
  });

  test('is for those who may read the organization, and shows them no more than that', async () => {
    const reviewer = await browser.open(app.url, { as: people.ada });
    await reviewer.getByRole('heading', { level: 1, name: 'Requests' }).waitFor();
    expect(await entries(reviewer)).toEqual(['Requests']);
    await reviewer.goto(`${app.url}/home`);
    await reviewer.getByText('“See the organization, its limits and its settings”').waitFor();
    const page = await browser.open(`${app.url}/home`, { as: people.otto });
    await page.getByRole('heading', { name: 'No request in the last 7 days' }).waitFor();
    expect(await entries(page)).toEqual(['Home', 'Settings']);
    expect(await page.locator('main').getByRole('link').allTextContents()).toEqual(['Guide']);
  });
});
