import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { HttpClient } from '../../support/http.ts';
import { REVIEWER, scene } from '../../support/scene.ts';
import { stepAt } from '../../support/scene/approval-requests.ts';
import { violationsOf } from '../../support/web/accessibility.ts';
import { describeInBrowser, PHONE, startBrowser } from '../../support/web/browser.ts';

const { app, people, agents } = await scene({
  people: { ada: REVIEWER },
  paths: { 'on-call': [['ada']] },
  pipelines: { bot: 'on-call' },
});
const { ada } = people;
const bot = new HttpClient(app.url, { authorization: `Bearer ${agents.bot.credential}` });

/** Each would run, open, load, hide or reorder something where text becomes markup, style or a link. */
const HOSTILE = [
  '<script>owned=1</script>',
  '"><script>owned=1</script>',
  "'><svg/onload=owned=1>",
  '<img src=x onerror="owned=1">',
  '<iframe srcdoc="<script>parent.owned=1</script>"></iframe>',
  '<style>*{display:none}</style>',
  '<link rel=stylesheet href=//evil.example/x.css>',
  '<meta http-equiv=refresh content="0;url=//evil.example">',
  '<base href=//evil.example>',
  '<form action=//evil.example><button>Approve</button></form>',
  '<a href="javascript:alert(1)">click</a>',
  'javascript:owned=1',
  'data:text/html,<script>alert(1)</script>',
  'https://evil.example/approve',
  '[approve](https://evil.example)',
  '![x](https://evil.example/x.png)',
  '{{constructor.constructor("owned=1")()}}',
  '${owned=1}',
  '</bdi></div><h1>Approved</h1>',
  '<!--',
  ']]>',
  '&lt;b&gt;',
  '&#x202e;',
  '\u202egnp.exe',
  '\u2066hidden\u2069',
  'zero\u200bwidth',
  'soft\u00adhyphen',
  '\ufeffbom',
  'tab\tand\nline',
  'nul\u0000byte',
  'bell\u0007',
  '\u001b[31m red',
  'p\u0430ypal',
  'a'.repeat(3_000),
  'wide'.repeat(60),
  '🏳️‍🌈👩‍👩‍👧',
  'العربية 123',
  '漢字かな交じり文',
  'Z̴̡͓a̷l̶g̵o',
  '", "amount": "1',
];

/** The exact body of a call, and the request after its rules have run. */
const post = async (body: string): Promise<string> => {
  const answer = await bot.call('POST', '/api/aap/v1/requests', {
    body,
    headers: { 'idempotency-key': `hostile-${randomUUID()}` },
  });
  expect(answer.status).toBe(201);
  const id = String(answer.body['id']);
  await stepAt(app, id);
  return id;
};

describe('hostile text', () => {
  test('comes in forty kinds', () => {
    expect(new Set(HOSTILE).size).toBe(40);
  });
});

describeInBrowser('a page with hostile text', () => {
  const browser = startBrowser();

  test('runs none of it, in names, keys, values, context and reasoning, and keeps to the width of a phone', async () => {
    const everything = Object.fromEntries(HOSTILE.map((text, index) => [`${index} ${text}`, text]));
    const id = await post(
      JSON.stringify({
        tool: HOSTILE[3],
        server: HOSTILE[1],
        arguments: everything,
        context: everything,
        agent_reasoning: HOSTILE.join('\n'),
        timeout: '1h',
      }),
    );
    const page = await browser.open(`${app.url}/`, { as: ada, viewport: PHONE });
    await page.getByRole('listitem').first().waitFor();
    await page.goto(`${app.url}/requests/${id}`);
    await page.getByText('The agent says (not checked)').waitFor();
    expect(await page.evaluate('typeof owned')).toBe('undefined');
    expect(
      await page.locator('iframe, img, form, base, a[href*="evil"], article script').count(),
    ).toBe(0);
    expect(await page.getByRole('heading', { name: 'Approved' }).count()).toBe(0);
    const text = String(await page.locator('article').textContent());
    for (const shown of ['<svg/onload', '\\u202e', '\\u200b', '\\u0000', '\\u001b'])
      expect(text).toContain(shown);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(
      PHONE.width,
    );
    expect(await violationsOf(page)).toEqual([]);
  });

  test('shows a megabyte of a hundred thousand values without putting all of them into the page', async () => {
    const members = Array.from({ length: 95_000 }, (_none, index) => `"k${index}":${index}`);
    const values = members
      .join(',')
      .slice(0, 1_000_000)
      .replace(/,[^,]*$/, '');
    const id = await post(`{"tool":"bulk","timeout":"1h","arguments":{${values}}}`);
    const page = await browser.open(`${app.url}/requests/${id}`, { as: ada });
    await page.getByText('"k0"').waitFor();
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).isEnabled()).toBe(true);
    expect(await page.locator('article *').count()).toBeLessThan(1_000);
  });

  test('is not shown inside a frame of another page', async () => {
    const page = await browser.open('about:blank');
    const refused = page.waitForEvent('framenavigated', (frame) => frame !== page.mainFrame());
    await page.setContent(`<iframe src="${app.url}/login" title="framed"></iframe>`);
    await refused;
    expect(await page.frameLocator('iframe').getByRole('button').count()).toBe(0);
    expect((await refused).url()).toMatch(/^(chrome-error:|about:neterror)/);
  });
});
