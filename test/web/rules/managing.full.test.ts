/** What people do with rules over time: make one of a request, keep tests of it, and do not get in each other's way. */
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { REVIEWER, scene } from '../../support/scene.ts';
import { activatePipeline } from '../../support/scene/factories.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import {
  describeInBrowser,
  screenshot,
  startBrowser,
  testInChromium,
} from '../../support/web/browser.ts';
import { untilSimulated } from '../../support/web/presses.ts';

const { app, owner, ask, people } = await scene({
  people: { ada: REVIEWER },
  pipelines: {
    bot: {
      blocks: [
        {
          ...{ id: 'rest', name: 'The rest', type: 'always' },
          config: { outcome: 'human', reason: 'Not covered.' },
        },
      ],
    },
  },
});
const NO_DROPS = {
  ...{ id: 'no-drops', name: 'No drops', type: 'cel' },
  config: {
    when: { id: 'drop', field: '/request/tool', operator: 'starts_with', value: 'drop_' },
    ...{ on_match: 'deny', reason: 'Done by hand.' },
  },
};
const refund = await ask({
  tool: 'refund_payment',
  arguments: { payment_id: 'pay_14', amount: 12.5, currency: 'EUR' },
});
await ask({
  tool: 'refund_payment',
  arguments: { payment_id: 'pay_15', amount: 8, currency: 'EUR' },
});

const card = (page: Page, name: string | RegExp) => page.getByRole('article', { name });

describeInBrowser('managing rules', () => {
  const browser = startBrowser({ refusals: [501] });

  test('a rule is drafted from a request, with what last week would have been, and not for those who may not write', async () => {
    const reader = await browser.open(`${app.url}/requests/${refund}`, { as: people.ada });
    await reader.getByRole('heading', { name: 'Refund 12.5 EUR of pay_14' }).waitFor();
    expect(await reader.getByText('Make a rule from this').count()).toBe(0);

    const page = await browser.open(`${app.url}/requests/${refund}`, { as: owner });
    await page.getByRole('link', { name: 'Make a rule from this' }).click();
    // Before the rule that decides everything.
    const rule = card(page, 'Rule 1: Like this: refund_payment');
    await rule.getByRole('textbox', { name: 'Name' }).waitFor();
    await card(page, 'Rule 2: The rest').waitFor();
    await page.getByText('It does not look at payment_id.').waitFor();
    await untilSimulated(page, '2 would now be approved without a person');
    await screenshot(page, 'rules-from-request');
    expect(await violationsOf(page)).toEqual([]);
    // The draft stays, and is not added again.
    await page.reload();
    await rule.getByText('amount is at most 12.5').waitFor();
    await page.getByText('These are your unsaved changes').waitFor();
    expect(await page.getByRole('article').count()).toBe(2);
  });

  testInChromium('nothing is activated before it is known what that would do', async () => {
    const page = await browser.open(`${app.url}/agents/bot/rules?from=${refund}`, { as: owner });
    await card(page, 'Rule 2: The rest').waitFor();
    let goOn = () => {};
    const held = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await page.route('**/simulate', async (route) => {
      await held;
      await route.continue();
    });
    await page.getByRole('button', { name: 'Save and activate …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Running the rules over past requests …').waitFor();
    const activate = dialog.getByRole('button', { name: 'Activate' });
    expect(await activate.getAttribute('aria-disabled')).toBe('true');
    goOn();
    await dialog.getByLabel(/^2 requests of last week would have run without a person/).check();
    await activate.and(page.locator('[aria-disabled=false]')).waitFor();
  });

  test('a test that must hold fails at the change that breaks it, and is named before that is activated', async () => {
    await activatePipeline(owner, 'organization', { blocks: [NO_DROPS] });
    const page = await browser.open(`${app.url}/rules`, { as: owner });
    await page.getByRole('tab', { name: 'Tests' }).click();
    await page.getByLabel('Request', { exact: true }).selectOption({ label: 'Write one' });
    await page.getByLabel('Tool', { exact: true }).fill('drop_table');
    await page.getByLabel('Arguments as JSON').fill('{"table": "orders"}');
    await page.getByRole('button', { name: 'Add the test' }).click();
    const one = page.getByRole('listitem').filter({ hasText: 'drop_table is denied' });
    await one.getByText('✓ holds').waitFor();
    // The tests run whatever tab is open, and after a reload.
    await page.reload();
    await page.getByRole('switch', { name: 'No drops is on' }).click();
    const bar = page.getByRole('region', { name: 'Changes', exact: true });
    await bar.getByRole('button', { name: '1 problem' }).click();
    await one.getByText('✕ does not hold: it is sent to a person').waitFor();
    await screenshot(page, 'rules-tests');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save and activate …' }).click();
    const dialog = page.getByRole('dialog');
    const activate = dialog.getByRole('button', { name: 'Activate' });
    await dialog
      .getByLabel('1 test does not hold: “drop_table is denied”. This is intended.')
      .check();
    await activate.and(page.locator('[aria-disabled=false]')).waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await one.getByText('✓ holds').waitFor();
    await page.getByRole('button', { name: /^Remove the test/ }).click();
    await page.getByText('There is no test yet.', { exact: false }).waitFor();
  });

  test('without a secrets key no endpoints are asked for, until a rule asks one, which says why there is none', async () => {
    const page = await browser.open(`${app.url}/agents/bot/rules`, { as: owner });
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/webhook_endpoints')) asked.push(request.url());
    });
    await page.reload();
    await card(page, 'Rule 1: The rest').waitFor();
    const add = page.getByRole('button', { name: 'Add a rule', exact: true });
    await add.click();
    await page.getByRole('menuitem', { name: 'Ask one of your systems' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Ask a language model' }).count()).toBe(0);
    expect(asked).toEqual([]);
    await page.getByRole('menuitem', { name: 'Ask one of your systems' }).click();
    const rule = card(page, 'Rule 2: Ask a system');
    await rule.getByText('This deployment has no secrets key', { exact: false }).waitFor();
    expect(asked).toHaveLength(1);
    expect(await violationsOf(page)).toEqual([]);
    for (const path of ['/endpoints', '/endpoints/rules']) {
      const endpoints = await browser.open(`${app.url}${path}`, { as: owner });
      await endpoints.getByRole('heading', { name: 'Endpoints need a secrets key.' }).waitFor();
      await endpoints.getByText('can set COUNTERSIGN_SECRETS_KEY', { exact: false }).waitFor();
      expect(await violationsOf(endpoints)).toEqual([]);
    }
  });
});
