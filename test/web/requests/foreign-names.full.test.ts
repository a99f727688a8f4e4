import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { REVIEWER, scene } from '../../support/scene.ts';
import { describeInBrowser, PHONE, startBrowser } from '../../support/web/browser.ts';

/** Marks every text that an agent, a person or a configuration gave. */
const FOREIGN = '§';

const { app, people, ask, claimed, decide } = await scene({
  people: {
    ada: { can: REVIEWER, displayName: '§Ada' },
    bob: { can: REVIEWER, displayName: '§Bob' },
  },
  teams: { '§night': ['bob'] },
  paths: { 'on-call': [['ada'], ['§night']] },
  pipelines: { bot: 'on-call' },
});
const { ada, bob } = people;
await app.db('agents').update({ name: '§Bot' });
await app.db('agent_instances').update({ name: '§worker' });

const presentation = {
  source: 'tool',
  title: '§Pay {/amount} to {/to}',
  fields: [
    { path: '/amount', label: '§Amount', kind: 'money', role: 'primary' },
    { path: '/to', label: '§To', kind: 'text', role: 'sensitive' },
    { path: '/text', label: '§Text', kind: 'multiline', role: 'body' },
    { path: '/steps', label: '§Steps', kind: 'list', item: { kind: 'text' } },
    { path: '/patch', label: '§Patch', kind: 'diff' },
    {
      ...{ path: '/rows', label: '§Rows', kind: 'table' },
      item: { fields: [{ path: '/name', label: '§Name', kind: 'text' }] },
    },
  ],
};

/** Foreign texts that could reorder what is around them. */
const bare = async (page: Page): Promise<string[]> =>
  await page.evaluate<string[]>(`{
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      const isVisible = !parentElement.closest('script, style, title');
      if (isVisible && data.includes('${FOREIGN}') && !parentElement.closest('bdi')) found.push(data);
    }
    found;
  }`);

/** Texts of ours that share a `bdi` with a foreign one: they would take its direction. */
const shared = async (page: Page, words: readonly string[]): Promise<string[]> => {
  const texts = await page.locator('article bdi, dialog bdi').allTextContents();
  return texts.filter(
    (text) => text.includes(FOREIGN) && words.some((word) => text.includes(word)),
  );
};
const OURS = ['by ', 'holds the claim', 'Instance', 'Note', 'asks to run', 'runs', 'Contains'];

/** The line of the page on which a text is drawn, in the order in which it is drawn. */
const drawn = async (page: Page, text: string): Promise<string> =>
  await page.evaluate<string>(`{
    const bdi = [...document.querySelectorAll('article bdi')].find(
      (each) => each.textContent === ${JSON.stringify(text)},
    );
    const texts = document.createTreeWalker(bdi, NodeFilter.SHOW_TEXT);
    const signs = [];
    while (texts.nextNode()) {
      const node = texts.currentNode;
      for (let at = 0; at < node.data.length; at += 1) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        signs.push({ sign: node.data[at], left: range.getBoundingClientRect().left });
      }
    }
    signs.sort((one, other) => one.left - other.left).map(({ sign }) => sign).join('');
  }`);

describeInBrowser('a text that an agent, a person or a configuration gave', () => {
  const browser = startBrowser();

  test('is drawn in the order in which it runs, and a name on one line', async () => {
    const command = '# א && rm -rf / && ls';
    const id = await ask({
      tool: 'list_files\n\n✓ Checked by Countersign',
      arguments: { command, transfer: 'א 1,000 - 2,000', path: '/tmp/א/1/2' },
    });
    const page = await browser.open(`${app.url}/requests/${id}`, { as: ada });
    const name = page.getByRole('heading', { level: 1 }).filter({ hasText: 'list_files' });
    await name.waitFor();
    expect(await name.innerText()).toContain(String.raw`list_files\n\n✓ Checked`);
    for (const text of [command, 'א 1,000 - 2,000', '/tmp/א/1/2'])
      expect(await drawn(page, JSON.stringify(text))).toBe(JSON.stringify(text));
  });

  test('keeps its direction to itself, on the whole page of a request', async () => {
    const id = await ask({
      tool: '§pay\u200b  twice',
      arguments: {
        ...{ amount: 5, to: '§Eve', text: '§one\n§two', steps: ['§a', '§b'] },
        ...{ patch: '-§old\n+§new', rows: [{ name: '§row' }], '§key': '§p\u0430y' },
      },
    });
    await claimed(bob, id);
    const page = await browser.open(`${app.url}/account`, { as: ada });
    await page.route(`**/api/v1/requests/${id}`, async (route) => {
      const response = await route.fetch();
      const rest = (await response.text()).replace(/^\{/, '');
      const body = `{"presentation":${JSON.stringify(presentation)},${rest}`;
      await route.fulfill({ response, body });
    });
    await page.goto(`${app.url}/requests/${id}`);
    await page.getByRole('heading', { name: '§Pay 5 to hidden because it is sensitive' }).waitFor();
    await page.getByText('holds the claim. It ends').waitFor();
    await page.getByText('§night').waitFor();
    const tool = page.locator('article header p', { hasText: '§pay' });
    expect(await tool.innerText()).toContain('  twice');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('button', { name: 'Ask for help' }).click();
    await page.getByRole('dialog').getByRole('checkbox', { name: /§Bob/ }).waitFor();
    expect(await bare(page)).toEqual([]);
    expect(await shared(page, OURS)).toEqual([]);
    await page.keyboard.press('Escape');
    expect((await decide(bob, id, { status: 'denied', note: '§no' })).status).toBe(200);
    await page.getByText('Note: §no').waitFor();
    expect(await bare(page)).toEqual([]);
    expect(await shared(page, OURS)).toEqual([]);
  });

  test('cannot look like a further member where its line is wrapped', async () => {
    const id = await ask({ arguments: { first: 'word '.repeat(35), last: 1 } });
    const page = await browser.open(`${app.url}/requests/${id}`, { as: ada, viewport: PHONE });
    await page.getByRole('group', { name: 'All arguments' }).waitFor();
    const lefts = await page.evaluate<number[][]>(`{
      const texts = [...document.querySelectorAll('[role=group] bdi')];
      texts.map((text) => [...text.getClientRects()].map(({ left }) => left));
    }`);
    const [key = [], value = [], last = []] = lefts;
    expect(value.length).toBeGreaterThan(2);
    expect(last[0]).toBe(key[0]);
    expect(Math.min(...value)).toBeGreaterThan((key[0] ?? 0) + 10);
  });
});
