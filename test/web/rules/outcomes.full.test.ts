/** What would happen, beside the rules: a request tried, and past requests. And what was typed stays, digit for digit. */
import { expect, test } from '@jest/globals';
import { requestOf } from '../../support/adapter.ts';
import { everywhere, scene } from '../../support/scene.ts';
import { stepAt } from '../../support/scene/approval-requests.ts';
import { createPerson, SECRETS_KEY } from '../../support/scene/sign-in.ts';
import { BASE, cel } from '../../support/scene/request-approval-pipelines.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';
import { untilSimulated } from '../../support/web/presses.ts';

const PERMISSIONS = ['pipeline.read', 'pipeline.write', 'agent.read', 'request.read'];

const { app, organization, agents, pipeline, read } = await scene({
  app: { environment: { COUNTERSIGN_SECRETS_KEY: SECRETS_KEY } },
  pipelines: { bot: {} },
});
const ada = await createPerson(app, organization.id, {
  displayName: 'Ada Marsh',
  policies: [everywhere(...PERMISSIONS)],
});
const refundWith = (name: string, operator: string, value: unknown) => ({
  id: `refund-${name}`,
  all: [
    { id: `${name}-tool`, field: '/request/tool', operator: 'equals', value: 'create_refund' },
    { id: name, field: `/request/arguments/${name}`, operator, value },
  ],
});
await pipeline('bot', {
  blocks: [
    cel('pattern', refundWith('payment_id', 'matches', '^vip_'), { on_match: 'human' }),
    {
      ...cel('small', refundWith('amount', 'less_than_or_equal', 50)),
      name: 'Small refunds',
    },
  ],
});
const refund = async (amount: string, payment: string) => {
  const { id } = requestOf(
    await agents.bot.adapter.create(
      `{"tool":"create_refund","timeout":"1h","arguments":{"amount":${amount},"currency":"EUR","payment_id":"${payment}"}}`,
    ),
  );
  await stepAt(app, id);
  return await read(id);
};
expect((await refund('40.10', 'pay_1'))['status']).toBe('approved');
await refund('60.50', 'pay_2');
await refund('12345678901234567890.10', 'pay_3');
await refund('89', 'pay_4');

describeInBrowser('beside the rules', () => {
  // A trial of the rules may begin while their pattern is not RE2 yet.
  const browser = startBrowser({ refusals: [400] });
  const open = async (viewport?: { width: number; height: number }) =>
    await browser.open(`${app.url}/agents/bot/rules`, { as: ada, ...(viewport && { viewport }) });

  test('a request lights up the cards that it reaches, with the value that each test sees', async () => {
    const page = await open();
    const panel = page.getByRole('region', { name: 'What would happen' });
    await panel.getByText('amount is at most 50').waitFor();
    await panel.getByText('(it is 89)').waitFor();
    const small = page.getByRole('article', { name: 'Rule 2: Small refunds' });
    expect(await small.getAttribute('data-trial')).toBe('passed');
    await small.getByText('Decided 1 of 4 requests in the last 7 days').waitFor();
    await small.getByRole('button', { name: /^Edit/ }).click();
    await small.getByLabel('Value', { exact: true }).nth(1).fill('100.00');
    await page.locator('article[data-trial="matched"]', { hasText: 'Small refunds' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await screenshot(page, 'rules-try');
  });

  test('past requests name what would newly be approved, the largest amount first, and open beside', async () => {
    const page = await open();
    const small = page.getByRole('article', { name: 'Rule 2: Small refunds' });
    await small.getByRole('button', { name: /^Edit/ }).click();
    await small.getByText('This compares amounts in any currency').waitFor();
    await small.getByLabel('Value', { exact: true }).nth(1).fill('99999999999999999999');
    await page.getByRole('tab', { name: 'Past requests' }).click();
    const group = page.getByRole('region', { name: 'sent to a person → approved by rules' });
    await untilSimulated(page, '3 would now be approved without a person');
    await group.getByRole('heading', { name: /· 3$/ }).waitFor();
    const rows = await group.getByRole('button').allTextContents();
    expect(rows.map((row) => /pay_\d/.exec(row)?.[0])).toEqual(['pay_3', 'pay_4', 'pay_2']);
    expect(rows.join()).toMatch(/60\.50 EUR.*60\.50 EUR/);
    await screenshot(page, 'rules-past');
    expect(await violationsOf(page)).toEqual([]);
    await group.getByRole('button').first().click();
    const beside = page.getByRole('dialog');
    await beside.getByText('12345678901234567890.10', { exact: false }).first().waitFor();
    await beside.getByRole('link', { name: 'Open the request' }).waitFor();
    await screenshot(page, 'rules-past-open');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await beside.waitFor({ state: 'detached' });
  });

  test('no digit of a value changes, and a pattern is tried in the syntax of the service', async () => {
    const page = await open(PHONE);
    const first = page.getByRole('article', { name: /^Rule 1/ });
    await first.getByRole('button', { name: /^Edit/ }).click();
    await first.getByText('The pattern does not match.').waitFor();
    await first.getByLabel('Try the pattern on a text').fill('vip_7');
    await first.getByText('The pattern matches.').waitFor();
    const pattern = first.getByLabel('Value', { exact: true }).nth(1);
    await pattern.fill('^(?=vip)');
    await first.getByText('This is not a pattern in RE2 syntax.').waitFor();
    await pattern.fill('^vip_');
    await screenshot(page, 'rules-pattern-phone');
    expect(await violationsOf(page)).toEqual([]);
    const small = page.getByRole('article', { name: 'Rule 2: Small refunds' });
    await small.getByRole('button', { name: /^Edit/ }).click();
    await small.getByRole('button', { name: 'Add a test for it' }).click();
    await small.getByLabel('Value', { exact: true }).nth(1).fill('12345678901234567890.0');
    await screenshot(page, 'rules-conditions-phone');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save …', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(/^Saved as revision/).waitFor();
    const { text } = await ada.browser.get(`${BASE}/agents/bot/revisions?limit=1`);
    expect(text).toMatch(
      /"operator": ?"less_than_or_equal", ?"value": ?12345678901234567890\.0[,}]/,
    );
    expect(text).toMatch(
      /"\/request\/arguments\/currency", ?"operator": ?"equals", ?"value": ?"EUR"/,
    );
  });
});
