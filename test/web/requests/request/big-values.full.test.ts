import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../../support/scene.ts';
import { violationsOf } from '../../../support/web/accessibility.ts';
import {
  describeInBrowser,
  PHONE,
  screenshot,
  startBrowser,
} from '../../../support/web/browser.ts';

const { app, people, ask } = await scene({
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});
const { ada } = people;

const HOSTILE = '<b onclick="owned=1">\u202egnp.exe';
const records = (size: number) =>
  Array.from({ length: size }, (_none, at) => ({
    id: `pay_${at}`,
    amount: at / 4,
    [HOSTILE]: at === 17 ? HOSTILE : 'word'.repeat(20),
  }));

/** About as large as a call may be. */
const huge = {
  payments: records(3_500),
  weights: Array.from({ length: 3_000 }, (_none, at) => at * 1_000),
  nodes: Array.from({ length: 400 }, (_none, at) => ({
    [`node_${at}`]: { deep: [at, 'x', null] },
  })),
  password: 'hunter2-needle',
  note: 'with the key sk_live_aaaaaaaaaaaaaaaaaaaaaaaa in it',
  needle: 'the Needle of the haystack',
};

describeInBrowser('a call with big values', () => {
  const browser = startBrowser();

  test('of nearly a megabyte is drawn a part at a time, is searched, folded and copied, and keeps secrets hidden', async () => {
    const source = JSON.stringify(huge);
    const id = await ask({ tool: 'load', arguments: huge });
    expect(source.length).toBeGreaterThan(450_000);
    const page = await browser.open(`${app.url}/requests/${id}`, { as: ada });
    const view = page.getByRole('group', { name: 'All arguments', exact: true });
    await view.getByRole('columnheader', { name: 'Item' }).first().waitFor();
    const drawn = () => page.evaluate<number>('document.querySelectorAll("article *").length');
    expect(await drawn()).toBeLessThan(3_000);
    // The keys and values of an agent are text.
    expect(await view.getByText('<b onclick=').count()).toBeGreaterThan(0);
    expect(await page.evaluate('typeof owned')).toBe('undefined');

    const search = page.getByRole('searchbox', { name: 'Search in: All arguments' });
    await search.fill('PAY_1799');
    await page.getByText('1 of 1 /payments/1799/id').waitFor();
    await view.getByText('"pay_1799"').waitFor();
    await search.fill('needle');
    // Of the password only its name is found, not its value.
    await page.getByText('1 of 1 /needle').waitFor();
    await view.locator('[data-found]').getByText('the Needle').waitFor();
    await search.fill('password');
    await page.getByText('1 of 1 /password').waitFor();
    await search.fill('sk_live_a');
    await page.getByText('Nothing found.').waitFor();
    await search.fill('node_39');
    await page.getByText('1 of 11 ').waitFor();
    await search.press('Enter');
    await page.getByText('2 of 11 /nodes/390/node_390').waitFor();
    await search.press('Shift+Enter');
    await search.press('Shift+Enter');
    await page.getByText('11 of 11 /nodes/399/node_399').waitFor();
    expect(await drawn()).toBeLessThan(3_000);

    await page.evaluate(
      'navigator.clipboard.writeText = async (text) => { window.copied = text; }',
    );
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText('Copied, without 2 hidden values.').waitFor();
    const copied = source.replace('hunter2-needle', '•••').replace(/sk_live_a+/, '•••');
    expect(await page.evaluate('window.copied')).toBe(copied);

    await page.getByRole('button', { name: 'Fold all' }).click();
    await view.getByText('[ … ]').first().waitFor();
    await view.getByRole('button', { name: '3,000 items in "weights"' }).press('Enter');
    await view.getByText('11–20').waitFor();
    // What is folded opens where something in it is found.
    await search.fill('pay_3499');
    await view.getByText('"pay_3499"').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await screenshot(page, 'request-big-values');
  });

  test('in a list of a presentation are a table, too', async () => {
    const attachments = [
      { name: 'invoice.pdf', bytes: 120 },
      { name: '<i>terms</i>.pdf', bytes: 9_007_199_254_740_991 },
    ];
    const id = await ask({
      tool: 'send_email',
      arguments: { to: 'jo@example.com', subject: 'Your invoice', attachments },
    });
    const page = await browser.open(`${app.url}/requests/${id}`, { as: ada });
    const table = page.getByRole('group', { name: 'Attachments' }).getByRole('table');
    expect((await table.innerText()).split(/\s+/)).toEqual([
      ...['Item', '"name"', '"bytes"', '1', '"invoice.pdf"', '120'],
      ...['2', '"<i>terms</i>.pdf"', '9007199254740991'],
    ]);
  });

  test('on a phone and in the dark has lines instead of wide tables, and copies every digit', async () => {
    const id = await ask({
      tool: 'load',
      arguments: {
        rates: [1.5, 2, 3, 4, 5, 6, 7],
        pairs: [
          { from: 'EUR', rate: 1 },
          { from: 'USD', rate: 2 },
        ],
        payments: records(12),
        long: `${'line of a text\n'.repeat(400)}end`,
      },
    });
    const page = await browser.open(`${app.url}/requests/${id}`, {
      ...{ as: ada, viewport: PHONE, dark: true },
    });
    const view = page.getByRole('group', { name: 'All arguments', exact: true });
    await view.getByRole('columnheader', { name: '"rate"' }).waitFor();
    expect(await view.getByRole('table').count()).toBe(1);
    await view.getByText('1–7').waitFor();
    await page.getByRole('button', { name: 'Copy', exact: true }).waitFor();
    await page.evaluate(
      'navigator.clipboard.writeText = async (text) => { window.copied = text; }',
    );
    await view.getByRole('button', { name: 'Copy text' }).click();
    await view.getByText('Copied.').waitFor();
    expect(await page.evaluate('window.copied')).toBe(`${'line of a text\n'.repeat(400)}end`);
    const overflow = 'document.documentElement.scrollWidth - innerWidth';
    expect(await page.evaluate<number>(overflow)).toBe(0);
    await screenshot(page, 'request-big-values-phone');
    expect(await violationsOf(page)).toEqual([]);
  });
});
