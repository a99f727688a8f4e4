/** Rules that several people change, on desks and phones, with a lost connection, and very many of them. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { scene } from '../../support/scene.ts';
import { activatePipeline } from '../../support/scene/factories.ts';
import { createPerson, SECRETS_KEY } from '../../support/scene/sign-in.ts';
import { until } from '../../support/waiting.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const RULES = ['pipeline.read', 'pipeline.write', 'pipeline.activate'];
const ALL = [...RULES, 'agent.read', 'request.read'];

const rule = (id: string, name: string, tool = id) => ({
  ...{ id, name, type: 'cel' },
  config: {
    when: { id: `${id}-tool`, field: '/request/tool', operator: 'equals', value: tool },
    ...{ on_match: 'deny', reason: 'Done by hand.' },
  },
});

const { app, organization, owner } = await scene({
  app: { environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } },
  pipelines: { bot: { blocks: [rule('bots', 'Of the bot')] }, other: {}, many: {} },
});
const person = async (displayName: string, policy: object) =>
  await createPerson(app, organization.id, { displayName, policies: [policy as never] });
const ada = await person('Ada Marsh', { scope_kind: 'organization', permissions: ALL });
const grace = await person('Grace Hill', { scope_kind: 'organization', permissions: ALL });
const bo = await person('Bo Lind', {
  ...{ scope_kind: 'agent', resource_ids: ['bot'] },
  permissions: ALL,
});

const TWO = { blocks: [rule('drops', 'No drops'), rule('wipes', 'No wipes')] };
const ORGANIZATION = '/api/v1/request-approval-pipelines/organization';
const activeBlocks = async () =>
  (await owner.http.get(ORGANIZATION)).body['blocks'] as unknown as {
    id: string;
    name: string;
    enabled: boolean;
  }[];

const card = (page: Page, name: string | RegExp) => page.getByRole('article', { name });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

async function rename(page: Page, from: string, to: string): Promise<void> {
  await button(page, `Edit: ${from}`).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(to);
}

async function activate(page: Page): Promise<void> {
  await button(page, /^(Save and activate|Activate revision)/).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Activate', exact: true }).click();
}

describeInBrowser('rules of several people', () => {
  const browser = startBrowser({ refusals: [403, 412, 429] });

  test('the second of two administrators compares, puts their changes on top, or discards them', async () => {
    await activatePipeline(owner, 'organization', TWO);
    const [hers, other] = [
      await browser.open(`${app.url}/rules`, { as: ada }),
      await browser.open(`${app.url}/rules`, { as: grace }),
    ];
    await rename(hers, 'No drops', 'Never drop');
    await rename(other, 'No wipes', 'Never wipe');
    await activate(other);
    await other.getByText('No changes').waitFor();
    await activate(hers);
    const dialog = hers.getByRole('dialog');
    await dialog.getByText('Nothing was overwritten', { exact: false }).waitFor();
    expect((await activeBlocks()).map(({ name }) => name)).toEqual(['No drops', 'Never wipe']);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    const conflict = hers.getByRole('alert').filter({ hasText: 'while you edited' });
    await conflict.getByText('Grace Hill').waitFor();
    await conflict.getByRole('button', { name: 'Compare' }).click();
    const compared = hers.getByRole('dialog');
    await compared.getByText('What you change').waitFor();
    await screenshot(hers, 'rules-conflict');
    expect(await violationsOf(hers)).toEqual([]);
    await compared.getByRole('button', { name: 'Close' }).click();
    await conflict.getByRole('button', { name: 'Put my changes on top' }).click();
    await card(hers, 'Rule 2: Never wipe').waitFor();
    await activate(hers);
    await hers.getByText('No changes').waitFor();
    expect((await activeBlocks()).map(({ name }) => name)).toEqual(['Never drop', 'Never wipe']);
    // The other way round: Grace discards hers.
    // The rule is still open.
    await other.getByRole('textbox', { name: 'Name', exact: true }).fill('Mine');
    await until('the draft is kept', () =>
      other.evaluate<boolean>("Object.values(localStorage).some((kept) => kept.includes('Mine'))"),
    );
    await other.reload();
    await button(other, 'Discard mine').click();
    await card(other, 'Rule 1: Never drop').waitFor();
    await other.getByText('No changes').waitFor();
  });

  test('an administrator of one agent changes its rules, and sees what of the rest they may not', async () => {
    const page = await browser.open(`${app.url}/rules`, { as: bo });
    await page.getByText('You can manage the rules of some agents.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'bot' }).click();
    await page
      .getByText('You cannot read the rules of the organization.', { exact: false })
      .waitFor();
    await rename(page, 'Of the bot', 'Of this bot');
    await activate(page);
    await page.getByText('No changes').waitFor();
    await page.goto(`${app.url}/agents/other/rules`);
    await page.getByText('See approval pipelines and their revisions', { exact: false }).waitFor();
    expect(await page.getByRole('article').count()).toBe(0);
  });

  test('rules of the organization stand above those of an agent, and say where none gets past them', async () => {
    const rest = { outcome: 'human', reason: 'Someone looks.' };
    const end = { id: 'end', name: 'The end', type: 'always', config: rest };
    await activatePipeline(owner, 'organization', { blocks: [...TWO.blocks, end] });
    const page = await browser.open(`${app.url}/agents/bot/rules`, { as: ada, dark: true });
    const first = card(page, 'Organization, Rule 1: No drops');
    await first.waitFor();
    expect(await first.getByRole('button').count()).toBe(0);
    await page.getByText('the rules of agents never run', { exact: false }).waitFor();
    await card(page, /^Rule 1: Of this bot$|^Rule 1: Of the bot$/).waitFor();
    await screenshot(page, 'rules-both-dark');
    expect(await violationsOf(page)).toEqual([]);
    await page
      .getByRole('region', { name: /^These run first/ })
      .getByRole('link')
      .click();
    await card(page, 'Rule 1: No drops').waitFor();
  });

  test('on a phone rules are read and switched off, and an earlier revision is activated', async () => {
    await activatePipeline(owner, 'organization', TWO);
    const { body } = await owner.http.get(ORGANIZATION);
    const page = await browser.open(`${app.url}/rules`, { as: ada, viewport: PHONE });
    await page.getByRole('switch', { name: 'No drops is on' }).click();
    await screenshot(page, 'rules-phone');
    const bar = await page.getByRole('region', { name: 'Changes' }).boundingBox();
    expect(bar?.height).toBeLessThanOrEqual(120);
    // The bar lies over what is below it until the end of the page.
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
    expect(await violationsOf(page)).toEqual([]);
    await activate(page);
    await page.getByText('No changes').waitFor();
    expect((await activeBlocks()).map(({ enabled }) => enabled)).toEqual([false, true]);
    await button(page, 'History').click();
    const earlier = page
      .getByRole('listitem')
      .filter({ hasText: `Revision ${String(body['revision'])}` });
    await earlier.getByRole('button', { name: 'Activate …' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Activate', exact: true }).click();
    await page.getByText('No changes').waitFor();
    expect((await activeBlocks()).map(({ enabled }) => enabled)).toEqual([true, true]);
    expect((await owner.http.get(ORGANIZATION)).body['revision']).toBe(body['revision']);
  });

  test('a rule is dragged to another place of its list', async () => {
    await activatePipeline(owner, 'organization', TWO);
    const page = await browser.open(`${app.url}/rules`, { as: ada });
    const handle = card(page, 'Rule 1: No drops').locator('header > span').first();
    const below = card(page, 'Rule 2: No wipes');
    // What is known of past requests comes later, and makes cards higher.
    for (const each of [handle, below]) await each.hover({ trial: true });
    await handle.hover({ position: { x: 8, y: 8 } });
    await page.mouse.down();
    const { x, y, height } = (await below.boundingBox()) ?? { x: 0, y: 0, height: 0 };
    await page.mouse.move(x + 40, y + height - 6, { steps: 4 });
    await screenshot(page, 'rules-dragged');
    await page.mouse.up();
    await card(page, 'Rule 1: No wipes').waitFor();
    await card(page, 'Rule 2: No drops').waitFor();
    await page.getByText('1 change', { exact: true }).waitFor();
  });

  test('nothing is lost while the service is busy or the browser offline', async () => {
    await activatePipeline(owner, 'organization', TWO);
    const page = await browser.open(`${app.url}/rules`, { as: ada });
    await rename(page, 'No drops', 'Kept');
    await page.route('**/organization/revisions', async (route) => {
      const error = { code: 'rate_limited', message: 'Too many calls.' };
      await route.fulfill({ status: 429, headers: { 'Retry-After': '7' }, json: { error } });
    });
    await button(page, 'Save …').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('Nothing is lost: try again in 7 s.', { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.unroute('**/organization/revisions');
    await page.context().setOffline(true);
    await page.getByText('You are offline. Nothing is lost', { exact: false }).waitFor();
    await page.context().setOffline(false);
    await page.reload();
    await page.getByText('These are your unsaved changes').waitFor();
    await card(page, 'Rule 1: Kept').waitFor();
    browser.problems.length = 0;
  });

  test('a thousand rules are drawn part by part, and the last is reached', async () => {
    const blocks = Array.from({ length: 1_000 }, (_, at) => rule(`r${at}`, `Number ${at}`));
    await activatePipeline(owner, 'agents/many', { blocks });
    const page = await browser.open(`${app.url}/agents/many/rules`, { as: owner });
    await card(page, 'Rule 1: Number 0').waitFor();
    const cards = card(page, /^Rule /);
    expect(await cards.count()).toBeLessThan(300);
    const last = card(page, /^Rule 1,?000: Number 999$/);
    await until('the last rule is drawn', async () => {
      await cards.last().scrollIntoViewIfNeeded();
      await page.mouse.wheel(0, 4_000);
      return (await last.count()) > 0;
    });
    await last.scrollIntoViewIfNeeded();
    await last.waitFor();
  });
});
