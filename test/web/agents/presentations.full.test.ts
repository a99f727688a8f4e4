/** How calls are shown: built-in presentations on real calls, those of one server, and taking back a deletion. */
import { expect, test } from '@jest/globals';
import { scene } from '../../support/scene.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, screenshot, startBrowser } from '../../support/web/browser.ts';

const { app, owner, ask, person } = await scene();
const call = async (payment: string, server: string) =>
  await ask({ tool: 'refund_payment', server, arguments: { payment_id: payment, amount: 12.5 } });
await call('pay_1', 'billing');
for (let number = 0; number < 20; number += 1) await call(`pay_other_${number}`, 'other');

const BASE = '/api/v1/tool_presentations';

describeInBrowser('presentations', () => {
  const browser = startBrowser({ refusals: [404, 409] });

  test('that are built in are read on real calls, and begin one of your own', async () => {
    const page = await browser.open(`${app.url}/presentations`, { as: owner });
    await page.getByText('A call uses the first match', { exact: false }).waitFor();
    await page.getByRole('searchbox', { name: /^Search tools/ }).fill('refund_payment');
    await page.getByRole('button', { name: 'Built-in', exact: true }).click();
    await page.getByRole('link', { name: 'refund_payment', exact: true }).click();
    const preview = page.getByRole('article', { name: 'Preview' });
    await preview.getByRole('heading', { name: 'Refund 12.5 of pay_other_19' }).waitFor();
    await page.getByText('This presentation is built in', { exact: false }).waitFor();
    expect(await page.getByLabel('Title', { exact: true }).isDisabled()).toBe(true);
    expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
    await screenshot(page, 'presentation-built-in');
    expect(await violationsOf(page)).toEqual([]);
    await page.goBack();
    await page.getByRole('link', { name: 'refund_payment', exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?q=refund_payment&show=built_in');
    await page.goForward();
    await page.getByRole('button', { name: 'Make your own from this' }).click();
    await preview.getByRole('heading', { name: 'Refund 12.5 of pay_other_19' }).waitFor();
    // Calls to the server, also when many to others are newer.
    await page.getByLabel('Server (optional)').fill('billing');
    await preview.getByRole('heading', { name: 'Refund 12.5 of pay_1' }).waitFor();

    // Who may not change them reads them all the same.
    const reader = await person({ can: ['agent.read', 'request.read', 'request.read.unrouted'] });
    const phone = await browser.open(`${app.url}/presentations/built-in?tool=refund_payment`, {
      as: reader,
      viewport: PHONE,
    });
    await phone.getByRole('heading', { name: 'Refund 12.5 of pay_other_19' }).waitFor();
    expect(await phone.getByRole('button', { name: 'Make your own from this' }).count()).toBe(0);
    expect(await violationsOf(phone)).toEqual([]);
    await phone.goto(`${app.url}/presentations/built-in?tool=no_such_tool`);
    await phone.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  });

  test('that were deleted can be taken back as they were', async () => {
    const entry = {
      tool: 'wire',
      title: 'Wire {/amount}',
      fields: [{ path: '/amount', label: 'Amount', kind: 'number', role: 'primary' }],
    };
    const { body } = await owner.http.post(BASE, entry);
    const page = await browser.open(`${app.url}/presentations/${String(body['id'])}`, {
      as: owner,
    });
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText('Calls of this tool will show their raw arguments.').waitFor();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.waitForURL(/\/presentations$/);
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).click();
    await page.getByText('It is back.').waitFor();
    await page.getByRole('link', { name: 'wire', exact: true }).waitFor();
    const listed = await owner.http.get(`${BASE}?limit=1`);
    expect(listed.body['tool_presentations']).toMatchObject([{ ...entry, source: 'organization' }]);
  });
});
