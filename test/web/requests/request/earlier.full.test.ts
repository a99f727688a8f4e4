/** Earlier like this: what was decided about the same thing, and the same call that waits twice. */
import { expect, test } from '@jest/globals';
import { REVIEWER, scene } from '../../../support/scene.ts';
import { until } from '../../../support/waiting.ts';
import { violationsOf } from '../../../support/web/accessibility.ts';
import {
  describeInBrowser,
  PHONE,
  screenshot,
  startBrowser,
} from '../../../support/web/browser.ts';

const { app, people, ask, decide } = await scene({
  people: { ada: REVIEWER, bob: REVIEWER, ivo: [...REVIEWER, 'request.decide.unrouted'] },
  paths: { 'on-call': [['ada']], other: [['bob']] },
  pipelines: { bot: 'on-call', clerk: 'other' },
});
const { ada, bob, ivo } = people;

const HOSTILE = '</a><h1>Approved</h1>\u202egnp';
const refund = (payment: string, amount = 89.5) => ({
  tool: 'refund_payment',
  arguments: { payment_id: payment, amount },
});

describeInBrowser('earlier requests like the open one', () => {
  const browser = startBrowser();

  test('are those of the same agent, tool and main value, with outcome, person and time, and lead to them', async () => {
    const approved = await ask(refund('pay_14', 10));
    await decide(ada, approved);
    await decide(ada, await ask(refund('pay_14', 20)), { status: 'denied', note: HOSTILE });
    await decide(ada, await ask(refund('pay_99')));
    await decide(ada, await ask({ ...refund('pay_14'), tool: 'another_tool' }));
    await decide(bob, await ask({ ...refund('pay_14'), agent: 'clerk' }));
    const [id, same] = [await ask(refund('pay_14')), await ask(refund('pay_14'))];
    await ask(refund('pay_14', 90));

    const page = await browser.open(`${app.url}/requests/${id}`, { as: ada });
    const section = page.getByRole('region', { name: 'Earlier like this' });
    await section.getByText('Same agent and tool, with “pay_14” in the arguments.').waitFor();
    const rows = await section.getByRole('listitem').allInnerTexts();
    expect(rows.map((row) => row.replaceAll(/\s+/g, ' '))).toEqual([
      // The same call that waits.
      expect.stringMatching(/^Refund 89\.5 of pay_14 Asked at \d\d:\d\d · .* left$/),
      expect.stringMatching(/^Refund 20 of pay_14 ✕ Denied by you \d\d:\d\d “.*<h1>/),
      expect.stringMatching(/^Refund 10 of pay_14 ✓ Approved by you \d\d:\d\d$/),
    ]);
    expect(await page.getByRole('heading', { name: 'Approved' }).count()).toBe(0);
    const links = section.getByRole('listitem').getByRole('link');
    expect(await links.first().getAttribute('href')).toBe(`/requests/${same}`);
    await screenshot(page, 'request-earlier');
    expect(await violationsOf(page)).toEqual([]);
    await links.last().press('Enter');
    await page.waitForURL(`${app.url}/requests/${approved}`);
    await page.goBack();
    await section.getByRole('link', { name: 'Show all' }).click();
    await page.waitForURL(/tab=decided/);
    await page.getByRole('button', { name: 'Clear filters' }).waitFor();
    const listed = page.getByRole('region', { name: 'Requests' }).getByRole('listitem');
    await until('only what was decided is listed', async () => (await listed.count()) === 2);
  });

  test('are none of what others alone may see, and say so on a phone in the dark', async () => {
    await decide(bob, await ask({ ...refund('pay_secret'), agent: 'clerk' }));
    const id = await ask(refund('pay_new'));
    const page = await browser.open(`${app.url}/requests/${id}`, {
      ...{ as: ivo, viewport: PHONE, dark: true },
    });
    const none =
      'Nothing was decided yet with the same agent and tool, with “pay_new” in the arguments.';
    await page.getByText(none).waitFor();
    await screenshot(page, 'request-earlier-phone');
    expect(await violationsOf(page)).toEqual([]);
  });
});
